"""Possible causes of a pose error, each with the share of the error that it explains.

A cause is a small change of the twin (a joint's zero, the base, the tool, a lag) or a mistake in
the data (an inverted joint, degrees for radians, another arm). The share explained is the share
of the squared error that the change removes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from armtwin.kinematics.forward import Coordinates, jacobian
from armtwin.model.arm import Arm
from armtwin.spatial import Array
from armtwin.units import factor
from armtwin.validation.lags.signal_lag import Lag
from armtwin.validation.recorded_poses import RecordedPoses, twin_coordinates

UNSEEN = 1e-12
"""Largest RMS displacement of the tool by a joint that is rounding, per unit of the joint and of
the tool's distance: some thousand roundings of a double, below a picometre on a metre."""
LARGEST_STEP = 1.0
"""Most that an offset changes in one round [rad], where its derivative still points the right way;
for a prismatic joint in units of the tool's mean distance from the base."""

SAME_EFFECT = {1: "the base turned about its z axis", -1: "the tool turned about its z axis"}


class PoseErrorVector:
    """Pose errors of some rows as one vector, and the share that changes remove."""

    def __init__(self, arm: Arm, poses: RecordedPoses, fitted: tuple[str, ...]) -> None:
        self.arm, self.poses, self.fitted = arm, poses, fitted
        at = twin_coordinates(arm, poses.q)
        self.lever = 0.5 * float(np.linalg.norm(at.position, axis=1).mean()) or 1.0
        self.e = self.difference(at)
        self.total = float((self.e**2).sum())
        self.position = at.position

    def difference(self, at: Coordinates) -> Array:
        """Return recorded minus twin (n, 3 or 6) [m]; turns are times half the tool's distance."""
        parts = []
        if self.poses.position is not None:
            parts.append(self.poses.position - at.position)
        if self.poses.quaternion is not None:
            parts.append(self.lever * turns(at.quaternion, self.poses.quaternion))
        return np.hstack(parts)

    def columns(self, J: Array) -> Array:
        """Return derivatives (n, 6, k), linear rows first, in the form of ``difference``."""
        parts = []
        if self.poses.position is not None:
            parts.append(J[:, :3])
        if self.poses.quaternion is not None:
            parts.append(self.lever * J[:, 3:])
        return np.concatenate(parts, axis=1)

    def explained(self, columns: Array) -> tuple[Array, float]:
        """Return the best factors of columns (n, m, k), and the share of the error they remove.

        Fitted frames are refitted with them.
        """
        along = [self.frame_columns(name) for name in self.fitted]
        A = np.concatenate([columns, *along], axis=2).reshape(self.e.size, -1)
        x = np.linalg.lstsq(A, self.e.ravel(), rcond=None)[0]
        rest = float(((self.e.ravel() - A @ x) ** 2).sum())
        return x[: columns.shape[2]], 1 - rest / self.total

    def left(self, q: Array) -> float:
        """Return the share of the error that is left with other joints."""
        e = self.difference(twin_coordinates(self.arm, q))
        return float((e**2).sum()) / self.total

    def joint_offsets(self) -> Iterator[Cause]:
        """Yield every joint that moves what was recorded, with the offset that removes most."""
        for i, joint in enumerate(self.arm.driven):
            if not self._is_seen(self._along(i, self.poses.q)):
                continue
            offset, removed = self._offset(i)
            size = f"{np.rad2deg(offset):+.3f} deg"
            if joint.kind == "prismatic":
                size = f"{offset * 1e3:+.3f} mm"
            number = i + 1
            text = f"joint {number} ({joint.name}) is off: the arm stands at q{number} {size}"
            same = SAME_EFFECT.get(1 if i == 0 else -1 if number == self.arm.dof else 0)
            text += f"; {same} looks the same" if same else ""
            yield Cause("joint offset", text, removed, 1, number, offset)

    def _along(self, i: int, q: Array) -> Array:
        """Return derivatives (n, m, 1) of the pose by one joint, in the form of ``difference``."""
        return self.columns(jacobian(self.arm, q, ignore_limits=True)[:, :, [i]])

    def _is_seen(self, column: Array) -> bool:
        """Return whether a joint moves what was recorded (not a position on its own axis)."""
        rms = float(np.sqrt((column**2).sum() / len(column)))
        return rms > UNSEEN * self.lever

    def _offset(self, i: int, rounds: int = 6) -> tuple[float, float]:
        """Return the offset of one joint that fits best, and the share of the error it removes."""
        unit = np.eye(self.arm.dof)[i]
        if self.fitted:
            x, removed = self.explained(self._along(i, self.poses.q))
            return float(x[0]), removed
        slides = self.arm.driven[i].kind == "prismatic"
        most = LARGEST_STEP * (2 * self.lever if slides else 1.0)
        offset = 0.0
        for _ in range(rounds):
            q = self.poses.q + offset * unit
            column = self._along(i, q)
            if not self._is_seen(column):
                break
            a, e = column.ravel(), self.difference(twin_coordinates(self.arm, q)).ravel()
            offset += float(np.clip((a @ e) / (a @ a), -most, most))
        if not slides:
            offset = float(np.remainder(offset + np.pi, 2 * np.pi) - np.pi)
        return offset, 1 - self.left(self.poses.q + offset * unit)

    def frame_columns(self, name: str) -> Array:
        """Return derivatives (n, m, 3 or 6) of the errors by small moves of the base or tool."""
        n = len(self.e)
        if name == "base":
            shift = np.concatenate([np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3, 3))], axis=1)
            turn = np.concatenate([-_crosses(self.position), np.tile(np.eye(3), (n, 1, 1))], axis=1)
            return self.columns(np.concatenate([shift, turn], axis=2))
        R = _matrices(twin_coordinates(self.arm, self.poses.q).quaternion)
        along = np.concatenate([R, np.zeros_like(R)], axis=1)
        about = np.concatenate([np.zeros_like(R), R], axis=1)
        parts = [along] if self.poses.quaternion is None else [along, about]
        return self.columns(np.concatenate(parts, axis=2))

    def frames(self) -> Iterator[Cause]:
        """Yield base and tool, each with a small move, unless they were fitted."""
        texts = {
            "base": "the base is placed elsewhere: fit the base to the recording",
            "tool": "the tool differs from the twin's: fit the tool to the recording",
        }
        for name, text in texts.items():
            if name not in self.fitted:
                columns = self.frame_columns(name)
                yield Cause(name, text, self.explained(columns)[1], columns.shape[2])

    def mistakes(self) -> Iterator[Cause]:
        """Yield inverted joints, and angles in the wrong unit."""
        for i, joint in enumerate(self.arm.driven):
            q = self.poses.q.copy()
            q[:, i] = -q[:, i]
            text = f"joint {i + 1} ({joint.name}) rotates in the opposite direction"
            yield Cause("joint direction", text, 1 - self.left(q), 0, i + 1)
        for size, text in (
            (factor("deg", "rad"), "the joints are in degrees, read as radians"),
            (1 / factor("deg", "rad"), "the joints are in radians, read as degrees"),
        ):
            yield Cause("unit", text, 1 - self.left(self.poses.q * size), 0)


