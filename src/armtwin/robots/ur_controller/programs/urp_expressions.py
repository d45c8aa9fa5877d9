"""Values inside a ``.urp`` program: expressions, variables, pins and waypoints."""

from __future__ import annotations

import math
import re
from xml.etree.ElementTree import Element

from armtwin.errors import InputError

WORDS = {"≟": "==", "≠": "!=", "≤": "<=", "≥": ">=", "≔": "=", "×": "*", "÷": "/"}
"""Signs that PolyScope shows, and how URScript writes them."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_PIN = re.compile(
    r"(digital_in|digital_out|analog_in|tool_in|tool_out|config_in|config_out)\[(\d)\]"
)
READERS = {
    "digital_in": "get_standard_digital_in", "digital_out": "get_standard_digital_out",
    "config_in": "get_configurable_digital_in", "config_out": "get_configurable_digital_out",
    "tool_in": "get_tool_digital_in", "tool_out": "get_tool_digital_out",
    "analog_in": "get_standard_analog_in",
}  # fmt: skip
WRITERS = {
    "digital_out": "set_standard_digital_out", "config_out": "set_configurable_digital_out",
    "tool_out": "set_tool_digital_out",
}  # fmt: skip
_STEP = re.compile(r"(\w+)(?:\[(\d+)\])?")


class References:
    """Resolves the relative references of a document, as in ``../../Assignment/variable``.

    Args:
        root: the document.
    """

    def __init__(self, root: Element) -> None:
        self._parents = {child: parent for parent in root.iter() for child in parent}

    def resolve(self, element: Element) -> Element:
        """Return the element that another one refers to; itself if it refers to none."""
        path = element.get("reference")
        if path is None:
            return element
        found: Element | None = element
        for part in path.split("/"):
            found = None if found is None else self._step(found, part)
        if found is None or found is element or found.get("reference") is not None:
            raise InputError(f"the reference {path!r} leads nowhere")
        return found

    def _step(self, element: Element, part: str) -> Element | None:
        if part == "..":
            return self._parents.get(element)
        match = _STEP.fullmatch(part)
        same = element.findall(match[1]) if match else []
        number = int(match[2] or 1) if match else 0
        return same[number - 1] if 0 < number <= len(same) else None


def variable_name(element: Element | None, references: References) -> str:
    """Return the name of a variable element."""
    name = "" if element is None else references.resolve(element).get("name", "")
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is no name of a variable")
    return name


def expression(element: Element | None, references: References) -> str:
    """Return an expression, which is kept character by character, as URScript.

    Raises:
        InputError: there is none, or a part of it cannot be read; says which.
    """
    if element is None or not len(element):
        raise InputError("an expression is missing")
    text = "".join(_part(part, references) for part in element)
    return " ".join(text.split())


def _part(part: Element, references: References) -> str:
    shown = part.get("scriptCode") or part.get("character") or part.get("token")
    if shown is not None:
        return "".join(f" {WORDS[c]} " if c in WORDS else c for c in shown)
    variable, pin = part.find("variable"), part.find("pin")
    if variable is not None:
        return variable_name(variable, references)
    if pin is not None:
        bank, number = pin_of(part, READERS)
        return f"{READERS[bank]}({number})"
    raise InputError(f"the part {part.tag!r} of an expression cannot be read")


def check_parts(node: Element, known: tuple[str, ...]) -> None:
    """Raise InputError for a part of a node that would change what it does and is not read."""
    parts = [part for part in node if len(part) or part.tag != "children"]
    other = [part.tag for part in parts if part.tag not in known]
    always = [name for name, value in node.attrib.items() if "continu" in name.lower()]
    if other or (always and node.get(always[0]) != "false"):
        raise InputError(f"the part {(other or always)[0]!r} of a node {node.tag!r} cannot be read")


def pin_of(node: Element, banks: dict[str, str]) -> tuple[str, int]:
    """Return bank and number of the pin of a node, such as ``digital_in`` and 2."""
    pin = node.find("pin")
    name = "" if pin is None else pin.get("referencedName", "")
    match = _PIN.fullmatch(name)
    if not match or match[1] not in banks:
        raise InputError(f"pin {name!r} cannot be used here; there are {', '.join(banks)}")
    return match[1], int(match[2])


def number(text: str | None, what: str) -> float:
    """Return a number of the document.

    Raises:
        InputError: it is missing or no finite number; says which.
    """
    try:
        value = float(text or "")
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{what} is {text!r}, no number")
    return value


def numbers(text: str | None, count: int, what: str) -> list[float]:
    """Return several numbers that are separated by commas.

    Args:
        text: of the program's element; None where it is missing.
        count: how many numbers it must hold.
        what: name of the element, for the error message.
    """
    values = [number(part, what) for part in (text or "").split(",")]
    if len(values) != count:
        raise InputError(f"{what} has {len(values)} numbers instead of {count}")
    return values
