"""XML files as nodes with line numbers, so that errors can name the line."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET
from xml.parsers import expat

import numpy as np

from armtwin.errors import ArmFileError
from armtwin.model.arm import Joint, Link
from armtwin.spatial import Array

UNBOUNDED = 1e9
"""Stands for a missing limit in formats that require one."""


def numbers(*values: float) -> str:
    """Return numbers as text that reads back to the same float64."""
    return " ".join(repr(float(value) + 0.0) for value in values)


def document(root: ET.Element) -> str:
    """Return an XML document with one element per line."""
    ET.indent(root)
    return f'<?xml version="1.0"?>\n{ET.tostring(root, encoding="unicode")}\n'


def known(link: Link) -> bool:
    """Return whether mass, centre of mass and inertia are all given."""
    return None not in (link.mass, link.com, link.inertia)


def unlimited(joint: Joint) -> bool:
    """Return whether the joint's position has no limit at all."""
    return joint.limits.lower is None and joint.limits.upper is None


def bounds(joint: Joint) -> tuple[float, float]:
    """Return the position limits, 1e9 standing for none."""
    lower, upper = joint.limits.lower, joint.limits.upper
    return (-UNBOUNDED if lower is None else lower, UNBOUNDED if upper is None else upper)


def bound(value: float) -> float | None:
    """Return a limit as read from a file: 1e9 or more stands for none."""
    return value if abs(value) < UNBOUNDED else None


@dataclass
class Node:
    """An element: tag, attributes, children, file and line."""

    tag: str
    attributes: dict[str, str]
    path: Path
    line: int
    children: list[Node] = field(default_factory=list)

    def all(self, *tags: str) -> list[Node]:
        """Return the children with one of the tags."""
        return [child for child in self.children if child.tag in tags]

    def first(self, tag: str) -> Node | None:
        """Return the first child with the tag, or None."""
        return next(iter(self.all(tag)), None)

    def required_child(self, tag: str) -> Node:
        """Return the first child with the tag, or raise ArmFileError."""
        found = self.first(tag)
        if found is None:
            raise self.fault(f"has no <{tag}>; it needs one")
        return found

    def fault(self, message: str) -> ArmFileError:
        """Return the error that names file, line and element."""
        name = f" name={self.attributes['name']!r}" if "name" in self.attributes else ""
        return ArmFileError(f"{self.path}: line {self.line}: <{self.tag}{name}>: {message}")

    def text(self, name: str) -> str:
        """Return a required attribute."""
        if name not in self.attributes:
            raise self.fault(f"has no attribute {name!r}; it needs one")
        return self.attributes[name]

    def number(self, name: str, default: float | None = None) -> float:
        """Return an attribute of one finite number."""
        return float(self.numbers(name, 1, None if default is None else (default,))[0])

    def numbers(self, name: str, count: int, default: Any = None) -> Array:
        """Return an attribute of ``count`` finite numbers; required if there is no default.

        Args:
            name: of the attribute.
            count: how many numbers it must hold.
            default: numbers (count,) where the attribute is missing; None: it is required.
        """
        if name not in self.attributes and default is not None:
            return np.array(default, float)
        words = self.text(name).split()
        try:
            values = [float(word) for word in words]
        except ValueError:
            values = [math.nan]
        if len(values) != count or not all(map(math.isfinite, values)):
            amount = "a finite number" if count == 1 else f"{count} finite numbers"
            raise self.fault(f"{name}={self.attributes[name]!r}; expected {amount}")
        return np.array(values)


def read_xml(path: Path, root: str) -> Node:
    """Return the root node of an XML file whose outermost element is ``root``.

    Raises:
        ArmFileError: no such file, broken XML, entity declarations, or another root element.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ArmFileError(f"{path}: cannot be read: {error.strerror}") from error
    node = _parse(path, data)
    if node.tag != root:
        raise node.fault(f"is the outermost element; expected <{root}>")
    return node


def _parse(path: Path, data: bytes) -> Node:
    parser = expat.ParserCreate()
    above: list[Node] = []
    roots: list[Node] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, path, parser.CurrentLineNumber)
        (above[-1].children if above else roots).append(node)
        above.append(node)

    def refuse(*_: Any) -> None:
        line = parser.CurrentLineNumber
        raise ArmFileError(f"{path}: line {line}: entity declarations are not read; remove them")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: above.pop()
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise ArmFileError(f"{path}: line {error.lineno}: not valid XML: {reason}") from error
    return roots[0]
