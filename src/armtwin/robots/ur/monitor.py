"""Checks of a live twin: alarms during the run, a verdict at its end."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from armtwin.detection.alarms import TOGETHER, Alarm
from armtwin.detection.detector import FixedThresholdDetector, Reading
from armtwin.model.arm import Arm
from armtwin.model.drive import typical_efforts
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.robots.sample import Sample
    from armtwin.robots.ur.statistics import Statistics

NORMAL_SAFETY = (1, 2)
"""Safety modes of RTDE in which the arm may move: normal and reduced."""
SAFETY_NAMES = {
    3: "protective stop", 4: "recovery", 5: "safeguard stop", 6: "system emergency stop",
    7: "robot emergency stop", 8: "violation", 9: "fault",
}  # fmt: skip
MAX_ALARMS = 1000
"""Newest alarms that are kept: bounds memory in runs of days."""


@dataclass(frozen=True)
class Tolerances:
    """Tolerances of the checks.

    Attributes:
        position: between the model's tool and the robot's own [m].
        angle: likewise [rad].
        torque: RMS between expected and measured torque, as a share of a joint's largest.
        contact: external torque that is a contact, as a share of a joint's largest.
        temperature: of a joint [degC].
        share: of the samples due by the wall clock that have to arrive.
    """

    position: float = 5e-3
    angle: float = 0.02
    torque: float = 0.1
    contact: float = 0.12
    temperature: float = 75.0
    share: float = 0.998


def contact_torques(arm: Arm, share: float = Tolerances.contact) -> Array:
    """Return the external torques (dof,) [Nm | N] that are a contact, a share of the largest."""
    return np.asarray(share * typical_efforts(arm))


@dataclass(frozen=True)
class MonitorCheck:
    """One check of the verdict."""

    name: str
    passed: bool
    text: str


class Monitor:
    """Checks every sample, in constant memory.

    Attributes:
        alarms: the latest thousand, with times on the robot's clock.
        samples: number of samples checked.
        contact_torques: thresholds of a contact (dof,) [Nm] without a calibrated detector.
    """

    def __init__(self, arm: Arm, tolerances: Tolerances | None = None) -> None:
        self.tolerances = tolerances or Tolerances()
        self.efforts = typical_efforts(arm)
        self.contact_torques = contact_torques(arm, self.tolerances.contact)
        self.alarms: deque[Alarm] = deque(maxlen=MAX_ALARMS)
        self.samples = self.contacts = self.stops = self.nonsense_samples = 0
        self.pose_error = np.zeros(2)
        self._square, self._torques = np.zeros(arm.dof), 0
        self._safety, self._hot = 1, np.zeros(arm.dof, bool)
        self._detector = FixedThresholdDetector(self.contact_torques, self.efforts)
        self._contact_alarm, self._contact_until, self._time = -np.inf, -np.inf, -np.inf
        self._pose_reported = False

    @property
    def in_contact(self) -> bool:
        """Whether there is a contact, or was within ``TOGETHER``: contacts so close are one."""
        return self._time <= self._contact_until

    def count_invalid(self, time: float) -> None:
        """Count a sample whose joint positions are not finite."""
        self.nonsense_samples += 1
        if self.nonsense_samples == 1:
            self._report(time, "nonsense", "the robot sent joint positions that are not numbers")

    def look(self, sample: Sample) -> None:
        """Check a sample."""
        self.samples += 1
        self._check_pose(sample)
        self._check_safety(sample)
        if np.isfinite(sample.expected_tau).all():
            self._square += (sample.tau - sample.expected_tau) ** 2
            self._torques += 1
        self._check_contact(
            sample.time, sample.reading or self._detector.step(sample.time, sample.residual)
        )
        hot = sample.temperature > self.tolerances.temperature
        for joint in np.flatnonzero(hot & ~self._hot):
            warmth = sample.temperature[joint]
            self._report(sample.time, "warm", f"joint {joint + 1} has {warmth:.0f} degC")
        self._hot = hot

    def _check_pose(self, sample: Sample) -> None:
        error = np.array(sample.pose_error)
        self.pose_error = np.fmax(self.pose_error, error)
        limits = (self.tolerances.position, self.tolerances.angle)
        if (error > limits).any() and not self._pose_reported:
            self._pose_reported = True
            self._report(
                sample.time, "pose",
                f"the model's tool is {1e3 * error[0]:.1f} mm and {np.rad2deg(error[1]):.2f} deg "
                "from the robot's: another arm, tool or calibration?",
            )  # fmt: skip

    def _check_safety(self, sample: Sample) -> None:
        if sample.safety_mode == self._safety:
            return
        self._safety = sample.safety_mode
        if sample.safety_mode not in NORMAL_SAFETY:
            self.stops += 1
            name = SAFETY_NAMES.get(sample.safety_mode, f"safety mode {sample.safety_mode}")
            self._report(sample.time, "stop", name)

    def _check_contact(self, time: float, reading: Reading) -> None:
        """Raise an alarm where a detector's contact is a new one."""
        self._time = time
        if not reading.contact:
            return
        self._contact_until = time + TOGETHER
        if reading.since != self._contact_alarm:
            self._contact_alarm = reading.since
            self.contacts += 1
            joint = reading.joint
            self.alarms.append(Alarm(time, joint, reading.torque, time, joint, ()))

    def _report(self, time: float, kind: str, text: str) -> None:
        self.alarms.append(Alarm(time, 0, 0.0, time, 0, (), kind=kind, note=text))

    def torque_rms(self) -> Array | None:
        """Return the RMS of measured minus expected torque (dof,) [Nm]; None if never compared."""
        if not self._torques:
            return None
        return np.asarray(np.sqrt(self._square / self._torques))

    def verdict(self, statistics: Statistics) -> list[MonitorCheck]:
        """Return all checks."""
        limits = self.tolerances
        far, turned = self.pose_error
        checks = [
            MonitorCheck("samples", bool(self.samples), f"{self.samples} checked"),
            MonitorCheck("network", statistics.share >= limits.share, _network_text(statistics)),
            MonitorCheck(
                "pose", bool(far <= limits.position and turned <= limits.angle),
                f"model and robot at most {1e3 * far:.3f} mm and {np.rad2deg(turned):.3f} deg "
                "apart",
            ),
            self._torque_check(),
            MonitorCheck("contact", not self.contacts, f"{self.contacts} contacts detected"),
            MonitorCheck("stops", not self.stops, f"{self.stops} safety stops"),
        ]  # fmt: skip
        return checks

    def _torque_check(self) -> MonitorCheck:
        rms = self.torque_rms()
        if rms is None:
            return MonitorCheck("torque", True, "not compared: the arm file has no masses")
        shares = rms / self.efforts
        worst = int(shares.argmax())
        text = f"RMS at most {rms[worst]:.2f} Nm from expected (joint {worst + 1})"
        return MonitorCheck("torque", bool(shares[worst] <= self.tolerances.torque), text)


