"""Lines of a program that is run, computed in a thread, beside the event loop that answers STOP."""

from __future__ import annotations

import asyncio

import numpy as np

from armtwin.errors import ProgramError
from armtwin.motion.motion import Motion
from armtwin.motion.programs.linear_moves import linear_moves, named_move
from armtwin.motion.programs.program import TaughtProgram
from armtwin.robots.robot import Robot

Lines = tuple[Motion | None, dict[int, Motion]]
"""The line of a run's first move, if it is one, and those of the others by position (from 0)."""
RATE = 100.0
"""Samples per second of the motions [Hz]; robots interpolate between them."""
SHORT = 1e-3
"""A linear move is made as a joint motion where no joint moves further than this [rad | m]."""
BRAKING = 5.0
"""Longest time in which a paused arm comes to rest [s]."""
PERIOD = 0.02
"""Time between looks at a braking arm [s]."""


async def program_lines(program: TaughtProgram, robot: Robot, *, loop: bool) -> dict[int, Motion]:
    """Return the motions of a program's linear moves by the position they lead to (from 0).

    Args:
        program: the taught program.
        robot: follows them.
        loop: the first position follows the last one.

    Raises:
        ProgramError: a line that the arm cannot follow; with its positions and the reason.
        NotPermittedError: a robot that cannot follow lines.
    """
    if all(target.motion == "joint" for target in program.positions):
        return {}
    if not robot.can_move_along:
        raise robot.not_along()

    def compute() -> dict[int, Motion]:
        found = linear_moves(program, robot.arm, loop=loop)
        return {k: move.motion(robot.arm, RATE) for k, move in found.items()}

    return await asyncio.to_thread(compute)


async def line_from_here(program: TaughtProgram, robot: Robot, index: int) -> Motion | None:
    """Return the motion on a line from where the arm comes to rest to a position.

    None where the position is reached by a joint motion, or the arm is there already.

    Args:
        program: the taught program.
        robot: follows it.
        index: of the position, from 0.

    Raises:
        ProgramError: a line that the arm cannot follow, or an arm that does not come to rest.
        NotPermittedError: a robot that cannot follow lines.
    """
    target, end = program.positions[index], robot.clock() + BRAKING
    if target.motion == "joint":
        return None
    if not robot.can_move_along:
        raise robot.not_along()
    while robot.state().moving:
        if robot.clock() > end:
            raise ProgramError("the arm does not come to rest; the line cannot begin")
        await asyncio.sleep(PERIOD)
    q = robot.state().q
    if np.abs(q - np.array(target.q)).max() < SHORT:
        return None

    def compute() -> Motion:
        return named_move(program, robot.arm, index, q).motion(robot.arm, RATE)

    return await asyncio.to_thread(compute)
