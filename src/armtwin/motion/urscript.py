"""Motions as URScript, the language that Universal Robots' controllers run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
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
"""Arguments of ``servoj``: lookahead time [s] and gain, within UR's 0.03 to 0.2 and 100 to 2000."""
APPROACH_SPEED, APPROACH_ACCELERATION = 0.5, 0.8
"""Of the move to the start [rad/s], [rad/s2]: about half of URScript's own 1.05 and 1.4."""
MAX_POINTS = 20_000
"""Longer motions are refused: they would make scripts of megabytes."""


@dataclass(frozen=True, eq=False)
class ScriptMove:
    """One move of a program.

    Attributes:
        q: joint vector at its end (6,) [rad].
        speed: of the leading joint [rad/s]; of the tool [m/s] for a linear move.
        acceleration: of the leading joint [rad/s2]; of the tool [m/s2] for a linear move.
        dwell: rest at its end [s].
        name: of its end, written as a comment; none if empty.
        linear: the tool goes straight (``movel``).
    """

    q: Array
    speed: float
    acceleration: float
    dwell: float = 0.0
    name: str = ""
    linear: bool = False

    def lines(self) -> list[str]:
        """Return the lines of a script."""
        command = "movel" if self.linear else "movej"
        move = f"{command}({_vector(self.q)}, a={self.acceleration:g}, v={self.speed:g})"
        rest = [f"sleep({self.dwell:g})"] if self.dwell > 0 else []
        return [*([f"# {self.name}"] if self.name else []), move, *rest]


def movej_script(points: Array, speed: ArrayLike, acceleration: ArrayLike, name: str) -> str:
    """Return a program that moves through joint vectors by ``movej``, resting at each.

    Args:
        points: joint vectors (k, 6) [rad].
        speed: of the leading joint, one for all moves or (k,) [rad/s].
        acceleration: of the leading joint, one for all moves or (k,) [rad/s2].
        name: of the program.
    """
    _refuse_others(points)
    speeds, rises = (
        np.broadcast_to(np.asarray(rate, float), (len(points),)) for rate in (speed, acceleration)
    )
    rows = zip(points, speeds, rises, strict=True)
    return moves_script([ScriptMove(q, float(v), float(a)) for q, v, a in rows], name)


def moves_script(moves: Sequence[ScriptMove], name: str, comments: Sequence[str] = ()) -> str:
    """Return a program of moves from rest to rest.

    The controller's own profiles are trapezoids. The first point is approached slowly, by
    ``movej``.

    Args:
        moves: the moves in their order.
        name: of the program.
        comments: lines of text at its begin.
    """
    _refuse_others(np.array([move.q for move in moves]))
    slow = min(APPROACH_SPEED, moves[0].speed), min(APPROACH_ACCELERATION, moves[0].acceleration)
    first = ScriptMove(moves[0].q, *slow, moves[0].dwell, moves[0].name)
    lines = [line for move in (first, *moves[1:]) for line in move.lines()]
    return _program(name, [*(f"# {text}" for text in comments), *lines])


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
