"""The virtual controller: what happens in every control cycle, and what may interrupt it."""

from __future__ import annotations

from collections import deque
from typing import Protocol

import numpy as np

from armtwin.errors import ArmTwinError
from armtwin.model.arm import Arm
from armtwin.robots.safety import SafetyLimits
from armtwin.robots.ur.payload import Payload
from armtwin.robots.ur.protocol.codec import Level, TextMessage
from armtwin.robots.ur.protocol.fields import Version
from armtwin.robots.ur.tcp import Tcp
from armtwin.robots.ur_controller.body.collisions import Collisions
from armtwin.robots.ur_controller.body.kinematic import RobotBody
from armtwin.robots.ur_controller.external_push import Hand
from armtwin.robots.ur_controller.motion.joint_moves import Brake, Move, Reference
from armtwin.robots.ur_controller.pacing import Pace
from armtwin.robots.ur_controller.state.electrics import Electrics, PowerSupply
from armtwin.robots.ur_controller.state.io import InputsOutputs, Watchdog
from armtwin.robots.ur_controller.state.modes import Modes, RuntimeState, SafetyMode, TeachPendant
from armtwin.robots.ur_controller.state.readings import Readings
from armtwin.robots.ur_controller.state.registers import Registers
from armtwin.robots.ur_controller.state.reports import Report
from armtwin.spatial import Array

BOOTED = 40.0
"""Time on the controller's clock when it starts [s]; clients take less for a booting robot."""
HARD_STOP, PROGRAM_STOP = 15.0, 4.0
"""Decelerations of a protective stop and at a program's end [rad/s2]."""
NO_SPEED = 1e-6
"""Below this a joint is at rest at the end of a move; rounding leaves such speeds [rad/s]."""
STEADY_SPEED, STEADY_CYCLES = 5e-3, 50
SHORTEST_PLAY = 0.1
"""A program is shown as PLAYING for at least this [s]; clients that poll would miss less."""
HISTORY = 1000
MOST_TEXTS = 500
MOST_BESIDE = 4
"""Secondary programs that run at the same time; each may take 0.3 ms of a cycle."""


class ControllerProgram(Protocol):
    """A program that a controller can play."""

    def step(self) -> bool:
        """Run for one control cycle; return whether the program goes on."""

    def stop(self) -> None:
        """End the program and release what it holds."""


