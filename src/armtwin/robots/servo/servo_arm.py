"""A servo arm moved in joint angles, within limits; stopped first on errors."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError, NotPermittedError
from armtwin.model.arm import Arm
from armtwin.robots.safety import (
    SafetyLimits,
    Workspace,
    is_pseudo_terminal,
    permit_motion,
    stopping_first,
)
from armtwin.robots.servo.arrival import AT_REST, POLL, ArmStatus, never, wait_for_rest
from armtwin.robots.servo.board import Board
from armtwin.robots.servo.line import SerialLine
from armtwin.robots.servo.pulse_mapping import ServoMapping
from armtwin.robots.servo.servo_settings import ServoSettings
from armtwin.spatial import Array

PATH_POINTS = 50
"""Number of points of a move at which the workspace is checked."""


class ServoArm:
    """An arm on a serial line. Use it in a ``with`` block; an error stops the arm."""

    def __init__(self, board: Board, mapping: ServoMapping, *, permitted: bool) -> None:
        """Use a board.

        Args:
            board: connection to the servo board.
            mapping: pulses of the servos for the arm's joints.
            permitted: whether the arm may be moved, see ``open_arm``.
        """
        self.board = board
        self.arm = mapping.arm
        self.mapping = mapping
        box = mapping.settings.workspace
        space = Workspace() if box is None else Workspace(box.low, box.high)
        self.limits = SafetyLimits(mapping.settings.speed, space)
        self._permitted = permitted

    def __enter__(self) -> ServoArm:
        """Return the arm itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the line; a program that runs alone continues."""
        self.board.line.close()

    def status(self) -> ArmStatus:
        """Return position and mode of the arm."""
        board = self.board.status()
        return ArmStatus(
            self.mapping.angles(board.position), self.mapping.opening(board.position), board
        )

    def move(
        self, q: ArrayLike, *, opening: float | None = None, seconds: float = 0.0
    ) -> ArmStatus:
        """Move all joints and the gripper together; return on arrival.

        Args:
            q: joint angles (dof,) [rad].
            opening: of the gripper, 0 to 1; unchanged if not given.
            seconds: minimum duration [s]; top speeds make it longer.

        Raises:
            JointLimitError: a joint beyond its limits.
            NotPermittedError: hardware without permission, or a tool outside its workspace.
            LinkError: the arm did not arrive.
        """
        position = self._checked(q, opening, seconds)
        with stopping_first(self.board.stop):
            self._set_out(q, position, seconds)
            return self._wait()

    def set_out(self, q: ArrayLike, *, opening: float | None = None, seconds: float = 0.0) -> None:
        """Start a motion as ``move`` does and return at once.

        The board's watchdog stops the arm unless ``status`` is called regularly.

        Args:
            q: target (dof,) [rad].
            opening: of the gripper, 0 closed to 1 open; unchanged if not given.
            seconds: duration of the motion [s]; 0 for as fast as the limits allow.
        """
        self._set_out(q, self._checked(q, opening, seconds), seconds)

    def _checked(self, q: ArrayLike, opening: float | None, seconds: float) -> tuple[int, ...]:
        """Return the position in ticks for a motion that is allowed."""
        self._permit()
        if not (math.isfinite(seconds) and 0 <= seconds <= 60):
            raise InputError(f"a motion takes 0 to 60 s, got {seconds}")
        return self.mapping.ticks(q, opening)

    def _set_out(self, q: ArrayLike, position: tuple[int, ...], seconds: float) -> None:
        self._prepare()
        start = self.mapping.angles(self.board.status().position)
        path = np.linspace(start, np.asarray(q, float), PATH_POINTS)
        self.limits.check(self.arm, np.clip(path, self.arm.lower, self.arm.upper))
        self.board.move(position, round(1000 * seconds))

    def jog(self, joint: int, speed: float, seconds: float) -> ArmStatus:
        """Turn one joint (from 1; the gripper comes last) for a while, or up to its limit.

        Args:
            joint: its number.
            speed: [rad/s], or openings per second; its sign is the direction.
            seconds: how long.
        """
        self._permit()
        axes = [*self.mapping.joints, self.mapping.gripper]
        if not 1 <= joint <= len(axes):
            raise InputError(f"joint {joint}: there are 1 to {len(axes)}, the last is the gripper")
        if not (math.isfinite(speed) and 0 < seconds <= 60):
            raise InputError(f"a jog needs a speed and 0 to 60 s, got {speed} and {seconds}")
        number = joint - 1 if joint < len(axes) else len(self.mapping.config.axes) - 1
        ticks = round(speed * axes[joint - 1].slope)
        with stopping_first(self.board.stop):
            self._prepare()
            until = time.monotonic() + seconds
            self.board.jog(number, max(-32767, min(32767, ticks)))
            self._wait(lambda _: time.monotonic() > until)
            self.board.jog(number, 0)
            return self._wait()

    def run(
        self,
        rounds: int = 1,
        *,
        percent: int = 100,
        alone: bool = False,
    ) -> ArmStatus:
        """Run the saved positions, or continue after a pause; return at the end.

        Args:
            rounds: number of rounds, 0 without end.
            percent: share of the top speeds.
            alone: return at once; the board runs on without this host.
        """
        self._permit()
        if not (0 <= rounds <= 255 and 1 <= percent <= 100):
            raise InputError(f"rounds 0...255 and percent 1...100, got {rounds} and {percent}")
        with stopping_first(self.board.stop):
            self._prepare()
            self.board.run(rounds, percent, alone=alone)
            return self.status() if alone else self._wait()

    def save(self) -> ArmStatus:
        """Save the current position; return once it is in the EEPROM."""
        self.board.save()
        while (status := self.status()).board.writing:
            time.sleep(POLL)
        return status

    def saved(self) -> Array:
        """Return the saved positions as joint angles (steps, dof) [rad]."""
        steps = self.board.status().steps
        found = [self.mapping.angles(self.board.step(index)) for index in range(steps)]
        return np.array(found).reshape(steps, self.arm.dof)

    def _permit(self) -> None:
        if not self._permitted and is_pseudo_terminal(self.board.line.name):
            raise NotPermittedError(
                f"{self.board.line.name} is a pseudo terminal: say --simulated (simulated=True) if "
                "a simulated board is behind it, --i-mean-it (i_mean_it=True) if hardware is"
            )
        permit_motion(self.board.line.name, simulated=False, i_mean_it=self._permitted)

    def _prepare(self) -> None:
        """Send this arm's limits to the board, unless it has them."""
        if self.board.status().mode in AT_REST:
            self.board.configure(self.mapping.config)

    def _wait(self, enough: Callable[[ArmStatus], bool] = never) -> ArmStatus:
        return wait_for_rest(self.status, enough)


def open_arm(
    port: str,
    arm: Arm,
    settings: ServoSettings | None = None,
    *,
    i_mean_it: bool = False,
    simulated: bool = False,
) -> ServoArm:
    """Return the arm on a serial port.

    Args:
        port: its name.
        arm: which arm it is.
        settings: mounting of its servos.
        i_mean_it: hardware may move.
        simulated: the port is a simulated board's pseudo terminal, which may move.

    Raises:
        NotPermittedError: ``simulated``, but the port is no pseudo terminal.
        LinkError: no such port, or no board answers.
    """
    settings = settings or ServoSettings()
    if simulated and not is_pseudo_terminal(port):
        raise NotPermittedError(f"{port} is no pseudo terminal: there may be hardware behind it")
    permitted = i_mean_it or settings.i_mean_it or simulated
    mapping = ServoMapping(arm, settings)
    board = Board(SerialLine(port))
    try:
        board.hello()
    except BaseException:
        board.line.close()
        raise
    return ServoArm(board, mapping, permitted=permitted)