class RobotAlarms:
    """Copies a monitor's alarms to a robot's, on the robot's clock, and updates the contact.

    Args:
        monitor: which has looked at every sample.
        alarms: the robot's alarms.
    """

    def __init__(self, monitor: Monitor, alarms: deque[Alarm]) -> None:
        self._monitor, self._kept = monitor, alarms
        self._seen: Alarm | None = None
        self._contact: Alarm | None = None

    def update(self, sample: Sample, now: float) -> None:
        """Take over what the monitor has noticed up to a sample, taken at ``now`` [s]."""
        for alarm in self._new():
            time = now - (sample.time - alarm.time)
            self._add(replace(alarm, time=time, end=time, lasting=alarm.kind == "contact"))
        if self._contact is None:
            return
        torque = float(sample.residual[self._contact.joint - 1])
        if abs(torque) > abs(self._contact.torque):
            self._replace(replace(self._contact, torque=torque))
        if not self._monitor.in_contact:
            end = max(self._contact.time, now - TOGETHER)
            self._replace(replace(self._contact, end=end, lasting=False))
            self._contact = None

    def _new(self) -> list[Alarm]:
        """Return the alarms since the last call, oldest first."""
        found: list[Alarm] = []
        for alarm in reversed(self._monitor.alarms):
            if alarm is self._seen:
                break
            found.append(alarm)
        if found:
            self._seen = found[0]
        return found[::-1]

    def _add(self, alarm: Alarm) -> None:
        self._kept.append(alarm)
        if alarm.lasting:
            self._contact = alarm

    def _replace(self, alarm: Alarm) -> None:
        """Replace the contact's alarm, unless it has been dropped from the robot's alarms."""
        for place in range(len(self._kept) - 1, -1, -1):
            if self._kept[place] is self._contact:
                self._kept[place] = alarm
                break
        self._contact = alarm


def _network_text(statistics: Statistics) -> str:
    s = statistics
    text = f"{100 * s.share:.2f} % of the samples due by the wall clock came, {s.missing} missing"
    if s.outage:
        text += f", {s.outage:.1f} s without any"
    return f"{text}, {s.reconnections} reconnections"


def as_plain(alarm: Alarm) -> dict[str, Any]:
    """Return an alarm as plain values."""
    return {"time": alarm.time, "kind": alarm.kind, "text": alarm.text}
