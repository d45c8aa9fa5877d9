"""A robot's sample with its twin's expectation."""

from __future__ import annotations

from dataclasses import dataclass

from armtwin.detection.detector import Reading
from armtwin.spatial import Array


@dataclass(eq=False)
class Sample:
    """One sample with the twin's expectation.

    Attributes:
        time: on the robot's clock [s].
        q: measured joints (6,) [rad].
        qd: their speeds (6,) [rad/s].
        tau: measured torques at the joints (6,) [Nm].
        expected_tau: by the model for this motion (6,) [Nm]; NaN without masses.
        current: measured (6,) [A].
        expected_current: (6,) [A]; NaN where the arm file has no torque constants.
        residual: external torque estimate (6,) [Nm].
        temperature: of the joints (6,) [degC].
        pose_error: between model and robot: distance [m] and angle [rad].
        power: of the robot's supply [W].
        expected_power: of the motors by the model [W]; NaN without drives.
        robot_mode: RTDE's number.
        safety_mode: RTDE's number.
        reading: of a calibrated detector; None without one.
    """

    time: float
    q: Array
    qd: Array
    tau: Array
    expected_tau: Array
    current: Array
    expected_current: Array
    residual: Array
    temperature: Array
    pose_error: tuple[float, float]
    power: float
    expected_power: float
    robot_mode: int
    safety_mode: int
    reading: Reading | None = None
