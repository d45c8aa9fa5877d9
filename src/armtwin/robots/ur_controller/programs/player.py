"""The program that a controller plays, and secondary programs beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from armtwin.errors import ArmTwinError
from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.state.events import ProgramPaused, ProgramResumed
from armtwin.robots.ur_controller.state.modes import RuntimeState

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

SHORTEST_PLAY = 0.1
"""A program is shown as PLAYING for at least this [s]; clients that poll would miss less."""
MAX_SECONDARY_PROGRAMS = 4
"""Secondary programs that run at the same time; each may take 0.3 ms of a cycle."""


class ControllerProgram(Protocol):
    """A program that a controller can play."""

    @property
    def name(self) -> str:
        """Name of the program, as reported to clients."""

    def global_variables(self) -> list[tuple[str, Any]]:
        """Return names and values of its global variables; None without a value."""

    def step(self) -> bool:
        """Run for one control cycle; return whether the program still runs."""

    def stop(self) -> None:
        """End the program and release what it holds."""


class ProgramPlayer:
    """Plays programs on a controller.

    Attributes:
        program: the program that runs or pauses; None if there is none.
    """

    def __init__(self, controller: VirtualController) -> None:
        self._controller = controller
        self.program: ControllerProgram | None = None
        self._name = ""
        self._beside: list[ControllerProgram] = []
        self._played_at = self._shown = 0

    def play(self, program: ControllerProgram) -> None:
        """Run a program instead of the one that runs."""
        controller = self._controller
        controller.stop_program()
        if not controller.modes.may_move:
            program.stop()
            controller.say(f"program refused: robot {controller.modes.robot.name}", Level.ERROR)
            return
        self.program, self._played_at, self._name = program, controller.cycles, program.name
        controller.modes.set(runtime=RuntimeState.PLAYING)

    @property
    def beside_full(self) -> bool:
        """Whether no further secondary program can run now."""
        return len(self._beside) >= MAX_SECONDARY_PROGRAMS

    def play_beside(self, program: ControllerProgram) -> None:
        """Run a secondary program beside the one that runs."""
        if self.beside_full:
            program.stop()
            text = f"secondary program refused: {MAX_SECONDARY_PROGRAMS} run already"
            self._controller.say(text, Level.ERROR)
        else:
            self._beside.append(program)

    def pause(self) -> bool:
        """Hold the program; return whether one ran."""
        paused = self._switch(RuntimeState.PLAYING, RuntimeState.PAUSED)
        if paused:
            self._controller.report(ProgramPaused(self._name))
        return paused

    def resume(self) -> bool:
        """Go on with the paused program; return whether there was one."""
        resumed = self._switch(RuntimeState.PAUSED, RuntimeState.PLAYING)
        if resumed:
            self._controller.report(ProgramResumed(self._name))
        return resumed

    def _switch(self, old: RuntimeState, new: RuntimeState) -> bool:
        modes = self._controller.modes
        if modes.runtime != old:
            return False
        modes.set(runtime=new)
        return True

    def stop(self) -> None:
        """End the program; the arm comes to rest."""
        program, self.program = self.program, None
        if program is not None:
            program.stop()
        self._controller.motion.brake()
        self._controller.modes.set(runtime=RuntimeState.STOPPED)

    def step(self) -> None:
        """Run the programs for one control cycle."""
        self._beside = [program for program in self._beside if self._steps_beside(program)]
        controller, program = self._controller, self.program
        if controller.modes.runtime != RuntimeState.PLAYING:
            return
        if program is None:
            self._show_end()
            return
        if controller.watchdog.late(controller.clock):
            controller.say("watchdog: the client is silent", Level.WARNING)
            pausing = controller.watchdog.action == "pause"
            self.pause() if pausing else controller.stop_program()
            return
        try:
            running = program.step()
        except ArmTwinError as error:
            controller.say(f"program stopped: {error}", Level.EXCEPTION)
            running = False
        if not running and self.program is program:
            self._end()

    def _steps_beside(self, program: ControllerProgram) -> bool:
        """Run a secondary program for one cycle; return whether it still runs."""
        try:
            return program.step()
        except ArmTwinError as error:
            self._controller.say(f"secondary program stopped: {error}", Level.ERROR)
            return False

    def _end(self) -> None:
        """Stop the arm now and the program once it has been shown long enough."""
        controller, self.program = self._controller, None
        self._shown = round(SHORTEST_PLAY / controller.dt) - (controller.cycles - self._played_at)
        if self._shown <= 0:
            controller.stop_program()
        else:
            controller.motion.brake()

    def _show_end(self) -> None:
        """Show a short program that has ended as PLAYING for another cycle."""
        self._shown -= 1
        if self._shown < 0:
            self._controller.stop_program()
