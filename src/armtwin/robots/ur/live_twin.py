"""The live twin: the model's expectation for every sample of a running robot."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from armtwin.compile.kernel import Kernel, kernel
from armtwin.detection.detector import Detector
from armtwin.detection.detector_calibration import DetectorCalibration
from armtwin.detection.observers.momentum import MomentumObserver
from armtwin.dynamics.rigid_body import inverse_dynamics
from armtwin.equations.drives import drive as drive_equations
from armtwin.equations.equation import Build
from armtwin.equations.kinematics import tcp as tcp_equations
from armtwin.errors import MissingDataError
from armtwin.model.arm import Arm
from armtwin.model.drive import torque_per_ampere
from armtwin.robots.sample import Sample
from armtwin.robots.ur.monitor import Monitor
from armtwin.robots.ur.payload import Payload
from armtwin.robots.ur.protocol.recipe import Rows
from armtwin.robots.ur.tcp import Tcp, pose_from_vector
from armtwin.spatial import Array

FIELDS = (
    "timestamp", "actual_q", "actual_qd", "target_qdd", "target_moment", "actual_current",
    "actual_TCP_pose", "actual_robot_voltage", "actual_robot_current", "joint_temperatures",
    "robot_mode", "safety_mode", "runtime_state",
)  # fmt: skip
"""RTDE fields that the twin reads."""
OPTIONAL = ("tcp_offset", "payload", "payload_cog", "actual_current_as_torque")
RESTING = 0.01
"""Below this speed the sign of dry friction is unknown, and none is expected [rad/s]."""
LONGEST_STEP = 0.1
"""The observer restarts after a longer time between samples [s]."""


class Twin:
    """Runs an arm's model beside the robot, sample by sample.

    Args:
        arm: the model, with six joints.
        monitor: checks every sample.
        calibration: of a detector, from a recording of this robot without contact; without it,
            contacts are external torques above a share of the joints' largest.

    Attributes:
        torque_source: source of the measured torque: ``actual_current_as_torque``,
            ``actual_current`` by the arm file's constants, or ``target_moment``, the
            controller's own expectation, with which no contact can be detected.
        energy: from the supply so far [J].
        expected_energy: of the motors by the model so far [J]; NaN without drive parameters.
        recent: the newest samples.
        on_sample: called with every sample, where set.
    """

    def __init__(
        self, arm: Arm, monitor: Monitor, calibration: DetectorCalibration | None = None
    ) -> None:
        self.arm, self.monitor, self.torque_source = arm, monitor, ""
        self.calibrate(calibration, None if calibration is None else calibration.detector())
        self.tcp, self._payload = Tcp(arm), Payload(arm)
        self._error = kernel(arm, tcp_equations.error)
        self._friction, self._power = (
            _if_known(arm, drive_equations.friction),
            _if_known(arm, drive_equations.power),
        )
        self._observer = self._new_observer()
        self._nothing = np.full(arm.dof, np.nan)
        self.energy = self.expected_energy = 0.0
        self.recent: deque[Sample] = deque(maxlen=500)
        self.on_sample: Callable[[Sample], None] | None = None
        self._last: float | None = None
        self._carried: tuple[float, ...] = ()

    def calibrate(self, calibration: DetectorCalibration | None, detector: Detector | None) -> None:
        """Use another detector from the next sample on.

        Args:
            calibration: what was learned for the robot; None for fixed thresholds.
            detector: a new one of that calibration, which may be made in another thread.
        """
        learned = None if calibration is None else calibration.model.per_ampere
        amperes = torque_per_ampere(self.arm) if learned is None else learned
        self._per_ampere = amperes if np.isfinite(amperes).all() else None
        self.detector = detector

    def _new_observer(self) -> MomentumObserver | None:
        try:
            return MomentumObserver(self.arm)
        except MissingDataError:
            return None

    def add(self, rows: Rows) -> None:
        """Process samples in order."""
        for row in rows:
            self._take(row)

    def _take(self, row: np.void) -> None:
        names = row.dtype.names or ()
        time, q, qd = float(row["timestamp"]), _six(row, "actual_q"), _six(row, "actual_qd")
        if not (np.isfinite(q).all() and np.isfinite(qd).all() and np.abs(q).max() < 1e3):
            self.monitor.count_invalid(time)
            return
        self._set_tool(row, names)
        step = 0.0 if self._last is None else time - self._last
        self._last = time
        gap = not 0 < step <= LONGEST_STEP
        load, expected = self._expected(q, qd, _six(row, "target_qdd"))
        tau = self._measured(row, names)
        residual = self._external(q, qd, tau, _six(row, "target_qdd"), 0.0 if gap else step)
        reading = None
        if self.detector is not None:
            reading = self.detector.step(time, q, qd, tau)
            residual = self.detector.estimate.copy()
        power = float(row["actual_robot_voltage"]) * float(row["actual_robot_current"])
        motors = self._motors(qd, load)
        if not gap:
            self.energy += power * step
            self.expected_energy += motors * step
        sample = Sample(
            time, q, qd, tau, expected, _six(row, "actual_current"), self._current(expected),
            residual, _six(row, "joint_temperatures"), self._pose_error(q, row), power, motors,
            int(row["robot_mode"]), int(row["safety_mode"]), reading,
        )  # fmt: skip
        self.recent.append(sample)
        self.monitor.look(sample)
        if self.on_sample is not None:
            self.on_sample(sample)

    def _set_tool(self, row: np.void, names: tuple[str, ...]) -> None:
        """Use the tool centre point and payload that the controller reports."""
        if "tcp_offset" in names:
            offset = _six(row, "tcp_offset")
            if np.isfinite(offset).all() and (offset != self.tcp.vector).any():
                self.tcp.set(offset)
        if "payload" in names and "payload_cog" in names:
            com = row["payload_cog"].astype(float)
            carried = (float(row["payload"]), *com.tolist())
            if carried != self._carried and np.isfinite(carried).all():
                self._carried = carried
                self._payload.set(carried[0], com)

    def _measured(self, row: np.void, names: tuple[str, ...]) -> Array:
        if "actual_current_as_torque" in names:
            self.torque_source = "actual_current_as_torque"
            return _six(row, "actual_current_as_torque")
        if self._per_ampere is not None:
            self.torque_source = "actual_current"
            return _six(row, "actual_current") * self._per_ampere
        self.torque_source = "target_moment"
        return _six(row, "target_moment")

    def _expected(self, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """Return joint torques (6,) without and with friction for a motion [Nm]."""
        if self._observer is None:
            return self._nothing, self._nothing
        load = inverse_dynamics(self.arm, q, qd, qdd, ignore_limits=True)
        carried = self._payload.torque(q, qd, qdd)
        load = load if carried is None else load + carried
        if self._friction is None:
            return load, load
        lost = (self._friction.fast(qd, load) or self._friction(qd, load))[0]
        return load, load + np.where(np.abs(qd) > RESTING, lost, 0.0)

    def _external(self, q: Array, qd: Array, tau: Array, qdd: Array, step: float) -> Array:
        if self._observer is None:
            return self._nothing
        carried = self._payload.torque(q, qd, qdd)
        return self._observer.step(q, qd, tau if carried is None else tau - carried, step)

    def _current(self, tau: Array) -> Array:
        return self._nothing if self._per_ampere is None else tau / self._per_ampere

    def _motors(self, qd: Array, load: Array) -> float:
        if self._power is None or self._observer is None:
            return float("nan")
        return float((self._power.fast(qd, load) or self._power(qd, load))[0].sum())

    def _pose_error(self, q: Array, row: np.void) -> tuple[float, float]:
        vector = _six(row, "actual_TCP_pose")
        if not np.isfinite(vector).all():
            return float("nan"), float("nan")
        goal = pose_from_vector(vector).reshape(16)
        inputs = (q, goal, self.tcp.offset.reshape(16))
        error = (self._error.fast(*inputs) or self._error(*inputs))[0]
        return float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:]))


def _six(row: np.void, name: str) -> Array:
    return np.asarray(row[name], np.float64)


def _if_known(arm: Arm, equation: Build) -> Kernel | None:
    try:
        return kernel(arm, equation)
    except MissingDataError:
        return None
