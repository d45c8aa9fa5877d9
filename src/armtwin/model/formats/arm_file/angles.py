"""Angles in arm files: radians, or text such as ``"pi/2"`` and ``"90 deg"``."""

from __future__ import annotations

import re
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, WithJsonSchema

from armtwin.units import factor

ANGLE = re.compile(r"\s*([+-]?)\s*([0-9.eE+-]*?)\s*\*?\s*(pi|deg)?\s*(?:/\s*([0-9.]+))?\s*")


def angle(value: Any) -> Any:
    """Return an angle in radians from a number or a text such as ``"-pi/2"`` or ``"90 deg"``."""
    if not isinstance(value, str):
        return value
    match = ANGLE.fullmatch(value)
    if not match or not (match[2] or match[3] == "pi"):
        raise ValueError(f"{value!r} is not an angle; write radians, 'pi/2', '-2pi' or '90 deg'")
    sign, size, unit, divisor = match.groups()
    scale = {"pi": np.pi, "deg": factor("deg", "rad"), None: 1.0}[unit]
    number = float(size or 1) * scale / float(divisor or 1)
    return -number if sign == "-" else number


ANGLE_TEXT = f"^(?=.*([0-9]|pi)){ANGLE.pattern}$"
ANGLE_SCHEMA: dict[str, Any] = {
    "anyOf": [{"type": "number"}, {"type": "string", "pattern": ANGLE_TEXT}]
}
"""An angle in the JSON schema of arm files."""
Angle = Annotated[float, BeforeValidator(angle), WithJsonSchema(ANGLE_SCHEMA)]
