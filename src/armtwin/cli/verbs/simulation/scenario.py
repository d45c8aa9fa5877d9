"""Paths, pushes, posts and springs as the command line writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.dynamics.flexible_joints import Flexibility
    from armtwin.motion.motion import Path as MotionPath
    from armtwin.simulation.pushes import Post, Push

PATHS = ("circle", "line", "waypoints", "quintic", "hold")
VECTORS = ("point", "force", "position", "size")
WHOLE = ("joint", "link")


def read_push(text: str) -> Push:
    """Return the push of ``joint=2,torque=20,start=6,duration=0.5``.

    Or ``link=3,force=0:0:-30,point=0:0:0.1,start=6,duration=0.5``.
    """
    from armtwin.simulation.pushes import Push

    names = ("joint", "torque", "link", "force", "point", "start", "duration")
    return Push(**_fields(text, "--push", names))


def read_post(text: str) -> Post:
    """Return the post of ``position=0.6:0.2:0.3,radius=0.05,height=0.6`` (or ``size=x:y:z``)."""
    from armtwin.simulation.pushes import Post

    names = ("position", "radius", "height", "size", "softness")
    return Post(**_fields(text, "--post", names))


def read_vector(text: str, option: str, count: int | None = 3) -> tuple[float, ...]:
    """Return the numbers of a text such as ``0.5,0,0.3``.

    Args:
        text: numbers, split by commas.
        option: name of the option, for the message.
        count: how many are expected; None for any number.
    """
    try:
        values = tuple(float(word) for word in text.replace(":", ",").split(","))
    except ValueError as error:
        raise InputError(f"{option} takes numbers with commas between, got {text!r}") from error
    if count is not None and len(values) != count:
        raise InputError(f"{option} takes {count} numbers, got {len(values)}: {text!r}")
    return values


def read_path(kind: str, given: dict[str, Any]) -> MotionPath:
    """Return the path of a kind from the options that belong to it.

    Raises:
        InputError: no path of that kind, or one of its options is missing.
    """
    from armtwin.motion.paths import Circle, Line
    from armtwin.motion.waypoints import Hold, Quintic, Waypoints

    if kind == "circle":
        names = ("radius", "period", "seconds", "centre", "normal", "tool", "turn", "ramp")
        return Circle(**_some(given, names))
    if kind == "line":
        _need(given, kind, ("start", "end"))
        return Line(**_some(given, ("start", "end", "seconds", "tool", "turn")))
    if kind in ("waypoints", "quintic", "hold"):
        _need(given, kind, ("points",))
        points = [read_vector(row, "--points", None) for row in given["points"].split(";")]
        if len({len(row) for row in points}) > 1:
            raise InputError("--points: every joint vector needs the same number of joints")
        if kind == "hold":
            return Hold(points[0] if len(points) == 1 else points, **_some(given, ("seconds",)))
        if kind == "quintic":
            legs = len(points) - 1
            lasting = {"seconds": given["seconds"] / max(1, legs)} if given["seconds"] else {}
            return Quintic(points, **lasting)
        return Waypoints(points, **_some(given, ("vmax", "amax")))
    raise InputError(f"no path {kind!r}; there are {', '.join(PATHS)}, or a motion's file")


def make_flexibility(stiffness: str | None, damping: float, encoder: str) -> Flexibility | None:
    """Return the springs of the joints; None for rigid ones.

    Args:
        stiffness: numbers split by commas [Nm/rad], or ``own`` for the arm file's compliances.
        damping: of every joint [Nms/rad].
        encoder: motor or link.
    """
    from armtwin.dynamics.flexible_joints import Flexibility

    if stiffness is None:
        if damping:
            raise InputError("--joint-damping is the damping of springs; give --stiffness too")
        return None
    given = None if stiffness == "own" else read_vector(stiffness, "--stiffness", None)
    return Flexibility(given, damping, encoder)  # type: ignore[arg-type]


def _some(given: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: given[name] for name in names if given.get(name) is not None}


def _need(given: dict[str, Any], kind: str, names: tuple[str, ...]) -> None:
    missing = [f"--{name}" for name in names if given.get(name) is None]
    if missing:
        raise InputError(f"--path {kind} needs {' and '.join(missing)}")


def _fields(text: str, option: str, names: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in text.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        if name not in names or not value or name in found:
            raise InputError(
                f"{option} {text!r}: cannot read {part!r}; give NAME=VALUE once each, with commas "
                f"between, of {', '.join(names)} (vectors as x:y:z)"
            )
        found[name] = _value(name, value, option)
    return found


def _value(name: str, value: str, option: str) -> Any:
    if name in VECTORS:
        return read_vector(value, f"{option} {name}")
    try:
        return int(value) if name in WHOLE else float(value)
    except ValueError as error:
        kind = "a whole number" if name in WHOLE else "a number"
        raise InputError(f"{option} {name} must be {kind}, got {value!r}") from error
