"""How long a taught program takes, by the planners that move the robots.

A simulated arm moves as ``MotionGenerator`` plans. A UR controller is led by ``SpeedCommands`` step
by step; the same steps are made here, on an arm that follows them at once. A servo board times its
moves itself, so their durations are not known.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.errors import LimitError, ProgramError
from armtwin.model.arm import Arm
from armtwin.motion.programs.linear_moves import named_move
from armtwin.motion.programs.program import TaughtProgram
from armtwin.motion.timing import trapezoid_duration
from armtwin.robots.motion_generator import MotionGenerator, RateLimits
from armtwin.robots.programs.program_lines import RATE, SHORT
from armtwin.robots.robot import Kind
from armtwin.robots.ur.speed_control.followed_motion import FollowedMotion
from armtwin.robots.ur.speed_control.speed_commands import (
    ARRIVAL_ACCELERATION,
    ARRIVAL_SPEED,
    PERIOD,
    SpeedCommands,
    top_speeds,
)
from armtwin.spatial import Array

LONGEST = 3600.0
"""Longest move that is rehearsed [s]."""
KEPT = 2000
"""Moves whose durations are kept."""

Begin = tuple[Sequence[float], float, bool]
"""Where a move begins: joints (dof,) [rad | m], the time spent on the way before, in a run that was
paused [s], and whether it is a line where its position asks for one."""


@dataclass(frozen=True)
class PositionTime:
    """When a run moves to a position, from the start of the program; None where not known [s].

    Attributes:
        name: of the position.
        start: when the arm sets out to it.
        arrival: when it is there.
        end: when its rest there is over.
    """

    name: str
    start: float | None
    arrival: float | None
    end: float | None


class LegClock:
    """Where and when the moves of a run began, which its timeline is made of.

    Attributes:
        number: changes whenever a move begins elsewhere than at the position before.
        starts: such moves by position (from 0), as ``program_times`` takes them.
    """

    def __init__(self) -> None:
        self.number = 0
        self.starts: dict[int, Begin] = {}
        self._began, self._spent = 0.0, 0.0
        self._ended: float | None = 0.0

    def start(self, index: int, q: Array, *, resumed: bool, straight: bool = False) -> None:
        """Begin a run.

        Args:
            index: position that it moves to, from 0.
            q: where it begins (dof,) [rad | m].
            resumed: whether the move to that position was interrupted before.
            straight: whether that move is a line.
        """
        self._spent = self._ended or 0.0 if resumed else 0.0
        kept = self.starts if resumed else {}
        self.starts = {**kept, index: (q.tolist(), self._spent, straight)}
        self.number += 1

    def set_out(self, index: int, rounds: int, now: float) -> None:
        """Begin a move; from the second round on each begins at the position before.

        Args:
            index: position that it leads to, from 0.
            rounds: rounds that are over.
            now: [s].
        """
        if rounds and self.starts:
            self.starts, self.number = {}, self.number + 1
        self._spent = self.starts[index][1] if index in self.starts else 0.0
        self._began, self._ended = now, None

    def end(self, now: float) -> None:
        """Keep the time of the move that ends [s]."""
        self._ended = self.at(now)

    def at(self, now: float) -> float:
        """Return the time spent on the newest move and the rest after it [s]."""
        return self._ended if self._ended is not None else now - self._began + self._spent


def program_times(
    program: TaughtProgram, arm: Arm, kind: Kind, starts: dict[int, Begin]
) -> list[PositionTime]:
    """Return when a run reaches every position of a program.

    A move begins at the position before; that to the first one at the last one, as in a loop.

    Args:
        program: the program.
        arm: the arm that it was taught to.
        kind: of the robot.
        starts: moves that begin elsewhere, by position (from 0).
    """
    points, times, clock = program.points(arm), [], 0.0
    known = True
    for k, target in enumerate(program.positions):
        begin, spent, straight = starts.get(k, (points[k - 1].tolist(), 0.0, True))
        q = np.array(begin, float)
        if straight and target.motion == "linear" and np.abs(q - points[k]).max() >= SHORT:
            seconds = line_seconds(program, arm, kind, k, q)
        else:
            seconds = move_seconds(arm, kind, q, points[k], target.speed)
        start: float | None = clock if known else None
        known = known and seconds is not None
        arrival = clock + spent + (seconds or 0.0)
        clock = arrival + target.dwell
        whole = (arrival, clock) if known else (None, None)
        times.append(PositionTime(target.name, start, *whole))
    return times


def line_seconds(
    program: TaughtProgram, arm: Arm, kind: Kind, index: int, begin: Array
) -> float | None:
    """Return how long the line to a position takes [s]; None where it cannot be followed.

    Args:
        program: the program.
        arm: the arm that it was taught to.
        kind: of the robot.
        index: of the position, from 0.
        begin: where the arm rests (dof,) [rad | m].
    """
    try:
        line = named_move(program, arm, index, begin)
    except ProgramError:
        return None
    if kind == "simulated":
        return line.duration(arm)
    if kind not in ("virtual", "real"):
        return None
    path, commands = FollowedMotion(line.motion(arm, RATE)), SpeedCommands(top_speeds(arm))
    commands.move_along(path.goal, path.speeds)
    return _rehearsed(commands, begin, path.goal)


def move_seconds(arm: Arm, kind: Kind, begin: Array, q: Array, speed: float) -> float | None:
    """Return how long a robot's ``move`` takes from rest to rest [s]; None where not known.

    Args:
        arm: its model.
        kind: of the robot.
        begin: where it rests (dof,) [rad | m].
        q: where it goes (dof,) [rad | m].
        speed: share of its limits.
    """
    if kind == "simulated":
        motion = MotionGenerator(begin, RateLimits.of(arm))
        motion.move(q, 0.0, share=speed)
        return motion.end
    if kind in ("virtual", "real"):
        key = tuple(top_speeds(arm).tolist()), tuple(begin.tolist()), tuple(q.tolist())
        return _led(*key, speed)
    return None


@functools.lru_cache(KEPT)
def _led(
    top: tuple[float, ...], begin: tuple[float, ...], q: tuple[float, ...], share: float
) -> float:
    """Return the time of a move that is led by speeds [s]."""
    commands, goal = SpeedCommands(np.array(top)), np.array(q)
    commands.move(goal, share)
    return _rehearsed(commands, np.array(begin), goal)


def _rehearsed(commands: SpeedCommands, here: Array, goal: Array) -> float:
    """Return the time in which commands lead an arm that follows at once to a goal [s]."""
    qd = np.zeros(len(here))
    for step in range(round(LONGEST / PERIOD)):
        commands.step(here, qd, 0.0)
        if commands.goal is None or commands.goal.arriving:
            return step * PERIOD + _arrival(float(np.abs(goal - here).max()))
        qd = commands.sent
        here = here + PERIOD * qd
    raise LimitError(f"a move of this program takes longer than {LONGEST:g} s")


def _arrival(distance: float) -> float:
    """Return the time of the controller's final approach over a distance [rad]."""
    if distance == 0.0:
        return 0.0
    return trapezoid_duration(ARRIVAL_SPEED / distance, ARRIVAL_ACCELERATION / distance)
