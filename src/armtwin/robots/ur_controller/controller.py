"""The virtual controller: what happens in every control cycle, and what may interrupt it."""

from __future__ import annotations

from collections import deque

import numpy as np

from armtwin.model.arm import Arm
from armtwin.robots.safety import SafetyLimits
from armtwin.robots.ur.payload import Payload
from armtwin.robots.ur.protocol.codec import Level, TextMessage
from armtwin.robots.ur.protocol.fields import Version
from armtwin.robots.ur.tcp import Tcp
from armtwin.robots.ur_controller.body.collisions import Collisions
from armtwin.robots.ur_controller.body.kinematic import RobotBody
from armtwin.robots.ur_controller.external_push import ExternalPush
from armtwin.robots.ur_controller.motion.execution import MotionExecution
from armtwin.robots.ur_controller.motion.joint_moves import Brake, Move, Reference
from armtwin.robots.ur_controller.pacing import Pace
from armtwin.robots.ur_controller.programs.flight_reports import Journal
from armtwin.robots.ur_controller.programs.player import ControllerProgram, ProgramPlayer
from armtwin.robots.ur_controller.programs.robot_folder import RobotFolder
from armtwin.robots.ur_controller.state.electrics import Electrics, PowerSupply
from armtwin.robots.ur_controller.state.events import Event, Report
from armtwin.robots.ur_controller.state.io import InputsOutputs, Watchdog
from armtwin.robots.ur_controller.state.modes import Modes, RuntimeState, SafetyMode
from armtwin.robots.ur_controller.state.readings import Readings
from armtwin.robots.ur_controller.state.registers import Registers
from armtwin.robots.ur_controller.state.teach_pendant import TeachPendant
from armtwin.robots.ur_controller.state.wrist_sensor import WristSensor
from armtwin.spatial import Array

BOOTED = 40.0
"""Time on the controller's clock when it starts [s]; clients take less for a booting robot."""
HARD_STOP = 15.0
"""Deceleration of a protective stop [rad/s2]."""
PAUSE_RAMP = 0.25
"""Time in which moves stop for a pause, and regain their speed afterwards [s]."""
STEADY_SPEED, STEADY_CYCLES = 5e-3, 50
"""The arm is steady after this many cycles (0.1 s at 500 Hz) below this speed [rad/s]."""
HISTORY = 1000
"""Cycles of joint positions kept for ``get_actual_joint_positions_history``: 2 s at 500 Hz."""
MAX_TEXTS = 500
"""Newest texts, log lines, reports and events until they are sent: bounds memory."""


