"""Search for the catalogue arm that a recording fits best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.calibration.data.frames import aligned
from armtwin.calibration.data.measurements import PoseMeasurements
from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import arm_names, load
from armtwin.validation.recorded_poses import RecordedPoses

MAX_ROWS = 200
"""Rows that are compared, spread over the recording: all arms of the catalogue are fitted."""
MUCH_BETTER = 0.3
"""Another arm is named where its distance is below this part of the own one."""
NEGLIGIBLE = 1e-4
"""Distances that need no other explanation [m]."""


@dataclass(frozen=True)
class ArmMatch:
    """An arm with the RMS distance [m] of its tool from the recorded one, best base and tool."""

    name: str
    distance: float


def rank_catalogue(arm: Arm, poses: RecordedPoses) -> tuple[ArmMatch, list[ArmMatch]]:
    """Return the fit of an arm and those of the catalogue's arms with as many joints, best first.

    Base and tool are fitted for every arm, so that only the shape of the chain counts.
    """
    measured = as_measured(poses, MAX_ROWS)
    others = [load(name) for name in arm_names()]
    fits = [_fit(other, measured) for other in others if other.dof == arm.dof]
    return _fit(arm, measured), sorted(fits, key=lambda fit: fit.distance)


def better_arm(arm: Arm, poses: RecordedPoses) -> tuple[ArmMatch, ArmMatch] | None:
    """Return the fits of an arm and of one that fits much better, or None where none does."""
    if poses.position is None or poses.rows.size < 10:
        return None
    own, others = rank_catalogue(arm, poses)
    if not others or own.distance < NEGLIGIBLE or others[0].name == arm.name:
        return None
    return (own, others[0]) if others[0].distance < MUCH_BETTER * own.distance else None


def exact_arm(arm: Arm, poses: RecordedPoses) -> tuple[ArmMatch, ArmMatch] | None:
    """Return an arm and one that fits much better with the same base and tool; None without one.

    Where several do, as variants of one robot, it is the one of the shortest name.
    """
    if poses.position is None or poses.rows.size < 10:
        return None
    measured = as_measured(poses, MAX_ROWS)
    own = _as_placed(arm, arm, measured)
    arms = [other for other in map(load, arm_names()) if other.dof == arm.dof]
    fits = [_as_placed(other, arm, measured) for other in arms if other.name != arm.name]
    least = min((fit.distance for fit in fits), default=np.inf)
    if own.distance < NEGLIGIBLE or least >= MUCH_BETTER * own.distance:
        return None
    equal = [fit for fit in fits if fit.distance <= least + NEGLIGIBLE]
    return own, min(equal, key=lambda fit: (len(fit.name), fit.distance))


def _as_placed(arm: Arm, like: Arm, measured: PoseMeasurements) -> ArmMatch:
    """Return the fit of an arm with base and tool of another."""
    placed = arm.with_(base=like.base, tool=like.tool)
    at = fk(placed, measured.q, ignore_limits=True)[:, :3, 3]
    distance = np.linalg.norm(at - measured.position, axis=1)
    return ArmMatch(arm.name, float(np.sqrt((distance**2).mean())))


def as_measured(poses: RecordedPoses, most: int) -> PoseMeasurements:
    """Return recorded poses, evenly thinned, as a calibration takes them."""
    from scipy.spatial.transform import Rotation

    count = poses.rows.size
    kept = np.linspace(0, count - 1, min(count, most)).astype(int)
    rotation = None
    if poses.quaternion is not None:
        rotation = np.asarray(Rotation.from_quat(poses.quaternion[kept]).as_matrix())
    position = np.zeros((kept.size, 3)) if poses.position is None else poses.position[kept]
    return PoseMeasurements(poses.q[kept], position, rotation, np.arange(kept.size))


def _fit(arm: Arm, measured: PoseMeasurements) -> ArmMatch:
    placed = aligned(arm, measured)
    bare = fk(arm.with_(base=np.eye(4), tool=np.eye(4)), measured.q, ignore_limits=True)
    T = np.array(placed.base) @ bare @ np.array(placed.tool)
    distance = np.linalg.norm(T[:, :3, 3] - measured.position, axis=1)
    return ArmMatch(arm.name, float(np.sqrt((distance**2).mean())))
