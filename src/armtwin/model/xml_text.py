"""XML as text: numbers that read back exactly, and a document laid out for people."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from armtwin.model.arm import Joint, Link

UNBOUNDED = 1e9


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
