"""The taught program, shared by all pages and edited by the client in control."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from armtwin.app.control.ownership import ProgramOwners
from armtwin.app.control.session import Session
from armtwin.errors import InputError, NotPermittedError, ProgramError
from armtwin.files import replace_file
from armtwin.motion.programs.program import (
    MotionKind,
    Position,
    TaughtProgram,
    explain,
    position,
    read_program,
)
from armtwin.motion.programs.program_folder import ProgramFolder, file_name
from armtwin.robots.programs.program_runner import ProgramRunner
from armtwin.robots.robot import Robot

PART = "teaching"
NAME = "program"


def teaching(session: Session) -> Teaching:
    """Return the session's ``Teaching``, created at the first call."""
    return session.part(PART, lambda: Teaching(session))


class Teaching:
    """One program, its runner, and the folder that programs are kept in.

    Attributes:
        program: the current program.
        revision: increases by one with every change.
        runner: runs the program on the robot.
        folder: saved programs.
        owners: who saved them.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.folder = ProgramFolder(session.folder / "programs")
        self.owners = ProgramOwners(session.folder / "program_owners.json")
        self.program = TaughtProgram(name=NAME, arm=session.robot.arm.name)
        self.revision = 0
        self._drafts: Path | None = None
        self._writer = ThreadPoolExecutor(1, "drafts")
        self.runner = ProgramRunner(lambda: session.robot, self._holds)
        session.program_run = self.run_content
        session.on_stop.append(self.runner.stop)
        session.on_change.append(self._reset)
        session.on_close.append(self.runner.close)
        session.on_close.append(self._writer.shutdown)

    def keep_drafts(self, folder: Path) -> None:
        """Save every change of the program in ``folder``, and show the program that is there.

        There is one file for each arm. It is written by a thread, away from the robot's event loop.
        """
        self._drafts = folder
        self._change(self._draft(self.program.arm))

    def require_edit(self, client: str, revision: int | None = None) -> None:
        """Raise unless a client may change the program.

        Raises:
            NotPermittedError: another client has control.
            ProgramError: the program has changed since that revision.
        """
        holder = self.session.lease.holder
        if holder is not None and holder.id != client and not self.session.lease.is_expired():
            raise NotPermittedError(f"{holder.name} has control and teaches; request control first")
        if revision is not None and revision != self.revision:
            raise ProgramError("the program was changed meanwhile; read it again, then repeat")

    def run_content(self) -> dict[str, Any] | None:
        """Return the run of the program as plain values; None where none runs or is paused."""
        at, legs = self.runner.progress, self.runner.legs
        if at.mode == "idle":
            return None
        seconds = round(legs.at(self.session.robot.clock()), 3)
        return {
            "mode": at.mode, "index": at.index, "round": at.round, "arrived": at.arrived,
            "plan": legs.number, "seconds": seconds,
        }  # fmt: skip

    def add(
        self, name: str | None, speed: float, dwell: float, motion: MotionKind = "joint"
    ) -> Position:
        """Append the current joint positions as a position.

        Args:
            name: of the position; numbered if not given.
            speed: share of the arm's limits.
            dwell: rest after arrival [s].
            motion: how the position is reached.

        Raises:
            LinkError: the robot is not heard.
        """
        fields = {"q": self._current_joints(), "speed": speed, "dwell": dwell, "motion": motion}
        made = position(name=name or self._free_name(), **fields)
        self._change(self.program.with_positions((*self.program.positions, made)))
        return made

    def edit(self, index: int, *, here: bool = False, **fields: Any) -> Position:
        """Change a position (from 0); ``here`` sets its joints to the current ones.

        Raises:
            LinkError: ``here``, and the robot is not heard.
        """
        rows = list(self.program.positions)
        if here:
            fields["q"] = self._current_joints()
        old = rows[self._index(index)]
        rows[index] = made = position(**{**old.model_dump(), **fields})
        self._change(self.program.with_positions(tuple(rows)))
        return made

    def move(self, index: int, to: int) -> None:
        """Move a position (from 0) to another place."""
        self._change(self.program.moved(self._index(index), to))

    def remove(self, index: int) -> None:
        """Delete a position (from 0)."""
        rows = list(self.program.positions)
        del rows[self._index(index)]
        self._change(self.program.with_positions(tuple(rows)))

    def replace(self, program: TaughtProgram) -> None:
        """Replace the program; one of another arm is refused."""
        program.require_arm(self.session.robot.arm)
        self._change(program)

    def rename(self, name: str) -> None:
        """Rename the program."""
        try:
            self._change(TaughtProgram.model_validate({**self.program.model_dump(), "name": name}))
        except ValidationError as error:
            raise InputError(f"a program cannot be called so: {explain(error)}") from error

    def _current_joints(self) -> tuple[float, ...]:
        self.session.robot.require_heard()
        return tuple(float(value) for value in self.session.robot.state().q)

    def _change(self, program: TaughtProgram) -> None:
        self.program = program
        self.revision += 1
        if self._drafts is not None:
            self._writer.submit(_write, self._draft_file(program.arm), program)

    def _draft_file(self, arm: str) -> Path:
        assert self._drafts is not None
        return self._drafts / f"{file_name(arm)}.json"

    def _draft(self, arm: str) -> TaughtProgram:
        """Return the program that was being taught to an arm, or an empty one."""
        empty = TaughtProgram(name=NAME, arm=arm)
        if self._drafts is None:
            return empty
        with contextlib.suppress(OSError, ProgramError):
            kept = read_program(self._draft_file(arm).read_bytes(), NAME)
            kept.require_arm(self.session.robot.arm)
            return kept
        return empty

    def _index(self, index: int) -> int:
        count = len(self.program.positions)
        if not 0 <= index < count:
            raise ProgramError(f"no position {index + 1}; there are {count}")
        return index

    def _free_name(self) -> str:
        taken = {row.name for row in self.program.positions}
        numbers = range(1, len(taken) + 2)
        return next(f"Position {n}" for n in numbers if f"Position {n}" not in taken)

    def _holds(self, client: str) -> bool:
        lease = self.session.lease
        return lease.holder is not None and lease.holder.id == client and not lease.is_expired()

    async def _reset(self, robot: Robot) -> None:
        await self.runner.stop()
        if self.program.arm != robot.arm.name:
            self._change(self._draft(robot.arm.name))


def _write(file: Path, program: TaughtProgram) -> None:
    """Save a program; a folder that cannot be written does not end teaching."""
    with contextlib.suppress(OSError):
        replace_file(file, program.to_bytes())
