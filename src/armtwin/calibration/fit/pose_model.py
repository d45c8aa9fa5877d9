"""Tool poses of an arm as a function of its geometry.

    T(q, x) = base . D_base . chain(q + e(q) - c g(q); a, alpha, d, theta, beta) . D_tool . tool

``c`` are joint compliances [rad/Nm] under the torques ``g`` that hold the arm still, ``e`` the
joints' error curves. Every
placement of the measurements has its own base and tool; the chain is shared by all.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from armtwin.calibration.data.frames import placed
from armtwin.calibration.data.measurements import PoseMeasurements, Rows
from armtwin.calibration.fit.geometry_parameters import (
    GeometryParameter,
    chain_parameters,
    frame_parameters,
)
from armtwin.calibration.fit.harmonics import (
    changed_joints,
    coefficients,
    curve_parameters,
    deflections,
    harmonics,
)
from armtwin.calibration.fit.tilt import with_tilts, without_idle_tilts
from armtwin.compile.kernel import Kernel, kernel
from armtwin.equations.kinematics import calibration_model as calibration_model_equations
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm, Joint
from armtwin.spatial import Array, pose

EQUATION = calibration_model_equations.pose_and_parameters


class GeometryModel:
    """Tool poses of an arm and their derivatives by its parameters."""

    def __init__(
        self,
        arm: Arm,
        *,
        starts: Sequence[Arm | None] = (None,),
        names: Sequence[str] = ("",),
        compliance: bool = False,
        terms: int = 0,
    ) -> None:
        """Prepare an arm in a DH convention, with room for tilts of parallel axes.

        Args:
            arm: the nominal arm; its base and gravity define the direction of gravity.
            starts: for every placement the same arm with base and tool near those of the
                measurements, where the search starts; None where its own are near enough.
            names: names of the placements.
            compliance: whether joints have a compliance; the arm needs masses.
            terms: number of terms of the joints' error curves; 0 where they are not fitted.
        """
        self._nominal = arm
        self._given: dict[str, Any] = {"starts": starts, "names": names, "compliance": compliance}
        self.arm = with_tilts(arm)
        self.placements = tuple(names)
        self.bases = tuple(np.array((start or arm).base) for start in starts)
        self.tools = tuple(np.array((start or arm).tool) for start in starts)
        self.is_placed = any(start is not None for start in starts)
        self.values = np.array([v for j in self.arm.joints for v in (j.a, j.alpha, j.d, j.theta)])
        self.parameters = tuple(
            [*chain_parameters(self.arm), *frame_parameters(self.arm, self.placements)]
        )
        if compliance:
            arm.require_masses()
            self.parameters += tuple(
                GeometryParameter(f"compliance{i}", "rad/Nm", 0.0, "compliance", i - 1)
                for i in range(1, arm.dof + 1)
            )
        self._curves = coefficients(arm, terms)
        if terms:
            self.parameters += tuple(curve_parameters(self._curves))
        own = {"revolute": 3, "prismatic": 2}
        rows = enumerate(self.arm.joints)
        self._driven = [4 * row + own[j.kind] for row, j in rows if j.kind != "fixed"]
        self._directions = np.array([joint.direction for joint in self.arm.driven], float)
        self._compliance = np.array([joint.compliance for joint in self.arm.driven])

    def with_curves(self, terms: int) -> GeometryModel:
        """Return the same model with error curves as further parameters, after all others."""
        return GeometryModel(self._nominal, terms=terms, **self._given)

    @property
    def nominal_frames(self) -> tuple[Array, Array]:
        """Base and tool of the arm as it was given, 4x4 each."""
        return np.array(self._nominal.base), np.array(self._nominal.tool)

    @functools.cached_property
    def skeleton(self) -> Arm:
        """The arm for equations with geometry as an input: it has the kinds of joints only."""
        bare = tuple(
            Joint(f"row{row}", kind=j.kind, direction=j.direction, offset=j.offset)
            for row, j in enumerate(self.arm.joints, 1)
        )
        return Arm("skeleton", self.arm.convention, bare)

    @functools.cached_property
    def kernel(self) -> Kernel:
        """The compiled equation."""
        return kernel(self.skeleton, EQUATION)

    def indices(self, groups: tuple[str, ...]) -> list[int]:
        """Return the indices in ``parameters`` of some groups."""
        return [i for i, p in enumerate(self.parameters) if p.group in groups]

    def load(self, q: Array) -> Array:
        """Return the gravity torques (n, dof) [Nm]; zeros where no joint has a compliance."""
        if not self.indices(("compliance",)) and not self._compliance.any():
            return np.zeros_like(q)
        from armtwin.dynamics.rigid_body import gravity

        return gravity(self._nominal, q, ignore_limits=True)

    def poses(
        self, q: Array, load: Array, changes: Array, placement: Rows | None = None
    ) -> tuple[Array, Array]:
        """Return T (n, 4, 4) and its derivatives (n, 6, parameters) at changed parameters.

        Args:
            q: joint vectors (n, dof).
            load: gravity torques (n, dof), from ``load``.
            changes: (parameters,), what is added to every nominal value.
            placement: (n,) number of the placement of each row; None for the first.
        """
        numbers = np.zeros(len(q), np.intp) if placement is None else placement
        flexing = self.joint_values(changes[None])
        waves = harmonics(q, flexing[1].shape[2] // 2)
        angles = q + deflections(load, waves, *flexing)[:, 0]
        joints = as_joints(self.arm, angles, ignore_limits=True)
        present = np.unique(numbers).tolist()
        T, J = np.empty((len(q), 4, 4)), np.zeros((len(q), 6, len(self.parameters)))
        for number in present:
            rows = slice(None) if len(present) == 1 else np.flatnonzero(numbers == number)
            frames = self.bases[number][:3].ravel(), self.tools[number][:3].ravel()
            T[rows], columns = self.kernel(joints[rows], self._vector(changes, number), *frames)
            J[rows] = self._columns(columns, load[rows], number)
        curves = self.indices(("curves",))
        if curves:
            waves = harmonics(q, self._curves.shape[1] // 2)
            by_joint = self.joint_columns(J)
            J[:, :, curves] = np.einsum("nmi,nik->nmik", by_joint, waves).reshape(len(q), 6, -1)
        return T, J

    def _curve_values(self, changes: Array) -> Array:
        """Return the coefficients (..., dof, 2 K) of the curves at changes (..., parameters)."""
        lead, curves = changes.shape[:-1], self.indices(("curves",))
        if not curves:
            return np.broadcast_to(self._curves, (*lead, *self._curves.shape))
        return self._curves + changes[..., curves].reshape(*lead, *self._curves.shape)

    def _vector(self, changes: Array, placement: int) -> Array:
        """Return the equation's vector: chain, base and tool of one placement."""
        return self.vectors(changes[None], placement)[0]

    def vectors(self, changes: Array, placement: int = 0) -> Array:
        """Return the equation's vectors (n, 4 rows + 12) at changes (n, parameters)."""
        x = np.tile(np.concatenate([self.values, np.zeros(12)]), (len(changes), 1))
        for k, parameter in enumerate(self.parameters):
            if self._acts(parameter, placement):
                x[:, parameter.index] += changes[:, k]
        return x

    def joint_values(self, changes: Array) -> tuple[Array, Array]:
        """Return compliances (n, dof) and curves (n, dof, 2 K) at changes (n, parameters)."""
        compliances = np.tile(self._compliance, (len(changes), 1))
        for k in self.indices(("compliance",)):
            compliances[:, self.parameters[k].index] += changes[:, k]
        return compliances, self._curve_values(changes)

    def _acts(self, parameter: GeometryParameter, placement: int) -> bool:
        """Return whether a parameter is in the equation's vector of a placement."""
        if parameter.group in ("base", "tool"):
            return parameter.placement == placement
        return parameter.group not in ("compliance", "curves")

    def _columns(self, J: Array, load: Array, placement: int) -> Array:
        """Return the derivatives in the order of ``parameters``, zero for other placements' frames.

        A compliance rotates its joint by ``-c g``: its column is ``-g`` times the joint's.
        """
        acts = [self._acts(p, placement) for p in self.parameters]
        source = [p.index if on else 0 for p, on in zip(self.parameters, acts, strict=True)]
        columns = J.take(source, axis=2)
        columns[:, :, np.logical_not(acts)] = 0.0
        compliances = self.indices(("compliance",))
        if compliances:
            columns[:, :, compliances] = (
                -J[:, :, self._driven] * (self._directions * load)[:, None, :]
            )
        return columns

    def joint_columns(self, J: Array) -> Array:
        """Return the derivatives (n, m, dof) by the joints, from those by the parameters."""
        chain = {p.index: k for k, p in enumerate(self.parameters) if self._is_chain(p)}
        return J[:, :, [chain[index] for index in self._driven]] * self._directions

    @staticmethod
    def _is_chain(parameter: GeometryParameter) -> bool:
        return parameter.group in ("offsets", "lengths", "twists")

    def errors(
        self, measured: PoseMeasurements, load: Array, changes: Array
    ) -> tuple[Array, Array]:
        """Return model minus measurement (n, 3 or 6) and its derivatives (n, 3 or 6, parameters).

        The first three columns are positions [m], the others the rotation from the measured to the
        modelled orientation, as a rotation vector in base axes [rad].

        Args:
            measured: joints and measured poses.
            load: joint torques of gravity (n, dof) [Nm], for compliance.
            changes: parameters minus their nominal values (parameters,) [m | rad].
        """
        T, J = self.poses(measured.q, load, changes, measured.placement)
        shift = T[:, :3, 3] - measured.position
        if measured.rotation is None:
            return shift, J[:, :3]
        from scipy.spatial.transform import Rotation

        turn = T[:, :3, :3] @ np.swapaxes(measured.rotation, 1, 2)
        return np.hstack([shift, Rotation.from_matrix(turn).as_rotvec()]), J

    def frames(self, changes: Array, placement: int) -> tuple[Array, Array]:
        """Return base and tool (4, 4) of one placement at changed parameters."""
        x = self._vector(changes, placement)[-12:]
        base = self.bases[placement] @ pose(x[:3], x[3:6])
        return base, pose(x[6:9], x[9:]) @ self.tools[placement]

    def arm_with(self, changes: Array, placement: int = 0) -> Arm:
        """Return the arm with changed geometry and compliances, in the frames of one placement.

        Gravity is constant in the arm's frame 0: it rotates with a new base.
        """
        compliances = np.zeros(self.arm.dof)
        for change, parameter in zip(changes, self.parameters, strict=True):
            if parameter.group == "compliance":
                compliances[parameter.index] += change
        values = self._vector(changes, placement)[:-12]
        joints = changed_joints(self.arm.joints, values, compliances, self._curve_values(changes))
        moved = dataclasses.replace(self._nominal, joints=joints)
        return without_idle_tilts(placed(moved, *self.frames(changes, placement)))
