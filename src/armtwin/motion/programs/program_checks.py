"""Checks before a program runs: legs on which the arm comes near itself or the floor."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.errors import ArmTwinError
from armtwin.model.arm import Arm
from armtwin.motion.clearance.clearance import Environment, clearances
from armtwin.motion.programs.program import TaughtProgram
from armtwin.spatial import Array

SAMPLES = 60
AROUND = Environment()
"""The arm itself and its mounting plane."""


def hints(program: TaughtProgram, arm: Arm) -> list[str]:
    """Return warnings about a program; empty if there are none.

    The path between two positions is taken as straight in joint space, the links as capsules. A
    joint beyond its limit is the only warning then, because the program cannot run.
    """
    if not program.positions:
        return []
    try:
        points = program.points(arm)
    except ArmTwinError as error:
        return [str(error)]
    return list(_near(program, arm, points))


def _near(program: TaughtProgram, arm: Arm, points: Array) -> Iterator[str]:
    names = [position.name for position in program.positions]
    if len(points) == 1:
        yield from _warnings(arm, points, f"At “{names[0]}”")
    share = np.linspace(0.0, 1.0, SAMPLES)[:, None]
    for k in range(len(points) - 1):
        leg = points[k] + share * (points[k + 1] - points[k])
        yield from _warnings(arm, leg, f"From “{names[k]}” to “{names[k + 1]}”")


def _warnings(arm: Arm, leg: Array, where: str) -> Iterator[str]:
    distances, names = clearances(arm, leg, AROUND)
    smallest = float(distances.min())
    if smallest < AROUND.margin:
        pair = names[int(distances.min(axis=0).argmin())]
        how = "collide" if smallest <= 0 else f"come within {smallest * 1e3:.0f} mm"
        yield f"{where}: {pair} {how}."
