"""Text of URScript values, as in ``to_str`` and in the log."""

from __future__ import annotations

from typing import Any

from armtwin.robots.ur_controller.script.errors import ScriptTypeError
from armtwin.robots.ur_controller.script.runtime.values import List, Pose, Struct, type_name


def to_text(value: Any) -> str:
    """Return a value as ``to_str`` and ``str_cat`` do.

    Floats have six decimals, trailing zeros removed: ``2.123456``, ``[1, 2.5]``, ``p[1, 0, ...]``.

    Raises:
        ScriptTypeError: the value has no text (nothing was returned).
    """
    return _text(value, _decimals, ", ")


def to_log(value: Any) -> str:
    """Return a value as ``textmsg`` writes it: six significant digits, ``p[0.1,0.2,...]``."""
    return "None" if value is None else _text(value, "{:g}".format, ",")


def _decimals(value: float) -> str:
    text = f"{value:.6f}"
    short = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if short == "-0" else short


def _text(value: Any, number: Any, comma: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int):
        return str(value)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Pose | List):
        inner = comma.join(_text(item, number, comma) for item in value.items)
        return f"p[{inner}]" if isinstance(value, Pose) else f"[{inner}]"
    if isinstance(value, Struct):
        pairs = zip(value.names, value.items, strict=True)
        return "{" + comma.join(f"{n}: {_text(v, number, comma)}" for n, v in pairs) + "}"
    raise ScriptTypeError(f"Type error: a {type_name(value)} has no text")