def turns(before: Array, after: Array) -> Array:
    """Return the rotation vectors (n, 3), in base axes, that lead from one orientation to another.

    Quaternions x, y, z, w: the vector of ``after . before^-1``, twice its arc.
    """
    v1, w1, v2, w2 = before[:, :3], before[:, 3:], after[:, :3], after[:, 3:]
    w = w2 * w1 + (v2 * v1).sum(axis=1, keepdims=True)
    v = (w1 * v2 - w2 * v1 - np.cross(v2, v1)) * np.where(w < 0, -1.0, 1.0)
    sine = np.linalg.norm(v, axis=1, keepdims=True)
    angle = 2 * np.arctan2(sine, np.abs(w))
    return np.where(sine > 1e-12, v * angle / np.maximum(sine, 1e-12), 2 * v)


def _crosses(p: Array) -> Array:
    """Return ``[p]x`` of every row (n, 3, 3)."""
    out = np.zeros((len(p), 3, 3))
    out[:, 0, 1], out[:, 0, 2], out[:, 1, 2] = -p[:, 2], p[:, 1], -p[:, 0]
    return out - np.swapaxes(out, 1, 2)


def _matrices(quaternion: Array) -> Array:
    """Return the rotations (n, 3, 3) of unit quaternions: ``1 + 2 w [v]x + 2 [v]x [v]x``."""
    V = _crosses(quaternion[:, :3])
    return np.eye(3) + 2 * quaternion[:, 3, None, None] * V + 2 * V @ V


@dataclass(frozen=True)
class Cause:
    """A possible cause.

    Attributes:
        kind: joint offset, joint direction, base, tool, lag, unit or other arm.
        text: the finding as a sentence.
        removed: share of the squared pose error that it explains, 0 to 1.
        numbers: how many free numbers it has.
        joint: the joint, from 1, where it is about one.
        value: size of the change where it is one number: rad, or s for a lag.
        arm: name of the catalogue's arm that fits, where it is another arm.
    """

    kind: str
    text: str
    removed: float
    numbers: int
    joint: int | None = None
    value: float | None = None
    arm: str | None = None


MAX_ROWS = 400
"""Rows that causes are compared on; more do not change their order."""
EXPLAINS = 0.5
"""Least share of the squared error that a cause must explain."""
PER_PARAMETER = 0.01
"""Share that every further free number of a cause must explain to be worth it."""


def find_causes(
    arm: Arm, poses: RecordedPoses, lag: Lag | None, fitted: tuple[str, ...] = ()
) -> list[Cause]:
    """Return the causes that explain at least half of the pose error, best first.

    Args:
        arm: the twin.
        poses: the recorded poses.
        lag: of the recorded pose.
        fitted: frames ("base", "tool") that were fitted and so hide a part of other causes; they
            are refitted with each cause.
    """
    errors = PoseErrorVector(arm, _thinned(poses), fitted)
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
    return ranked(good)


def ranked(causes: Iterable[Cause]) -> list[Cause]:
    """Return causes by the share that they explain, less a part for each free number."""
    return sorted(causes, key=lambda cause: -(cause.removed - PER_PARAMETER * cause.numbers))


def _thinned(poses: RecordedPoses) -> RecordedPoses:
    count = poses.rows.size
    kept = np.linspace(0, count - 1, min(count, MAX_ROWS)).astype(int)
    parts = (poses.position, poses.quaternion, poses.rpy)
    return RecordedPoses(
        poses.rows[kept], poses.q[kept], *[None if x is None else x[kept] for x in parts]
    )
