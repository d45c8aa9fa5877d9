"""Checks before a program runs, and the path that is shown.

Checked are lines that the arm cannot follow, and legs on which it nears itself or the floor.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.errors import ArmTwinError, ProgramError
from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm
from armtwin.motion.clearance.clearance import Environment, clearances
from armtwin.motion.programs.linear_moves import linear_moves, named_move
from armtwin.motion.programs.program import TaughtProgram
from armtwin.spatial import Array

SAMPLES = 60
"""Points of a leg that are checked and drawn. Larger: slower; smaller: near passes are missed."""
AROUND = Environment()
"""The arm itself and its mounting plane."""


def hints(program: TaughtProgram, arm: Arm) -> list[str]:
    """Return warnings about a program; empty if there are none.

    The path of a joint motion is taken as straight in joint space, the links as capsules. What
    keeps the program from running, a joint beyond its limit or a line that the arm cannot follow,
    is the only warning then.
    """
    if not program.positions:
        return []
    try:
        points, lines = program.points(arm), linear_moves(program, arm)
    except ArmTwinError as error:
        return [str(error)]
    legs = {k: move.at(np.linspace(0.0, 1.0, SAMPLES))[0] for k, move in lines.items()}
    return list(_near(program, arm, points, legs))


def tool_path(program: TaughtProgram, arm: Arm, index: int) -> Array:
    """Return the tool's path (n, 3) [m] to a position from the one before; empty for the first.

    Args:
        program: the taught program.
        arm: the arm that it was taught to.
        index: of the position, from 0.

    Raises:
        ProgramError: no such position, or a line that the arm cannot follow; with the reason.
    """
    points = program.points(arm)
    if not 0 <= index < len(points):
        raise ProgramError(f"no position {index + 1}; there are {len(points)}")
    if index == 0 or np.array_equal(points[index - 1], points[index]):
        return np.zeros((0, 3))
    share = np.linspace(0.0, 1.0, SAMPLES)
    if program.positions[index].motion == "linear":
        leg = named_move(program, arm, index, points[index - 1]).at(share)[0]
    else:
        leg = _straight(points, index)
    return np.asarray(fk(arm, leg, ignore_limits=True)[:, :3, 3])


def _straight(points: Array, index: int) -> Array:
    """Return joint vectors (n, dof) on the joint path to a position from the one before."""
    share = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    return np.asarray(points[index - 1] + share * (points[index] - points[index - 1]))


def _near(
    program: TaughtProgram, arm: Arm, points: Array, lines: dict[int, Array]
) -> Iterator[str]:
    names = [position.name for position in program.positions]
    if len(points) == 1:
        yield from _warnings(arm, points, f"At “{names[0]}”")
    for k in range(1, len(points)):
        leg = lines[k] if k in lines else _straight(points, k)
        yield from _warnings(arm, leg, f"From “{names[k - 1]}” to “{names[k]}”")


def _warnings(arm: Arm, leg: Array, where: str) -> Iterator[str]:
    distances, names = clearances(arm, leg, AROUND)
    smallest = float(distances.min())
    if smallest < AROUND.margin:
        pair = names[int(distances.min(axis=0).argmin())]
        how = "collide" if smallest <= 0 else f"come within {smallest * 1e3:.0f} mm"
        yield f"{where}: {pair} {how}."
