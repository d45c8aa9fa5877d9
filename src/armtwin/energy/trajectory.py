"""Joint motion over time, from a plan or from a recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import InputError, MissingColumnError
from armtwin.kinematics.joints import as_joints, as_vectors
from armtwin.model.arm import Arm
from armtwin.motion.motion import Motion
from armtwin.recording.preparation.resample import resample
from armtwin.recording.recording import Recording
from armtwin.recording.same_arm import refuse_other_arm
from armtwin.spatial import Array

if TYPE_CHECKING:
    from collections.abc import Iterator

UNEVEN = 0.02
"""Steps that differ by more than this part of the median are resampled to even ones."""
FEWEST = 5
"""Rows of a trajectory: the differentiator of fourth order takes five."""


@dataclass(frozen=True, eq=False)
class JointTrajectory:
    """Positions, speeds and accelerations (n, dof) at times (n,), with what was measured.

    Attributes:
        time: (n,) [s].
        q: [rad | m].
        qd: [rad/s | m/s].
        qdd: [rad/s2 | m/s2].
        current: measured motor currents (n, dof) [A]; None where there are none.
        supply: measured power of the whole robot (n,) [W]; None where there is none.
        name: where it comes from.
        notes: what was done to get there.
    """

    time: Array
    q: Array
    qd: Array
    qdd: Array
    current: Array | None = None
    supply: Array | None = None
    name: str = ""
    notes: tuple[str, ...] = ()


def trajectory_of(arm: Arm, source: Motion | Recording) -> JointTrajectory:
    """Return the trajectory of a plan, or of a recording whose missing rates are differentiated.

    Raises:
        InputError: another arm or number of joints than the arm's, NaN, too few rows.
        MissingColumnError: a recording without joint positions.
    """
    if isinstance(source, Motion):
        as_joints(arm, source.q, ignore_limits=True)
        return JointTrajectory(source.time, source.q, source.qd, source.qdd, name=source.name)
    if not isinstance(source, Recording):
        raise InputError(f"energy needs a Motion or a Recording, got {type(source).__name__}")
    refuse_other_arm(arm, source)
    return _recorded(arm, source)


def _recorded(arm: Arm, recording: Recording) -> JointTrajectory:
    what = recording.origin or "recording"
    prefix = "" if recording.has("q") else "target_"
    if not recording.has(prefix + "q"):
        raise MissingColumnError(
            f"{what}: energy needs joint positions q1..q{arm.dof} (or target_q1..); "
            f"it has {', '.join(recording.columns[:12])}"
        )
    wanted = [g for g in _groups(prefix) if recording.has(g)]
    notes = [] if not prefix else ["positions are the commanded ones (no measured q)"]
    even, note = _even(recording.select(*wanted))
    notes += note
    as_joints(arm, even.group(prefix + "q"), ignore_limits=True)
    _refuse_short(even.time, what)
    motion = even.motion(prefix)
    q = as_joints(arm, motion.q, ignore_limits=True)
    qd = as_vectors(motion.qd, arm.dof, f"{what}: qd")
    qdd = as_vectors(motion.qdd, arm.dof, f"{what}: qdd")
    current = None
    if even.has("current"):
        current = as_vectors(even.current, arm.dof, f"{what}: current")
    supply = even["power"] if even.has("power") else None
    notes += motion.notes
    return JointTrajectory(even.time, q, qd, qdd, current, supply, what, tuple(notes))


def _groups(prefix: str) -> Iterator[str]:
    yield from (prefix + "q", prefix + "qd", prefix + "qdd", "current", "power")


def _even(recording: Recording) -> tuple[Recording, list[str]]:
    steps = np.diff(recording.require_clock())
    if steps.size == 0 or np.abs(steps - np.median(steps)).max() <= UNEVEN * np.median(steps):
        return recording, []
    rate = recording.rate
    return resample(recording, rate), [f"uneven steps resampled at {rate:.6g} Hz"]


def _refuse_short(time: Array, what: str) -> None:
    if len(time) < FEWEST:
        raise InputError(
            f"{what}: {len(time)} rows are too few to compute the energy; give {FEWEST} or more"
        )
