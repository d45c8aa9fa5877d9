"""A controller for tests: an arm that moves by simple rules, with a simulated clock."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from armtwin.dynamics.rigid_body import coriolis, mass_matrix
from armtwin.kinematics.forward import fk, jacobian
from armtwin.kinematics.inverse.ik import ik
from armtwin.model.arm import Arm
from armtwin.robots.ur_controller.script import commands as c
from armtwin.robots.ur_controller.script import motions as m
from armtwin.robots.ur_controller.script.errors import ScriptError
from armtwin.robots.ur_controller.script.host import Quantity, ScriptHost, Token
from armtwin.robots.ur_controller.script.program import ScriptRun
from armtwin.robots.ur_controller.script.runtime.tcp_sockets import SocketPort
from armtwin.robots.ur_controller.script.runtime.values import Pose
from armtwin.spatial import inverse

START = (0.0, -1.57, 1.57, -1.57, -1.57, 0.0)  # [rad]: elbow and wrist at right angles


class FakeHost(ScriptHost):
    """A controller without physics: motions take distance over speed, forces are set by tests.

    Attributes:
        fields: RTDE fields by name.
        started: motions in the order of their start.
        done: commands in the order of their arrival.
        messages: text messages.
        popups: popups shown.
        contact: what ``tool_contact`` returns.
        cancelled: tokens of motions that were given up.
    """

    def __init__(self, arm: Arm | None = None, dt: float = 0.002) -> None:
        self._arm, self._dt, self._now = arm, dt, 40.0
        self.started: list[m.MotionCommand] = []
        self.done: list[c.Command] = []
        self.messages: list[str] = []
        self.popups: list[c.Popup] = []
        self.open_popups: set[int] = set()
        self.cancelled: list[int] = []
        self.contact, self._history = 0, [START]
        self._ends: dict[int, float] = {}
        zero = (0.0,) * 6
        self.fields: dict[str, Any] = {
            "actual_q": START, "target_q": START, "actual_qd": zero, "target_qd": zero,
            "target_qdd": zero, "joint_torques": zero, "actual_TCP_force": zero,
            "actual_TCP_speed": zero, "target_TCP_speed": zero, "tcp_offset": zero,
            "payload": 0.0, "payload_cog": zero[:3], "payload_inertia": zero, "steady": True,
            "actual_digital_input_bits": 0, "actual_digital_output_bits": 0, "flags": 0,
            "freedrive_status": 0, "target_gravity": (0.0, 0.0, 9.82),
            "joint_temperatures": (30.0,) * 6,
        }  # fmt: skip

    @property
    def dt(self) -> float:
        """Duration of a control cycle [s]."""
        return self._dt

    @property
    def arm(self) -> Arm:
        """The arm for kinematics; raises ScriptError if there is none."""
        if self._arm is None:
            raise ScriptError("this fake controller has no arm")
        return self._arm

    def time(self) -> float:
        """Return the controller's time [s]."""
        return self._now

    def advance(self) -> None:
        """Let a control cycle pass."""
        self._now += self._dt
        self._history.append(self.fields["actual_q"])

    def start(self, motion: m.MotionCommand) -> Token:
        """Begin a motion: its end is known at once."""
        self.started.append(motion)
        token = len(self.started)
        self._ends[token] = self._now + self._seconds(motion) - self._dt / 2
        return token

    def _seconds(self, motion: m.MotionCommand) -> float:
        if isinstance(
            motion, m.JointMoveCommand | m.ToolMoveCommand | m.MoveProcess | m.MoveCircle
        ):
            return self._move(motion)
        if isinstance(motion, m.ServoJoints):
            self._place(motion.joints)
            return max(motion.seconds, self._dt)
        if isinstance(motion, m.JointSpeedCommand | m.ToolSpeedCommand):
            seconds = max(motion.seconds or 0.0, self._dt)
            if isinstance(motion, m.JointSpeedCommand):
                pairs = zip(self.q, motion.speeds, strict=True)
                self._place(tuple(q + qd * seconds for q, qd in pairs))
            return seconds
        return self._dt

    def _move(self, motion: Any) -> float:
        goal = motion.target.values
        if motion.target.is_pose:
            goal = self.inverse(goal, motion.target.near, None) if self._arm else self.q
        distance = max(abs(a - b) for a, b in zip(goal, self.q, strict=True))
        self._place(goal)
        seconds = getattr(motion, "seconds", 0.0)
        return seconds if seconds > 0 else distance / motion.speed

    def _place(self, q: tuple[float, ...]) -> None:
        self.fields["actual_q"] = self.fields["target_q"] = tuple(q)

    @property
    def q(self) -> tuple[float, ...]:
        """Joint positions [rad]."""
        return tuple(self.fields["actual_q"])

    def finished(self, token: Token) -> bool:
        """Return whether a motion's time is over, or a popup closed."""
        if isinstance(token, str):
            return int(token) not in self.open_popups
        return self._now >= self._ends[token]

    def cancel(self, token: Token) -> None:
        """Record that a motion was cancelled."""
        self.cancelled.append(token)

    def do(self, command: c.Command) -> None:
        """Note a command; those with a visible field set it."""
        self.done.append(command)
        if isinstance(command, c.SetTcp):
            self.fields["tcp_offset"] = command.pose
        elif isinstance(command, c.SetPayload):
            self.fields["payload"] = command.mass
            self.fields["payload_cog"] = command.cog or self.fields["payload_cog"]
        elif isinstance(command, c.SetDigitalOutput):
            first = {"standard": 0, "configurable": 8, "tool": 16}[command.bank]
            self._set_bit("actual_digital_output_bits", first + command.number, command.on)
        elif isinstance(command, c.SetFlag):
            self._set_bit("flags", command.number, command.on)

    def _set_bit(self, field: str, bit: int, on: bool) -> None:
        word = self.fields[field]
        self.fields[field] = word | 1 << bit if on else word & ~(1 << bit)

    def read(self, field: str) -> Any:
        """Return a field; registers and inputs that were not set are 0."""
        if field in ("actual_TCP_pose", "target_TCP_pose", "target_waypoint"):
            return self.forward(self.q, None)
        if field == "flange_pose":
            return self.forward(self.q, (0.0,) * 6)
        return self.fields.get(field, 0)

    def write(self, field: str, value: Any) -> None:
        """Set a register."""
        self.fields[field] = value

    def _tool(self, tcp: m.Six | None) -> Any:
        return Pose(self.fields["tcp_offset"] if tcp is None else tcp).matrix()

    def forward(self, q: m.Six, tcp: m.Six | None) -> m.Six:
        """Return the tool's pose."""
        return Pose.from_matrix(fk(self.arm, q, ignore_limits=True) @ self._tool(tcp)).items

    def inverse(self, pose: m.Six, near: m.Six | None, tcp: m.Six | None) -> m.Six:
        """Return the joint positions of a pose."""
        T = Pose(pose).matrix() @ inverse(self._tool(tcp))
        return tuple(ik(self.arm, T, seed=self.q if near is None else near).q[0].tolist())

    def within_limits(self, values: m.Six, is_pose: bool) -> bool:
        """Return whether all joints are within a turn either way."""
        return is_pose or all(abs(value) <= 2 * math.pi for value in values)

    def dynamics(self, quantity: Quantity, q: m.Six | None, qd: m.Six | None) -> Any:
        """Return a matrix or vector of the arm."""
        here = np.array(self.q if q is None else q)
        rates = np.array(self.fields["actual_qd"] if qd is None else qd)
        if quantity == "mass_matrix":
            return mass_matrix(self.arm, here).tolist()
        if quantity == "coriolis":
            return (coriolis(self.arm, here, rates) @ rates).tolist()
        if quantity == "jacobian":
            return jacobian(self.arm, here).tolist()
        raise ScriptError(f"{quantity} is not available on the fake controller")

    def contact_steps(self, direction: m.Six) -> int:
        """Return what a test has set."""
        return self.contact

    def joint_history(self, steps: int) -> m.Six:
        """Return joint positions some cycles ago."""
        return self._history[max(len(self._history) - 1 - steps, 0)]

    def log(self, text: str) -> None:
        """Keep a text message."""
        self.messages.append(text)

    def popup(self, popup: c.Popup) -> Token:
        """Keep a popup; a blocking one stays open until ``open_popups`` is cleared."""
        self.popups.append(popup)
        if popup.blocking:
            self.open_popups.add(len(self.popups))
        return str(len(self.popups))