class VirtualController:
    """A UR controller's behaviour without its network.

    Args:
        arm: the arm.
        body: what moves.
        version: what the controller claims to be.
        dt: length of a control cycle [s].
        supply: its electric side.
        limits: what is asked of a commanded motion.
        unlock_after: rest after a protective stop before it can be unlocked [s].

    Attributes:
        registers: all fields of RTDE.
        reference: what the joints shall do now.
        push: torques that somebody exerts on the joints (dof,) [Nm]; see ``hand``.
        pace: control cycles that ran, ran late, and were lost on a busy machine.
        no_control_before: cycle before which no control script is played; see ``end_wait``.
        texts: messages that are still to be sent, oldest first.
        log: those that have been, and what clients said.
        reports: texts and other events for the primary interface, oldest first.
    """

    def __init__(
        self,
        arm: Arm,
        body: RobotBody,
        *,
        version: Version,
        dt: float,
        supply: PowerSupply | None = None,
        limits: SafetyLimits | None = None,
        unlock_after: float = 5.0,
    ) -> None:
        self.arm, self.body, self.version, self.dt = arm, body, version, dt
        self.limits, self.unlock_after = limits or SafetyLimits(), unlock_after
        self.top = self.limits.top_speeds(arm)
        self.registers, self.tcp = Registers(), Tcp(arm)
        self.modes, self.io = Modes(self.registers), InputsOutputs(self.registers)
        self.payload, self.watchdog = Payload(arm), Watchdog()
        self.electrics = Electrics(arm, self.registers, supply or PowerSupply())
        self.collisions = Collisions(arm, self.payload)
        self.reference = Reference.at(body.q)
        self.push, self.hand = np.zeros(arm.dof), Hand(self)
        self.texts: deque[TextMessage] = deque(maxlen=MOST_TEXTS)
        self.log: deque[TextMessage] = deque(maxlen=MOST_TEXTS)
        self.reports: deque[Report] = deque(maxlen=MOST_TEXTS)
        self.history: deque[Array] = deque(maxlen=HISTORY)
        self.cycles, self.clock, self.stopped_at, self._still = 0, BOOTED, 0.0, 0
        self._move: Move | None = None
        self._program: ControllerProgram | None = None
        self._beside: list[ControllerProgram] = []
        self._played_at = self._shown = self.no_control_before = 0
        self.pace = Pace()
        self.panel, self._readings = TeachPendant(self), Readings(self)
        self._readings.write()

    @property
    def idle(self) -> bool:
        """Whether nothing is being done."""
        return self._move is None

    @property
    def move(self) -> Move | None:
        """What is being done."""
        return self._move

    def begin(self, move: Move) -> None:
        """Do something from the next cycle on, instead of what is being done."""
        self._move = move

    @property
    def program(self) -> ControllerProgram | None:
        """The program that runs or pauses."""
        return self._program

    def play(self, program: ControllerProgram) -> None:
        """Run a program instead of the one that runs."""
        self.stop_program()
        if not self.modes.may_move:
            program.stop()
            self.say(f"program refused: robot {self.modes.robot.name}", Level.ERROR)
            return
        self._program, self._played_at = program, self.cycles
        self.modes.set(runtime=RuntimeState.PLAYING)

    @property
    def beside_full(self) -> bool:
        """Whether no further secondary program can run now."""
        return len(self._beside) >= MOST_BESIDE

    def play_beside(self, program: ControllerProgram) -> None:
        """Run a secondary program beside the one that runs."""
        if self.beside_full:
            program.stop()
            self.say(f"secondary program refused: {MOST_BESIDE} run already", Level.ERROR)
        else:
            self._beside.append(program)

    def refuse(self, reason: str) -> None:
        """Refuse a program: stop the one that runs and report the reason."""
        self.stop_program()
        self.say(f"script refused: {reason}", Level.EXCEPTION)

    def stop_program(self) -> None:
        """End the program; the arm comes to rest."""
        program, self._program = self._program, None
        if program is not None:
            program.stop()
        if self._move is not None:
            self._move = Brake(PROGRAM_STOP)
        self.modes.set(runtime=RuntimeState.STOPPED)

    def protective_stop(self, reason: str) -> None:
        """Brake hard and stay until unlocked; the program ends."""
        if self.modes.safety == SafetyMode.PROTECTIVE_STOP:
            return
        self.say(f"protective stop: {reason}", Level.ERROR)
        self.stop_program()
        self._move = Brake(HARD_STOP)
        self.modes.set(safety=SafetyMode.PROTECTIVE_STOP)
        self.stopped_at = self.cycles * self.dt

    def say(self, message: str, level: Level = Level.INFO) -> None:
        """Send a text message to the clients."""
        self.texts.append(TextMessage(message, "armtwin", level))
        self.reports.append(self.texts[-1])

    def set_payload(self, mass: float, com: Array) -> None:
        """Carry a mass [kg] at ``com`` (3,) in the tool frame [m], and know it."""
        if not (np.isfinite([mass, *com]).all() and 0 <= mass <= 100):
            self.say(f"payload refused: {mass} kg at {com}", Level.WARNING)
            return
        self.payload.set(mass, com)
        self.body.carry(mass, com)
        self.registers["payload"], self.registers["payload_cog"] = mass, com

    def written(self, names: tuple[str, ...]) -> None:
        """Take note of inputs that a client has just written."""
        self.watchdog.written(names, self.clock)
        self.io.written(names)

    @property
    def steady(self) -> bool:
        """Whether the arm has been at rest for a while."""
        return self._still >= STEADY_CYCLES

    def cycle(self) -> None:
        """Run one control cycle."""
        self.cycles += 1
        self.clock += self.dt
        self._run_program()
        self._advance()
        self.hand.step()
        self.body.step(self.reference, self.push, self.dt)
        if self.collisions.step(self.body, self.reference.qdd, self.dt) and self.modes.may_move:
            joint = int(np.abs(self.collisions.residual).argmax())
            torque = self.collisions.residual[joint]
            self.protective_stop(f"collision, {torque:.1f} Nm at joint {joint + 1}")
        self.electrics.step(self.body, self.dt)
        self.history.append(self.body.q)
        moving = self.reference.qd.any() or np.abs(self.body.qd).max() > STEADY_SPEED
        self._still = 0 if moving else self._still + 1
        self._readings.write()

    def _run_program(self) -> None:
        self._beside = [program for program in self._beside if self._steps_beside(program)]
        if self.modes.runtime != RuntimeState.PLAYING:
            return
        program = self._program
        if program is None:
            self._show_end()
            return
        if self.watchdog.late(self.clock):
            self.say("watchdog: the client is silent", Level.WARNING)
            self.panel.pause() if self.watchdog.action == "pause" else self.stop_program()
            return
        try:
            running = program.step()
        except ArmTwinError as error:
            self.say(f"program stopped: {error}", Level.EXCEPTION)
            running = False
        if not running and self._program is program:
            self._end_program()

    def _steps_beside(self, program: ControllerProgram) -> bool:
        """Run a secondary program for one cycle; return whether it goes on."""
        try:
            return program.step()
        except ArmTwinError as error:
            self.say(f"secondary program stopped: {error}", Level.ERROR)
            return False

    def _end_program(self) -> None:
        """Stop the arm now and the program once it has been shown long enough."""
        self._program = None
        self._shown = round(SHORTEST_PLAY / self.dt) - (self.cycles - self._played_at)
        if self._shown <= 0:
            self.stop_program()
        elif self._move is not None:
            self._move = Brake(PROGRAM_STOP)

    def _show_end(self) -> None:
        """Show a short program that has ended as PLAYING for another cycle."""
        self._shown -= 1
        if self._shown < 0:
            self.stop_program()

    def _advance(self) -> None:
        """Move the reference on; what cannot or may not be done ends in a protective stop."""
        scale = self.io.scale(self.dt)
        if self._move is None:
            return
        paused = self.modes.runtime == RuntimeState.PAUSED
        before = (self.reference.q, self.reference.qd, self.reference.qdd)
        try:
            if self._move.step(self.reference, self.dt, 0.0 if paused else scale):
                self._end_move()
            trouble = self._trouble()
        except ArmTwinError as error:
            trouble = str(error)
        if trouble:
            self.reference.q, self.reference.qd, self.reference.qdd = before
            if self.modes.safety == SafetyMode.PROTECTIVE_STOP:
                self.reference.rest()
                self._move = None
            self.protective_stop(trouble)

    def _end_move(self) -> None:
        """End a move: an arm that still has speed, as after a timed speedj, brakes."""
        if np.abs(self.reference.qd).max() > NO_SPEED:
            self._move = Brake(PROGRAM_STOP)
        else:
            self.reference.rest()
            self._move = None

    def _trouble(self) -> str:
        """Return what forbids the reference, or nothing."""
        q, qd, arm = self.reference.q, self.reference.qd, self.arm
        if not np.isfinite(q).all() or not np.isfinite(qd).all():
            return "the commanded position is not a number"
        beyond = np.flatnonzero((q < arm.lower - 1e-9) | (q > arm.upper + 1e-9))
        if beyond.size:
            return f"joint {beyond[0] + 1} at its limit, {q[beyond[0]]:.3f} rad"
        fast = np.flatnonzero(np.abs(qd) > 1.05 * self.top)
        if fast.size:
            return f"joint {fast[0] + 1} too fast, {qd[fast[0]]:.2f} rad/s"
        return ""
