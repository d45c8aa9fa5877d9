"""Programs that clients send to the script ports: loading, playing and refusing them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.ports.dashboard import Answer
from armtwin.robots.ur_controller.ports.intake import LATER, Step
from armtwin.robots.ur_controller.ports.script_port import MAX_TEXT_LINES
from armtwin.robots.ur_controller.programs.loader import LOADER
from armtwin.robots.ur_controller.script import (
    ScriptError,
    ScriptProgram,
    ScriptRun,
    State,
    TcpSockets,
)
from armtwin.robots.ur_controller.script_host import ControllerHost
from armtwin.robots.ur_controller.state.events import (
    ProgramStarted,
    ProgramStopped,
    RuntimeException,
)

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

LONGEST_STATEMENT = 1024
"""Longest line of interpreter mode, which takes 5 to 15 ms to compile [characters]."""
CONTROL_SCRIPT, CONTROL_LOOP = "def rtde_control():", "# NODE_CONTROL_LOOP_ENDS"
"""Marks of ur_rtde's control script."""
DONE = 2
"""Value that a script of ur_rtde writes into its output register at its end."""
_HANDSHAKE = re.compile(
    r"write_output_integer_register\((\d{1,2})\s*\+\s*(\d{1,2}),\s*2\)\s*end\s*$"
)
"""Last line of the ur_rtde scripts whose end it waits for."""
BEGINNING = 4096
"""Characters of a text that are searched for ``sec``."""
_SECONDARY = re.compile(r"\s*(#[^\n]*\n\s*)*sec\s")
NO_CONTROL = 1.0
"""Time after a refused script in which a control script is not played [s]."""


class PlayedScript:
    """A URScript program on a virtual controller.

    Args:
        controller: the controller.
        run: the program's run.
        awaited: output register by which ur_rtde waits for the program's end; None if it does not.
    """

    def __init__(
        self, controller: VirtualController, run: ScriptRun, awaited: int | None = None
    ) -> None:
        self.run = run
        self._controller, self._awaited, self._stepping = controller, awaited, False
        self._started = self._stopped = run.program.secondary

    @property
    def name(self) -> str:
        """Name of the program."""
        return self.run.program.name

    def global_variables(self) -> list[tuple[str, Any]]:
        """Return names and values of its global variables; None without a value."""
        return self.run.global_variables()

    def step(self) -> bool:
        """Run the program for one control cycle; return whether it still runs.

        Raises:
            ScriptError: the program has failed.
        """
        if not self._started:
            self._started = True
            self._controller.report(ProgramStarted(self.name))
        self._stepping = True
        try:
            state = self.run.step()
        finally:
            self._stepping = False
        if self.run.error is not None:
            report_exception(self._controller, self.run.error)
            self._report_end()
            end_wait(self._controller, self._awaited)
            raise self.run.error
        if not self.run.program.secondary:
            self._controller.registers["script_control_line"] = self.run.line
        if state is not State.RUNNING:
            self._report_end()
        return state is State.RUNNING

    def stop(self) -> None:
        """End the program and close its sockets; from within, the host raises ProgramHalted."""
        self._report_end()
        if not self._stepping:
            self.run.stop()

    def _report_end(self) -> None:
        """Report once that the program has stopped; secondary programs are not reported."""
        if self._started and not self._stopped:
            self._stopped = True
            self._controller.report(ProgramStopped(self.name))


def run_script(controller: VirtualController, text: str, *, exposed: bool = False) -> None:
    """Compile and start a program at once; see ``script_steps``.

    Args:
        controller: the controller.
        text: the program.
        exposed: let the program's sockets connect to other machines.
    """
    if not _refused_early(controller, text):
        try:
            program = ScriptProgram.load(text)
        except ScriptError as error:
            _refuse(controller, text, error)
        else:
            start_program(controller, program, exposed)


def script_steps(
    controller: VirtualController, text: str, *, exposed: bool = False
) -> Iterator[Step]:
    """Compile and start a client's script without delaying the control cycle.

    A program that cannot be compiled stops the running one and its error, with line and column,
    is reported to the clients; a secondary program leaves the running one alone.

    Args:
        controller: the controller.
        text: a program, or a single line.
        exposed: whether the program may connect to other machines.
    """
    if _refused_early(controller, text):
        return
    try:
        program = yield from LOADER.steps(text)
    except ScriptError as error:
        _refuse(controller, text, error)
        return
    while program.secondary and controller.beside_full:
        yield LATER
    start_program(controller, program, exposed)


def interpreter_command(controller: VirtualController, line: str) -> Answer:
    """Hand a line from the interpreter port to the running program; return the answer."""
    program = controller.program
    if not isinstance(program, PlayedScript):
        return f"discard: Interpreter not running: {line}"
    if len(line) > LONGEST_STATEMENT:
        return f"discard: longer than {LONGEST_STATEMENT} characters: {line[:60]}"
    return program.run.interpreter.command_steps(line)


def start_program(controller: VirtualController, program: ScriptProgram, exposed: bool) -> None:
    """Play a compiled program.

    Args:
        controller: the controller.
        program: the program; a secondary one runs beside the main program.
        exposed: whether the program may connect to other machines.
    """
    run = program.start(ControllerHost(controller), TcpSockets(exposed=exposed))
    if program.secondary:
        controller.play_beside(PlayedScript(controller, run))
    else:
        controller.play(PlayedScript(controller, run, _awaited(program.source)))


def _refused_early(controller: VirtualController, text: str) -> bool:
    """Refuse a text that is too long, or a control script right after a refused script."""
    if text.count("\n") > MAX_TEXT_LINES:
        error = ScriptError(f"a text of more than {MAX_TEXT_LINES} lines")
        _refuse(controller, text, error)
        return True
    early = controller.cycles < controller.no_control_before
    if early and CONTROL_SCRIPT in text and CONTROL_LOOP in text:
        controller.say("control script refused: it follows a refused script", Level.ERROR)
        return True
    return False


def report_exception(controller: VirtualController, error: ScriptError) -> None:
    """Report a program's error to the clients of the primary interface."""
    controller.report(RuntimeException(error.line, error.column, error.text))


def _refuse(controller: VirtualController, text: str, error: ScriptError) -> None:
    report_exception(controller, error)
    if _SECONDARY.match(text, 0, BEGINNING):
        controller.say(f"secondary program refused: {error}", Level.ERROR)
        return
    controller.refuse(str(error))
    end_wait(controller, _awaited(text))


def _awaited(text: str) -> int | None:
    """Return the output register by which ur_rtde waits for a script's end."""
    found = _HANDSHAKE.search(text[-200:])
    return int(found[1]) + int(found[2]) if found else None


def end_wait(controller: VirtualController, register: int | None) -> None:
    """Let ur_rtde's sendCustomScript raise instead of waiting forever for a script that failed.

    It waits until an output register says done, whatever happens to the program, and then uploads
    its control script again. The register is written, and that upload is not played: ur_rtde
    raises "Failed to start control script" after 5 s.
    """
    name = f"output_int_register_{register}"
    if register is not None and name in controller.registers.fields:
        controller.stop_program()
        controller.registers[name] = DONE
        controller.no_control_before = controller.cycles + round(NO_CONTROL / controller.dt)