class FakeSockets(SocketPort):
    """Sockets that tests fill: ``incoming`` per name, ``sent`` per name.

    Attributes:
        accepts: names of sockets that can be opened.
        incoming: bytes that a program will read.
        sent: bytes that a program has sent.
        opened: names, addresses and ports in the order of opening.
    """

    def __init__(self, *accepts: str) -> None:
        self.accepts = set(accepts)
        self.incoming = {name: bytearray() for name in accepts}
        self.sent = {name: bytearray() for name in accepts}
        self.opened: list[tuple[str, str, int]] = []
        self._open: set[str] = set()

    def open(self, name: str, address: str, port: int) -> str:
        """Note a connection; ``connected`` returns whether its name is accepted."""
        self.opened.append((name, address, port))
        return ""

    def connected(self, name: str) -> bool | None:
        """Return whether the name is accepted."""
        if name in self.accepts:
            self._open.add(name)
        return name in self.accepts

    def send(self, name: str, data: bytes) -> bool:
        """Keep what is sent."""
        if name in self._open:
            self.sent[name] += data
        return name in self._open

    def received(self, name: str) -> bytearray | None:
        """Return what a test has put in."""
        return self.incoming[name] if name in self._open else None

    def close(self, name: str) -> None:
        """Close a connection."""
        self._open.discard(name)

    def close_all(self) -> None:
        """Close all connections."""
        self._open.clear()


def run_cycles(run: ScriptRun, host: FakeHost, cycles: int) -> int:
    """Step a run until it ends, at most some cycles; return the cycles it took.

    Args:
        run: the run.
        host: whose clock goes on.
        cycles: most cycles.
    """
    for cycle in range(cycles):
        run.step()
        if not run.running:
            return cycle
        host.advance()
    return cycles