class VirtualController:
    """A UR controller's behaviour without its network.

    Args:
        arm: the arm.
        body: what moves.
        version: what the controller claims to be.
        dt: length of a control cycle [s].
        supply: its electric side.
        limits: of commanded motions.
        unlock_after: rest after a protective stop before it can be unlocked [s].

    Attributes:
        registers: all fields of RTDE.
        reference: what the joints shall do now.
        motion: moves the reference.
        programs: plays, pauses and stops programs.
        push: external torques at the joints (dof,) [Nm]; see ``external_push``.
        wrist: the force sensor at the tool.
        pace: control cycles that ran, ran late, and were lost on a busy machine.
        files: the folder of its programs, and of the files that it writes.
        journal: its log; the dashboard's ``saveLog`` writes it.
        texts: messages that are still to be sent, oldest first.
        log: past ones, and messages of clients.
        reports: texts and other events for the primary interface, oldest first.
        events: what happened to programs, oldest first; kept after it was sent.
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
        self.collisions, self.wrist = Collisions(arm, self.payload), WristSensor(self)
        self.reference = Reference.at(body.q)
        self.push, self.external_push = np.zeros(arm.dof), ExternalPush(self)
        self.texts: deque[TextMessage] = deque(maxlen=MAX_TEXTS)
        self.log: deque[TextMessage] = deque(maxlen=MAX_TEXTS)
        self.reports: deque[Report] = deque(maxlen=MAX_TEXTS)
        self.events: deque[Event] = deque(maxlen=MAX_TEXTS)
        self.history: deque[Array] = deque(maxlen=HISTORY)
        self.cycles, self.clock, self.stopped_at, self._still = 0, BOOTED, 0.0, 0
        self._pace = 1.0
        self.motion = MotionExecution(arm, self.top, self.reference)
        self.programs = ProgramPlayer(self)
        self.files, self.journal = RobotFolder(), Journal()
        self.pace = Pace()
        self.panel, self._readings = TeachPendant(self), Readings(self)
        self._readings.write()

    @property
    def idle(self) -> bool:
        """Whether nothing is being done."""
        return self.motion.move is None

    @property
    def move(self) -> Move | None:
        """The current move."""
        return self.motion.move

    def begin(self, move: Move) -> None:
        """Replace the current motion from the next cycle on."""
        self.motion.move = move

    @property
    def program(self) -> ControllerProgram | None:
        """The program that runs or pauses."""
        return self.programs.program

    def play(self, program: ControllerProgram) -> None:
        """Run a program instead of the one that runs."""
        self.programs.play(program)

    @property
    def beside_full(self) -> bool:
        """Whether no further secondary program can run now."""
        return self.programs.beside_full

    def play_beside(self, program: ControllerProgram) -> None:
        """Run a secondary program beside the one that runs."""
        self.programs.play_beside(program)

    def refuse(self, reason: str) -> None:
        """Refuse a program: stop the one that runs and report the reason."""
        self.stop_program()
        self.say(f"script refused: {reason}", Level.EXCEPTION)

    def stop_program(self) -> None:
        """End the program; the arm comes to rest."""
        self.programs.stop()

    def protective_stop(self, reason: str) -> None:
        """Brake hard and stay until unlocked; the program ends."""
        if self.modes.safety == SafetyMode.PROTECTIVE_STOP:
            return
        self.say(f"protective stop: {reason}", Level.ERROR)
        self.stop_program()
        self.begin(Brake(HARD_STOP))
        self.modes.set(safety=SafetyMode.PROTECTIVE_STOP)
        self.stopped_at = self.cycles * self.dt

    def say(self, message: str, level: Level = Level.INFO) -> None:
        """Send a text message to the clients and keep it in the log."""
        self.journal.add(self.clock, level, message)
        self.texts.append(TextMessage(message, "armtwin", level))
        self.reports.append(self.texts[-1])

    def report(self, report: Report) -> None:
        """Report an event to the clients of the primary interface and keep it."""
        self.reports.append(report)
        self.events.append(Event(self.clock, report))

    def set_payload(self, mass: float, com: Array, inertia: Array | None = None) -> None:
        """Carry a load, and know it.

        Args:
            mass: [kg].
            com: its centre of gravity in the flange frame (3,) [m].
            inertia: xx, yy, zz, xy, xz, yz about that centre [kg m2]; None: a point mass.
        """
        if not (np.isfinite([mass, *com]).all() and 0 <= mass <= 100):
            self.say(f"payload refused: {mass} kg at {com}", Level.WARNING)
            return
        self.payload.set(mass, com, inertia)
        self.body.carry(mass, com, inertia)
        self.registers["payload"], self.registers["payload_cog"] = mass, com
        self.registers["payload_inertia"] = 0.0 if inertia is None else inertia

    def tilt(self, gravity: Array) -> None:
        """Stand so that free fall has the acceleration ``gravity`` (3,) in base, and know it."""
        self.payload.tilt(gravity)
        self.body.tilt(gravity)

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
        self.programs.step()
        self._advance()
        self.external_push.step()
        self.body.step(self.reference, self.push, self.dt)
        if self.collisions.step(self.body, self.reference.qdd, self.dt) and self.modes.may_move:
            joint = self.collisions.joint
            torque = self.collisions.residual[joint]
            self.protective_stop(f"collision, {torque:.1f} Nm at joint {joint + 1}")
        self.electrics.step(self.body, self.dt)
        self.history.append(self.body.q)
        moving = self.reference.qd.any() or np.abs(self.body.qd).max() > STEADY_SPEED
        self._still = 0 if moving else self._still + 1
        self._readings.write()

    def _advance(self) -> None:
        """Move the reference on; what cannot or may not be done ends in a protective stop."""
        paused = self.modes.runtime == RuntimeState.PAUSED
        step = self.dt / PAUSE_RAMP
        self._pace = max(0.0, self._pace - step) if paused else min(1.0, self._pace + step)
        trouble = self.motion.advance(self.dt, self.io.scale(self.dt) * self._pace)
        if trouble:
            if self.modes.safety == SafetyMode.PROTECTIVE_STOP:
                self.motion.halt()
            self.protective_stop(trouble)
