"""A recording served as a robot: its samples at their times, over the ports of a controller."""

from __future__ import annotations

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.equations.kinematics import tcp as tcp_equations
from armtwin.errors import MissingColumnError
from armtwin.model.arm import Arm
from armtwin.recording.columns.rotation import FORMS
from armtwin.recording.recording import Recording
from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur.protocol.fields import Version
from armtwin.robots.ur_controller.body.kinematic import KinematicBody
from armtwin.robots.ur_controller.controller import VirtualController
from armtwin.robots.ur_controller.programs.player import ControllerProgram
from armtwin.spatial import Array

JOINT_FIELDS = {
    "q": "actual_q", "qd": "actual_qd", "current": "actual_current",
    "tau": "actual_current_as_torque", "target_q": "target_q", "target_qd": "target_qd",
    "target_qdd": "target_qdd", "target_current": "target_current",
    "target_tau": "target_moment", "joint_voltage": "actual_joint_voltage",
    "temperature": "joint_temperatures",
}  # fmt: skip
"""Groups of a recording, and the fields that they are sent as."""
POSE_FIELDS = {"": "actual_TCP_pose", "target_": "target_TCP_pose"}
TOOL_FIELDS = {
    ("velocity", "angular_velocity"): "actual_TCP_speed",
    ("target_velocity", "target_angular_velocity"): "target_TCP_speed",
    ("force", "torque"): "actual_TCP_force",
}
NUMBERS = {"voltage": "actual_robot_voltage", "supply_current": "actual_robot_current"}


class ReplayController(VirtualController):
    """A controller whose arm does what it once did; programs are refused.

    At every cycle the newest row not later than the cycle is sent, unchanged. Where the recording
    has no pose of the tool, the arm's kinematics gives it; other fields that it lacks are zero.

    Args:
        arm: the arm.
        recording: at least its joint positions.
        version: what the controller claims to be.
        dt: length of a control cycle [s].
        again: start again at the end; else the last row is sent on and on.
    """

    def __init__(
        self, arm: Arm, recording: Recording, *, version: Version, dt: float, again: bool = False
    ) -> None:
        time = recording.require_clock()
        q = recording.group("q")
        if q.shape[1] != arm.dof or not np.isfinite(q).all():
            raise MissingColumnError(
                f"a robot of {arm.dof} joints is replayed from q1 to q{arm.dof} without gaps; the "
                f"recording has {q.shape[1]} joints; close gaps with 'armtwin prepare'"
            )
        super().__init__(arm, KinematicBody(arm, q[0].copy()), version=version, dt=dt)
        self.recording, self._again = recording, again
        self._times, self._q = time - time[0], q
        self._fields = list(_fields(recording))
        self._qd = next((v for name, v in self._fields if name == "actual_qd"), np.zeros_like(q))
        self._with_pose = any(name == "actual_TCP_pose" for name, _ in self._fields)
        self.finished = False

    @property
    def served(self) -> str:
        """The fields that the recording gives."""
        return ", ".join(name for name, _ in self._fields)

    def play(self, program: ControllerProgram) -> None:
        """Refuse a program: a recording cannot be commanded."""
        program.stop()
        self.say("this robot is a recording; it runs no programs", Level.ERROR)

    def play_beside(self, program: ControllerProgram) -> None:
        """Refuse a secondary program."""
        self.play(program)

    def cycle(self) -> None:
        """Send the next moment of the recording."""
        self.cycles += 1
        self.clock += self.dt
        now, end = self.cycles * self.dt, float(self._times[-1])
        self.finished = now > end and not self._again
        if self._again and end > 0:
            now %= end
        self.write_row(int(np.searchsorted(self._times, now + 1e-9, "right")) - 1)

    def write_row(self, row: int) -> None:
        """Write one row of the recording into the registers."""
        r = self.registers
        r["timestamp"], r["control_step"] = self.clock, self.cycles
        for name, values in self._fields:
            r[name][: values.shape[1]] = np.nan_to_num(values[row])
        if not self._with_pose:
            state = self.tcp.state(self._q[row].copy(), self._qd[row].copy())
            r["actual_TCP_pose"], r["actual_TCP_speed"] = state.vector, state.twist


def _fields(recording: Recording) -> list[tuple[str, Array]]:
    """Return the fields that a recording has, with their values (n, count)."""
    found = []
    for group, name in JOINT_FIELDS.items():
        if recording.has(group):
            found.append((name, recording.group(group)[:, :6]))
    for prefix, name in POSE_FIELDS.items():
        if recording.has(prefix + "position") and any(recording.has(prefix + f) for f in FORMS):
            T = recording.poses(prefix).reshape(-1, 16)
            found.append((name, kernel(None, tcp_equations.as_vector)(T)[0]))
    for groups, name in TOOL_FIELDS.items():
        if all(recording.has(group) for group in groups):
            found.append((name, np.hstack([recording.group(group) for group in groups])))
    for column, name in NUMBERS.items():
        if recording.has(column):
            found.append((name, recording[column][:, None]))
    return found
