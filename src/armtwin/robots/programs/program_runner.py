"""Runs a taught program on a robot: run, pause, step, stop, loop.

One asyncio task moves the robot from position to position. It stops the robot and ends if its
client loses control, if the robot is lost or replaced, or if it does not arrive.

The first move of a run, and a move to one position, is a joint motion, wherever the arm is. The
following ones are linear where the program says so; so is a move that is resumed, from where the
arm stands. All lines are computed before anything moves.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from armtwin.errors import ArmTwinError, ProgramError
from armtwin.motion.motion import Motion
from armtwin.motion.programs.program import Position, TaughtProgram
from armtwin.robots.programs.program_lines import Lines, line_from_here, program_lines
from armtwin.robots.programs.program_timing import LegClock
from armtwin.robots.programs.run_progress import Mode, RunProgress
from armtwin.robots.robot import Robot
from armtwin.spatial import Array

PERIOD = 0.02
"""Time between checks of a moving or waiting robot [s]: as often as the app sends states."""
GRACE = 1.0
"""A robot that rests away from its target for this long is stuck [s]."""
NEAR = {"revolute": 0.02, "prismatic": 0.002}
"""Largest distance of a robot that has arrived [rad | m]: more than a servo's dead band."""
GONE = ("lost", "closed")


class ProgramRunner:
    """Runs one program at a time.

    Args:
        robot: returns the current robot; a run ends if it is another one than at the start.
        allowed: returns whether a client may move the robot now.

    Attributes:
        progress: state of the run.
        legs: where and when its moves began.
    """

    def __init__(self, robot: Callable[[], Robot], allowed: Callable[[str], bool]) -> None:
        self._robot = robot
        self._allowed = allowed
        self._task: asyncio.Task[None] | None = None
        self.progress = RunProgress()
        self.legs = LegClock()
        self._program: TaughtProgram | None = None
        self._client = ""
        self._starting = asyncio.Lock()
        self._stops = 0
        self._straight = False

    @property
    def program(self) -> TaughtProgram | None:
        """The program that runs or is paused."""
        return None if self.progress.mode == "idle" else self._program

    async def run(
        self, program: TaughtProgram, client: str, *, loop: bool = False, start: int = 0
    ) -> None:
        """Run a program from a position on. Nothing moves if any position is refused.

        Args:
            program: what to run.
            client: id of the client that has control.
            loop: start again after the last position.
            start: first position, from 0.

        Raises:
            ProgramError: positions that do not fit the arm, a line that it cannot follow, or a
                client without control.
            NotPermittedError: a robot that cannot be moved.
        """
        await self._begin(program, client, start, loop, once=False)

    async def step(self, program: TaughtProgram, client: str) -> None:
        """Move to the next position only; to the first one if no run is paused."""
        at = self.progress
        following, straight = 0, False
        if at.mode == "paused" and at.index is not None:
            following = self._after(program, at.index) if at.arrived else at.index
            straight = at.arrived or self._straight
        await self._begin(program, client, following, False, once=True, straight=straight)

    async def go(self, program: TaughtProgram, client: str, index: int) -> None:
        """Move to one position (from 0) only.

        Args:
            program: what it belongs to.
            client: id of the client that has control.
            index: position, from 0.
        """
        await self._begin(program, client, index, False, once=True)

    async def pause(self) -> None:
        """Stop the robot; ``resume`` continues to the same position."""
        if self.progress.mode != "running":
            return
        await self._end()
        self._show("paused", text="paused")

    async def resume(self, client: str) -> None:
        """Continue a paused run to the position it was moving to."""
        at = self.progress
        if at.mode != "paused" or self._program is None or at.index is None:
            raise ProgramError("nothing is paused; run the program")
        straight = self._straight
        await self._begin(self._program, client, at.index, at.loop, once=False, straight=straight)

    async def stop(self) -> None:
        """Stop the robot and end the run, also one that is about to begin."""
        self._stops += 1
        await self._end()
        self.progress = RunProgress(text="stopped" if self.progress.mode != "idle" else "")

    async def close(self) -> None:
        """End the run."""
        await self.stop()

    def _after(self, program: TaughtProgram, index: int) -> int:
        return (index + 1) % max(len(program.positions), 1)

    async def _begin(
        self,
        program: TaughtProgram,
        client: str,
        start: int,
        loop: bool,
        *,
        once: bool,
        straight: bool = False,
    ) -> None:
        """Start a run; ``straight`` permits a line from where the arm is to the first position."""
        stops = self._stops
        async with self._starting:
            robot = self._robot()
            robot.require_motion()
            points = program.points(robot.arm)
            if not 0 <= start < len(points):
                raise ProgramError(
                    f"there are {len(points)} positions; cannot start at {start + 1}"
                )
            self._require(client)
            lines = {} if once else await program_lines(program, robot, loop=loop)
            self._require(client)
            at, known = self.progress, program is self._program
            resumed = known and at.mode == "paused" and at.index == start and not at.arrived
            await self._end()
            first = await line_from_here(program, robot, start) if straight else None
            self._require(client)
            if self._stops != stops or self._robot() is not robot:
                raise ProgramError("the arm was stopped before the program began; run it again")
            here = robot.state().q
            self.legs.start(start, here, resumed=resumed, straight=first is not None)
            self._program, self._client = program, client
            self.progress = RunProgress("running", start, loop=loop)
            self._task = asyncio.create_task(self._run(robot, points, once, (first, lines)))

    async def _end(self) -> None:
        """Cancel the task, if one runs; it stops the robot."""
        task, self._task = self._task, None
        if task is None or task.done():
            return
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    async def _run(self, robot: Robot, points: Array, once: bool, lines: Lines) -> None:
        try:
            await self._visit(robot, points, once, lines)
        except asyncio.CancelledError:
            await _halt(robot)
            raise
        except ArmTwinError as error:
            await _halt(robot)
            self._show("idle", text="ended", error=str(error))
        except OSError as error:
            await _halt(robot)
            self._show("idle", text="ended", error=f"the robot is disconnected: {error}")

    async def _visit(self, robot: Robot, points: Array, once: bool, lines: Lines) -> None:
        program, index, rounds = self._program, self.progress.index or 0, 0
        line = lines[0]
        assert program is not None
        while True:
            target = program.positions[index]
            self.progress = RunProgress(
                "running", index, rounds, self.progress.loop, f"going to “{target.name}”"
            )
            self._straight = line is not None
            self.legs.set_out(index, rounds, robot.clock())
            await self._go(robot, points[index], target, line)
            if once:
                self._show("paused", text=f"at “{target.name}”", arrived=True)
                return
            rounds += index + 1 == len(points)
            if index + 1 == len(points) and not self.progress.loop:
                self._show("idle", text="finished")
                return
            index = self._after(program, index)
            line = lines[1].get(index)

    async def _go(self, robot: Robot, q: Array, target: Position, line: Motion | None) -> None:
        """Move to a position, on a line where one is given, wait for arrival, and dwell."""
        near = np.array([NEAR[joint.kind] for joint in robot.arm.driven])
        self._check(robot)
        if line is None:
            await robot.move(q, target.speed)
        else:
            await robot.move_along(line)
        waiting = robot.clock()
        while True:
            await asyncio.sleep(PERIOD)
            self._check(robot)
            state = robot.state()
            now = robot.clock()
            if state.moving:
                waiting = now
            elif (np.abs(state.q - q) <= near).all():
                break
            elif now - waiting > GRACE:
                raise ProgramError(f"the arm stopped before {target.name!r} ({state.status})")
        await self._dwell(robot, target.dwell)

    async def _dwell(self, robot: Robot, seconds: float) -> None:
        end = robot.clock() + seconds
        while (left := end - robot.clock()) > 0:
            await asyncio.sleep(min(left, PERIOD))
            self._check(robot)

    def _check(self, robot: Robot) -> None:
        """Raise ProgramError if the run may not continue."""
        if self._robot() is not robot:
            raise ProgramError("another arm was chosen; the program ended")
        status = robot.state().status
        if status in GONE:
            raise ProgramError(f"the robot is disconnected ({status}); the program ended")
        self._require(self._client)

    def _require(self, client: str) -> None:
        if not self._allowed(client):
            raise ProgramError("control of the arm was lost or not taken; take control, then run")

    def _show(self, mode: Mode, *, text: str, error: str = "", arrived: bool = False) -> None:
        self.legs.end(self._robot().clock())
        self.progress = replace(self.progress, mode=mode, text=text, error=error, arrived=arrived)


async def _halt(robot: Robot) -> None:
    """Stop a robot that may already be lost."""
    with contextlib.suppress(ArmTwinError, OSError):
        await robot.stop()
