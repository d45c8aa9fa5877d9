"""Poses and Jacobians of a serial chain as CasADi expressions.

Every convention becomes one form (``model.link.fixed_poses``). Joint frame i and link frame i
follow link frame i-1 by

    T_{i-1,i} = before_i . motion_i(s_i) . after_i,        s_i = direction_i q_i + offset_i

with ``motion`` a rotation about, or a translation along, the z axis. The numbers of an arm may be
floats or CasADi symbols; exact zeros vanish from the expressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from armtwin import spatial
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm, Joint
from armtwin.model.link import fixed_poses, flange


@dataclass(frozen=True)
class Frame:
    """A rigid pose: rotation (3, 3) and position (3, 1)."""

    R: Any
    p: Any

    def __matmul__(self, other: Frame) -> Frame:
        """Return the pose ``self . other``."""
        return Frame(self.R @ other.R, self.p + self.R @ other.p)

    @property
    def T(self) -> Any:
        """The 4x4 homogeneous matrix."""
        return ca.vertcat(ca.horzcat(self.R, self.p), ca.SX([[0, 0, 0, 1]]))

    @property
    def inverse(self) -> Frame:
        """The inverse pose."""
        return Frame(self.R.T, -(self.R.T @ self.p))


@dataclass(frozen=True)
class Segment:
    """One row of the chain with its fixed poses before and after the motion."""

    joint: Joint
    before: Frame
    after: Frame


def matrix(rows: Any) -> Any:
    """Return nested lists of floats or symbols as an SX matrix without stored zeros."""
    return ca.sparsify(ca.SX(ca.vertcat(*[ca.horzcat(*row) for row in rows])))


def cos_sin(angle: Any) -> tuple[Any, Any]:
    """Return cosine and sine of a float (exact at right angles) or a symbol."""
    if isinstance(angle, ca.SX):
        return ca.cos(angle), ca.sin(angle)
    return spatial.cos_sin(angle)


def frame(T: Any) -> Frame:
    """Return nested 4x4 rows of floats or symbols as a Frame."""
    return Frame(matrix([row[:3] for row in T[:3]]), matrix([[row[3]] for row in T[:3]]))


def identity() -> Frame:
    """Return the identity pose."""
    return Frame(ca.SX.eye(3), ca.SX(3, 1))


def segments(arm: Arm) -> list[Segment]:
    """Return the rows of the chain in the common form."""
    poses = fixed_poses(
        arm,
        lambda a, alpha: frame(spatial.twist_rows(a, *cos_sin(alpha))),
        lambda T: frame(T.tolist()),
    )
    return [Segment(joint, *pair) for joint, pair in zip(arm.joints, poses, strict=True)]


def tail(arm: Arm) -> Frame:
    """Return the fixed pose from the last link frame to the tool."""
    return frame(flange(arm).tolist()) @ frame(arm.tool)


def joint_variables(arm: Arm, q: Any) -> list[Any]:
    """Return ``s_i = direction_i q_i + offset_i`` for every row; 0 for a fixed row."""
    driven = iter(range(arm.dof))
    return [
        0.0 if j.kind == "fixed" else j.direction * q[next(driven)] + j.offset for j in arm.joints
    ]


@dataclass(frozen=True)
class Chain:
    """The frames of an arm at ``q``: joint frames, link frames and the tool, all in base."""

    arm: Arm
    joint_frames: list[Frame]
    link_frames: list[Frame]
    tool: Frame

    @property
    def axes(self) -> list[tuple[Joint, Frame]]:
        """The driven joints with the frames whose z axes they move about or along."""
        pairs = zip(self.arm.joints, self.joint_frames, strict=True)
        return [(joint, frame) for joint, frame in pairs if joint.kind != "fixed"]


def chain(arm: Arm, q: Any) -> Chain:
    """Return every frame of the arm at the joint vector ``q`` (SX of length dof).

    Between joints of parallel axes (no twist) the angles are added before the sine is computed:
    ``Rz(t1) Rz(t2) = Rz(t1 + t2)``.
    """
    joint_frames, link_frames, link = [], [], frame(arm.base)
    root, angle = link.R, 0.0
    for segment, s in zip(segments(arm), joint_variables(arm, q), strict=True):
        turn, shift = segment.joint.turn_and_shift(s)
        if not _is_identity(segment.before.R):
            link = link @ segment.before
            root, angle = link.R, 0.0
        else:
            link = link @ segment.before
        angle = angle + turn
        turned = root @ matrix(spatial.rotation_z(*cos_sin(angle)))
        moved = Frame(turned, link.p + link.R[:, 2] * shift)
        link = moved @ segment.after
        if not _is_identity(segment.after.R):
            root, angle = link.R, 0.0
        joint_frames.append(moved)
        link_frames.append(link)
    return Chain(arm, joint_frames, link_frames, link @ tail(arm))


def _is_identity(R: Any) -> bool:
    return bool(R.is_constant() and ca.is_equal(ca.densify(R), ca.SX.eye(3) + ca.SX.zeros(3, 3)))


def point_jacobian(links: Chain, p: Any, driven: int | None = None) -> Any:
    r"""Return the geometric Jacobian (6, dof) of the point ``p`` [base], linear rows first.

    .. math:: J_i = \begin{bmatrix} z_i \times (p - p_i) \\ z_i \end{bmatrix}
              \text{ (revolute)}, \quad \begin{bmatrix} z_i \\ 0 \end{bmatrix}
              \text{ (prismatic)}

    times the joint's direction; joints after the first ``driven`` ones do not move ``p``.

    Args:
        links: poses and joint axes of the chain.
        p: the point (3,) in base [m].
        driven: number of driven joints before the point; None for all of them.
    """
    columns = []
    for index, (joint, at) in enumerate(links.axes):
        z, zero = at.R[:, 2], ca.SX(3, 1)
        if driven is not None and index >= driven:
            columns.append(ca.SX(6, 1))
        elif joint.kind == "revolute":
            columns.append(joint.direction * ca.vertcat(ca.cross(z, p - at.p), z))
        else:
            columns.append(joint.direction * ca.vertcat(z, zero))
    return ca.horzcat(*columns)
