"""The register machine of ur_rtde's control script, run natively.

ur_rtde uploads a fixed URScript that reads a command's number from ``input_int_register_0`` and
its arguments from other input registers, and answers in output registers. This is what that
script does, cycle by cycle: command 0 makes it ready (1 in ``output_int_register_0``), another
number is worked on once and then answered done (2). Commands of real time are worked on in every
cycle and answered ready at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import InputError
from armtwin.robots.ur.tcp import pose_from_vector
from armtwin.robots.ur_controller.motion.blending import Leg
from armtwin.robots.ur_controller.motion.commands import Commands
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController
    from armtwin.robots.ur_controller.motion.joint_moves import Move

READY, DONE = 1, 2
STOP_SCRIPT = 255
NOT_SIMULATED = {
    6: "forceMode", 18: "teachMode", 20: "forceModeSetDamping", 21: "forceModeSetGainScaling",
    52: "freedriveMode", 56: "ftRtdeInputEnable", 57: "enableExternalFtSensor", 59: "setGravity",
    62: "startContactDetection", 63: "stopContactDetection", 64: "readContactDetection",
    66: "directTorque",
}  # fmt: skip
"""Commands, by number, whose effect does not exist here. They end the program with the reason."""
MOST_PROGRESS, RUNNING_BIT, COUNT_STEP, OPERATION_STEP = 0x7FFF, 1 << 15, 1 << 16, 1 << 24


class Bench:
    """The registers that a control script works with.

    Args:
        controller: the controller.
        offset: added to every register's number; 24 for the upper range.
    """

    def __init__(self, controller: VirtualController, offset: int = 0) -> None:
        self.controller, self.offset = controller, offset
        self.commands = Commands(controller)
        self._async: Move | None = None
        self._writes = self._operations = 0

    def whole(self, number: int) -> int:
        """Return an integer input register."""
        return int(self.controller.registers.number(f"input_int_register_{number + self.offset}"))

    def real(self, number: int) -> float:
        """Return a double input register."""
        name = f"input_double_register_{number + self.offset}"
        return float(self.controller.registers.number(name))

    def six(self, first: int) -> Array:
        """Return six double input registers."""
        return np.array([self.real(first + k) for k in range(6)])

    def pose(self, first: int) -> Array:
        """Return six double input registers as a pose (4, 4)."""
        return pose_from_vector(self.six(first))

    def answer(self, number: int, value: int) -> None:
        """Set an integer output register."""
        self.controller.registers[f"output_int_register_{number + self.offset}"] = value

    def answer_reals(self, values: Array, first: int = 0) -> None:
        """Set double output registers in a row."""
        for k, value in enumerate(values.tolist()):
            name = f"output_double_register_{first + k + self.offset}"
            if name in self.controller.registers.fields:
                self.controller.registers[name] = value

    def ready(self) -> None:
        """Say that a command may come."""
        self.answer(0, READY)

    def done(self) -> None:
        """Say that the command has been worked on."""
        self.answer(0, DONE)

    # Moves that go on while other commands are taken

    def watch(self) -> None:
        """Remember the move just begun as one that goes on by itself."""
        self._async = self.controller.move
        self.progress(0)

    def look(self) -> None:
        """Notice that such a move has ended."""
        if self._async is not None and self.controller.move is not self._async:
            self.forget()

    def forget(self) -> None:
        """Say that no such move goes on."""
        self._async = None
        self.progress(-1)

    def progress(self, value: int) -> None:
        """Write the progress of such a move: 0 as it begins, negative when it has ended.

        Bits 24-30 count the operations, 16-22 the writes, 15 says that one runs, 0-14 how far.
        """
        self._writes = (self._writes + 1) % 128
        if value == 0:
            self._operations = (self._operations + 1) % 128
        word = self._writes * COUNT_STEP + self._operations * OPERATION_STEP
        if value >= 0:
            word += RUNNING_BIT + min(value, MOST_PROGRESS)
        self.answer(2, word)


def control_program(
    controller: VirtualController, offset: int = 0, legs: Sequence[Leg] = ()
) -> Iterator[None]:
    """Run the machine until its script is stopped.

    Args:
        controller: the controller.
        offset: added to every register's number.
        legs: the path that the script carries for the command movePath.

    Raises:
        InputError: a command that is not simulated or not known; the controller then stops the
            program and tells the clients.
    """
    from armtwin.robots.ur_controller.register_machine.machine_answers import ANSWERS
    from armtwin.robots.ur_controller.register_machine.machine_moves import MOVES
    from armtwin.robots.ur_controller.register_machine.machine_realtime import AT_ONCE

    bench, working = Bench(controller, offset), False
    bench.ready()
    bench.progress(-1)
    while True:
        bench.look()
        command = bench.whole(0)
        if command in AT_ONCE:
            AT_ONCE[command](bench)
            bench.ready()
        elif command == 0:
            working = False
            bench.ready()
        elif command == STOP_SCRIPT:
            return
        elif command in NOT_SIMULATED:
            raise InputError(f"{NOT_SIMULATED[command]} is not simulated by the virtual robot")
        elif not working:
            if command in MOVES:
                yield from MOVES[command](bench, legs)
            elif command in ANSWERS:
                ANSWERS[command](bench)
            else:
                raise InputError(f"the control script's command {command} is not known")
            bench.done()
            working = True
        yield
