"""Mathematical functions. Angles in radians."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from armtwin.robots.ur_controller.script.builtins.arguments import integer
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.errors import ScriptError, ScriptTypeError
from armtwin.robots.ur_controller.script.runtime.values import (
    INT_MAX,
    INT_MIN,
    List,
    Pose,
    as_float,
    type_name,
    wrapped,
)

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()
BITS = 32
"""Of an integer of URScript."""


@group
def acos(f: Any) -> float:
    """Return the arc cosine."""
    return math.acos(_within(f, "acos"))


@group
def asin(f: Any) -> float:
    """Return the arc sine."""
    return math.asin(_within(f, "asin"))


def _within(f: Any, name: str) -> float:
    if not -1 <= as_float(f) <= 1:
        raise ScriptError(f"Math error: {name} of {f}, outside -1 to 1")
    return as_float(f)


@group
def atan(f: Any) -> float:
    """Return the arc tangent."""
    return math.atan(as_float(f))


@group
def atan2(x: Any, y: Any) -> float:
    """Return the arc tangent of ``x / y`` in the right quadrant."""
    return math.atan2(as_float(x), as_float(y))


@group
def cos(f: Any) -> float:
    """Return the cosine."""
    return math.cos(_finite(f))


@group
def sin(f: Any) -> float:
    """Return the sine."""
    return math.sin(_finite(f))


@group
def tan(f: Any) -> float:
    """Return the tangent."""
    return math.tan(_finite(f))


def _finite(f: Any) -> float:
    if not math.isfinite(as_float(f)):
        raise ScriptError(f"Math error: {f} is not finite")
    return as_float(f)


@group
def ceil(f: Any) -> int:
    """Return the smallest integer not less than ``f``."""
    return wrapped(math.ceil(_finite(f)))


@group
def floor(f: Any) -> int:
    """Return the largest integer not greater than ``f``."""
    return wrapped(math.floor(_finite(f)))


@group
def d2r(d: Any) -> float:
    """Return degrees as radians."""
    return math.radians(as_float(d))


@group
def r2d(r: Any) -> float:
    """Return radians as degrees."""
    return math.degrees(as_float(r))


@group
def log(b: Any, f: Any) -> float:
    """Return the logarithm of ``f`` to the base ``b``."""
    base, value = as_float(b), as_float(f)
    if not (base > 0 and value > 0) or base == 1:
        raise ScriptError(f"Math error: logarithm of {f} to the base {b}")
    return math.log(value) / math.log(base)


@group
def pow(base: Any, exponent: Any) -> float:  # noqa: A001 - the name in URScript
    """Return ``base`` raised to ``exponent``."""
    try:
        found = math.pow(as_float(base), as_float(exponent))
    except (OverflowError, ValueError):
        raise ScriptError(f"Math error: {base} to the power of {exponent}") from None
    return found


@group
def sqrt(f: Any) -> float:
    """Return the square root."""
    if as_float(f) < 0:
        raise ScriptError(f"Math error: square root of {f}")
    return math.sqrt(as_float(f))


@group
def norm(a: Any) -> Any:
    """Return the absolute value of a number, or the Euclidean norm of a list or pose."""
    if type(a) in (int, float):
        return abs(a)
    if isinstance(a, List | Pose):
        return math.hypot(*map(as_float, a.items))
    raise ScriptTypeError(f"Type error: norm of a {type_name(a)}")


@group
def random(rt: Runtime) -> float:
    """Return a pseudo-random number from 0 to 1."""
    return rt.random()


@group(cost=4)
def integer_to_binary_list(x: Any) -> List:
    """Return the 32 bits of an integer as booleans, the least significant first."""
    value = integer(x, "x", INT_MIN, INT_MAX)
    return List(tuple(bool(value >> k & 1) for k in range(BITS)))


@group(cost=4)
def binary_list_to_integer(l: Any) -> int:  # noqa: E741 - the name in URScript
    """Return the integer of a list of booleans, the least significant first."""
    if not isinstance(l, List) or any(type(bit) is not bool for bit in l.items):
        raise ScriptTypeError("Type error: binary_list_to_integer takes a list of booleans")
    return wrapped(sum(bit << k for k, bit in enumerate(l.items[:BITS])))
