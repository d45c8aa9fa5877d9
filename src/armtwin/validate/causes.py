"""What a pose error comes from: each possible cause, and how much of the error it explains.

A cause is a small change of the twin (a joint's zero, the base, the tool, a lag) or a mistake in
the data (a joint turning the other way, degrees for radians, another arm). The share of the
squared error that it removes is what it explains.
"""

from __future__ import annotations

import numpy as np

from armtwin.model.arm import Arm
from armtwin.validate.cause import Cause
from armtwin.validate.lag import Lag
from armtwin.validate.pose_errors import PoseErrors
from armtwin.validate.poses import RecordedPoses

MOST_ROWS = 400
EXPLAINS = 0.5
PER_PARAMETER = 0.01
"""Share that every further free number of a cause must explain to be worth it."""


def find_causes(
    arm: Arm, poses: RecordedPoses, lag: Lag | None, fitted: tuple[str, ...] = ()
) -> list[Cause]:
    """Return the causes that explain at least half of the pose error, best first.

    Args:
        arm: the twin.
        poses: what was recorded.
        lag: of the recorded pose.
        fitted: frames ("base", "tool") that were fitted, and so hide a part of other causes: they
            are let move along.
    """
    errors = PoseErrors(arm, _thinned(poses), fitted)
    if errors.total <= 0:
        return []
    found = [*errors.joint_offsets(), *errors.frames(), *errors.mistakes()]
    if lag is not None and lag.is_significant:
        when = "later" if lag.samples > 0 else "earlier"
        text = (
            f"the recorded pose is {abs(lag.samples):.3g} samples "
            f"({abs(lag.seconds) * 1e3:.3g} ms) {when} than the recorded joints"
        )
        found.append(Cause("lag", text, lag.removed, 1, value=lag.seconds))
    good = [cause for cause in found if cause.removed >= EXPLAINS]
    return sorted(good, key=lambda cause: -(cause.removed - PER_PARAMETER * cause.numbers))


def _thinned(poses: RecordedPoses) -> RecordedPoses:
    count = poses.rows.size
    kept = np.linspace(0, count - 1, min(count, MOST_ROWS)).astype(int)
    parts = (poses.position, poses.quaternion, poses.rpy)
    return RecordedPoses(
        poses.rows[kept], poses.q[kept], *[None if x is None else x[kept] for x in parts]
    )
