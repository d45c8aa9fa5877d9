"""Signals of a recording that an observer needs: joint states and torques over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armtwin.errors import InputError, MissingColumnError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.drive import torque_per_ampere
from armtwin.recording.read import RecordingLike, as_recording
from armtwin.recording.recording import Recording
from armtwin.recording.same_arm import refuse_other_arm
from armtwin.spatial import Array

TARGET_STILL = 1e-5
"""Target speed below which a joint is to stand [rad/s]."""


@dataclass(frozen=True, eq=False)
class DetectionSignals:
    """Joint states over time; torque or motor current, whichever was measured.

    Attributes:
        time: (n,) [s].
        q: (n, dof) [rad | m].
        qd: (n, dof) [rad/s | m/s].
        tau: torques at the joints (n, dof) [Nm | N], where measured.
        current: motor currents (n, dof) [A], where measured.
        notes: what was done to get them.
        target_still: whether the controller's target stands (n,), where targets were recorded.
    """

    time: Array
    q: Array
    qd: Array
    tau: Array | None
    current: Array | None
    notes: tuple[str, ...] = ()
    target_still: NDArray[np.bool_] | None = None

    def target_still_at(self, row: int) -> bool | None:
        """Return whether the controller's target is constant at a sample; None where unknown."""
        return None if self.target_still is None else bool(self.target_still[row])

    @property
    def step(self) -> float:
        """Usual time between samples [s]."""
        return float(np.median(np.diff(self.time)))

    def torque(self, per_ampere: Array | None) -> Array:
        """Return the torques, from the currents where they were not measured themselves."""
        if self.tau is not None:
            return self.tau
        if self.current is None or per_ampere is None:
            raise MissingColumnError(
                "the recording has motor currents but no torques, and the arm file has no torque "
                "constants; give a clean recording, from which they can be learned"
            )
        return np.asarray(self.current * per_ampere)


def detection_signals(arm: ArmLike, recording: RecordingLike) -> DetectionSignals:
    """Return the signals of a recording that an observer needs.

    Args:
        arm: the arm, its catalogue name or its file.
        recording: joint positions, and torques or motor currents; or its file.

    Raises:
        MissingColumnError: no joint positions, or neither torques nor motor currents.
        InputError: another arm or number of joints than the arm's, or fewer than three samples.
    """
    arm = as_arm(arm)
    recording = as_recording(recording, arm)
    refuse_other_arm(arm, recording)
    time, notes = recording.require_clock(), []
    if len(recording) < 3:
        raise InputError(f"observing takes three samples or more, got {len(recording)}")
    q = _joints(arm, recording, "q")
    if recording.has("qd"):
        qd = _joints(arm, recording, "qd")
    else:
        motion = recording.motion()
        qd = np.ascontiguousarray(motion.qd)
        notes += [f"no joint speeds in the recording: {note}" for note in motion.notes]
    tau = _joints(arm, recording, "tau") if recording.has("tau") else None
    current = _joints(arm, recording, "current") if recording.has("current") else None
    if tau is None and current is None:
        raise MissingColumnError(
            f"{recording.origin or 'the recording'}: neither joint torques (tau1...) nor motor "
            f"currents (current1...); without one of them no contact can be detected. It has "
            f"{', '.join(recording.columns[:8])}, ..."
        )
    return DetectionSignals(time, q, qd, tau, current, tuple(notes), _target_still(recording))


def _target_still(recording: Recording) -> NDArray[np.bool_] | None:
    """Return where the recorded target speeds are zero (n,); None where there are none."""
    if not recording.has("target_qd"):
        return None
    speeds = np.abs(recording.group("target_qd"))
    if not np.isfinite(speeds).all():
        return None
    return np.asarray(speeds.max(axis=1) < TARGET_STILL)


def _joints(arm: Arm, recording: Recording, group: str) -> Array:
    values = np.ascontiguousarray(recording.group(group))
    if values.shape[1] != arm.dof:
        raise InputError(
            f"{group} has {values.shape[1]} joints in the recording, arm {arm.name!r} has {arm.dof}"
        )
    return values


def own_constants(arm: Arm) -> Array | None:
    """Return the arm file's torque per ampere at each joint, ``gear k_t``; None where unknown."""
    constants = torque_per_ampere(arm)
    return constants if np.isfinite(constants).all() else None
