"""Motions as URScript, the language that Universal Robots' controllers run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.files import write_output
from armtwin.motion.motion import Motion
from armtwin.spatial import Array

STEP = 0.008
"""Time between commands [s]; every controller generation keeps up with it."""
LOOKAHEAD, GAIN = 0.05, 300
APPROACH_SPEED, APPROACH_ACCELERATION = 0.5, 0.8
MAX_POINTS = 20_000


def movej_script(
    points: Array,
    speed: ArrayLike,
    acceleration: ArrayLike,
    name: str,
    *,
    dwells: ArrayLike = 0.0,
    names: Sequence[str] = (),
) -> str:
    """Return a program that moves through joint vectors by ``movej``, resting at each.

    The controller's own profiles are trapezoids. The first point is approached slowly.

    Args:
        points: joint vectors (k, 6) [rad].
        speed: of the leading joint, one for all moves or (k,) [rad/s].
        acceleration: of the leading joint, one for all moves or (k,) [rad/s2].
        name: of the program.
        dwells: rest at every point, one for all or (k,) [s].
        names: of the points, as comments; none, or one a point.
    """
    _refuse_others(points)
    speeds, rises, rests = (
        np.broadcast_to(np.asarray(rate, float), (len(points),)).copy()
        for rate in (speed, acceleration, dwells)
    )
    speeds[0] = min(APPROACH_SPEED, speeds[0])
    rises[0] = min(APPROACH_ACCELERATION, rises[0])
    lines = []
    named = names or [""] * len(points)
    for title, q, v, a, rest in zip(named, points, speeds, rises, rests, strict=True):
        lines += [f"# {title}"] if title else []
        lines.append(_movej(q, v, a))
        if rest > 0:
            lines.append(f"sleep({rest:g})")
    return _program(name, lines)


def servoj_script(motion: Motion, name: str) -> str:
    """Return a program that follows a motion sample by sample with ``servoj`` every 8 ms.

    The start is approached slowly by ``movej``; ``stopj`` ends it.
    """
    _refuse_others(motion.q)
    times = np.arange(0.0, motion.duration + STEP, STEP)
    if times.size > MAX_POINTS:
        raise InputError(
            f"{motion.duration:g} s are {times.size} commands of {STEP:g} s; a program holds "
            f"{MAX_POINTS} at most; send the motion over the robot's link instead"
        )
    q = np.stack([np.interp(times, motion.time, column) for column in motion.q.T], axis=1)
    unused = "0, 0"  # a and v, which servoj requires but ignores
    tail = f"{unused}, {STEP:g}, {LOOKAHEAD:g}, {GAIN})"
    lines = [_movej(q[0], APPROACH_SPEED, APPROACH_ACCELERATION)]
    lines += [f"servoj({_vector(row)}, {tail}" for row in q]
    return _program(name, [*lines, "stopj(2.0)"])


def save_script(text: str, path: str | Path, *, force: bool = False) -> Path:
    """Write a program to a file and return its path.

    Args:
        text: the program.
        path: ends in .script.
        force: overwrite an existing file.
    """
    path = Path(path)
    if path.suffix.lower() not in (".script", ".urscript"):
        raise InputError(f"{path}: URScript goes to a file that ends in .script")
    write_output(path, text.encode(), force=force)
    return path


def _refuse_others(q: Array) -> None:
    if q.ndim != 2 or q.shape[1] != 6:
        raise InputError(f"URScript moves six joints; got joint vectors of shape {q.shape}")
    if not np.isfinite(q).all():
        raise InputError("URScript needs finite joint positions; got NaN or infinity")


def _vector(q: Array) -> str:
    return "[" + ", ".join(f"{value:.6f}" for value in q) + "]"


def _movej(q: Array, speed: float, acceleration: float) -> str:
    return f"movej({_vector(q)}, a={acceleration:g}, v={speed:g})"


def _program(name: str, lines: list[str]) -> str:
    title = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_") or "motion"
    body = "\n".join(f"  {line}" for line in lines)
    return f"def {title}():\n{body}\nend\n"
