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
from armtwin.robots.ur_controller.programs.script_sender import ScriptSender, is_control_script
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
BEGINNING = 4096
"""Characters of a text that are searched for ``sec``."""
SHOWN = 60
"""Characters of an unfinished text that are shown with the reason."""
_SECONDARY = re.compile(r"\s*(#[^\n]*\n\s*)*sec\s")


class PlayedScript:
    """A URScript program on a virtual controller.

    Args:
        controller: the controller.
        run: the program's run.
        sender: the connection that sent it and may wait for its end; None if none does.
    """

    def __init__(
        self, controller: VirtualController, run: ScriptRun, sender: ScriptSender | None = None
    ) -> None:
        self.run = run
        self._controller, self._sender, self._stepping = controller, sender, False
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
            if self._sender is not None:
                self._sender.end_wait(self._controller, self.run.program.source)
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
    if not _too_long(controller, text):
        try:
            program = ScriptProgram.load(text)
        except ScriptError as error:
            _refuse(controller, text, error)
        else:
            start_program(controller, program, exposed)


def script_steps(
    controller: VirtualController,
    text: str,
    sender: ScriptSender | None = None,
    *,
    exposed: bool = False,
) -> Iterator[Step]:
    """Compile and start a client's script without delaying the control cycle.

    A program that cannot be compiled stops the running one and its error, with line and column,
    is reported to the clients; a secondary program leaves the running one alone.

    Args:
        controller: the controller.
        text: a program, or a single line.
        sender: the connection that it came from.
        exposed: whether the program may connect to other machines.
    """
    if _too_long(controller, text, sender):
        return
    try:
        program = yield from LOADER.steps(text)
    except ScriptError as error:
        _refuse(controller, text, error, sender)
        return
    while program.secondary and controller.beside_full:
        yield LATER
    start_program(controller, program, exposed, sender)


def interpreter_command(controller: VirtualController, line: str) -> Answer:
    """Hand a line from the interpreter port to the running program; return the answer."""
    program = controller.program
    if not isinstance(program, PlayedScript):
        return f"discard: Interpreter not running: {line}"
    if len(line) > LONGEST_STATEMENT:
        return f"discard: longer than {LONGEST_STATEMENT} characters: {line[:60]}"
    return program.run.interpreter.command_steps(line)


def start_program(
    controller: VirtualController,
    program: ScriptProgram,
    exposed: bool,
    sender: ScriptSender | None = None,
) -> None:
    """Play a compiled program.

    Args:
        controller: the controller.
        program: the program; a secondary one runs beside the main program.
        exposed: whether the program may connect to other machines.
        sender: the connection that it came from.
    """
    control = is_control_script(program.source)
    if control and sender is not None and not sender.take_control_script(program.source):
        controller.say("control script refused: it follows a refused script", Level.ERROR)
        return
    run = program.start(ControllerHost(controller), TcpSockets(exposed=exposed))
    if program.secondary:
        controller.play_beside(PlayedScript(controller, run))
        return
    played = PlayedScript(controller, run, None if control else sender)
    controller.play(played)
    if controller.program is not played and sender is not None and not control:
        sender.end_wait(controller, program.source)


def _too_long(controller: VirtualController, text: str, sender: ScriptSender | None = None) -> bool:
    """Refuse a text of too many lines; return whether it was."""
    if text.count("\n") <= MAX_TEXT_LINES:
        return False
    error = ScriptError(f"a text of more than {MAX_TEXT_LINES} lines")
    _refuse(controller, text, error, sender)
    return True


def refuse_unfinished(
    controller: VirtualController, text: str, reason: str, sender: ScriptSender
) -> None:
    """Report a program or line whose end does not come; the running program goes on.

    Args:
        controller: the controller.
        text: its beginning.
        reason: why its end is not waited for any longer.
        sender: the connection that it came from.
    """
    report_exception(controller, ScriptError(f"incomplete: {reason}", 1, 1))
    controller.say(f"script refused: {reason}: {text[:SHOWN]!r}", Level.EXCEPTION)
    sender.end_wait(controller, "")


def report_exception(controller: VirtualController, error: ScriptError) -> None:
    """Report a program's error to the clients of the primary interface."""
    controller.report(RuntimeException(error.line, error.column, error.text))


def _refuse(
    controller: VirtualController,
    text: str,
    error: ScriptError,
    sender: ScriptSender | None = None,
) -> None:
    report_exception(controller, error)
    if _SECONDARY.match(text, 0, BEGINNING):
        controller.say(f"secondary program refused: {error}", Level.ERROR)
        return
    controller.refuse(str(error))
    if sender is not None and not is_control_script(text):
        sender.end_wait(controller, text)
