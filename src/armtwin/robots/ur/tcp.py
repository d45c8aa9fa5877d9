"""Tool centre point: forward, differential and inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.kernel import kernel
from armtwin.equations.kinematics import tcp as tcp_equations
from armtwin.errors import InputError, UnreachableError
from armtwin.model.arm import Arm
from armtwin.spatial import Array, inverse

TOLERANCE = 1e-9
"""Pose error at which a followed pose is reached [m, rad]."""
STEPS = 8
"""Newton steps of a control cycle; two are usual, more than these mean out of reach or singular."""
FARTHEST = 0.5
"""Largest joint step of one control cycle [rad]; a longer one is another branch."""
SINGULAR = 1e-3
"""The arm is singular where joints would move 1/SINGULAR times as fast as the tool."""


def largest(values: Array) -> float:
    """Return the largest absolute value."""
    return float(max(values.max(), -values.min()))


def pose_from_vector(vector: ArrayLike) -> Array:
    """Return the pose (4, 4) of x, y, z [m] and a rotation vector [rad]."""
    run = kernel(None, tcp_equations.as_pose)
    values = np.ascontiguousarray(vector, np.float64)
    found = run.fast(values)
    if found is not None:
        return found[0]
    if values.shape != (6,) or not np.isfinite(values).all():
        raise InputError(f"a pose vector has six finite numbers; got {vector!r}")
    return run(values)[0]


def vector_from_pose(T: Array) -> Array:
    """Return x, y, z [m] and the rotation vector [rad] of a pose (4, 4)."""
    run, flat = (
        kernel(None, tcp_equations.as_vector),
        np.ascontiguousarray(T, np.float64).reshape(16),
    )
    return (run.fast(flat) or run(flat))[0]


@dataclass(frozen=True, eq=False)
class TcpState:
    """Pose vector (6,), twist (6,) and pose (4, 4) in base, Jacobian (6, dof)."""

    vector: Array
    twist: Array
    T: Array
    J: Array


class Tcp:
    """The tool centre point of an arm.

    Attributes:
        offset: its pose in the arm's tool frame (4, 4).
        vector: the same as six numbers.
    """

    def __init__(self, arm: Arm) -> None:
        self.arm = arm
        self._state, self._error = (
            kernel(arm, tcp_equations.state),
            kernel(arm, tcp_equations.error),
        )
        self.set(np.zeros(6))

    def set(self, vector: ArrayLike) -> None:
        """Set the centre point to a pose vector (6,) in the tool frame."""
        self.offset = pose_from_vector(vector)
        self.vector = np.array(vector, float)
        self._flat = self.offset.reshape(16).copy()
        self._back = inverse(self.offset)

    def state(self, q: Array, qd: Array) -> TcpState:
        """Return pose, twist and Jacobian of the centre point."""
        found = self._state.fast(q, qd, self._flat) or self._state(q, qd, self._flat)
        return TcpState(*found)

    def error(self, goal: Array, q: Array) -> Array:
        """Return the error (6,) from the centre point to ``goal`` (4, 4), in base [m, rad]."""
        inputs = (q, goal.reshape(16), self._flat)
        return (self._error.fast(*inputs) or self._error(*inputs))[0]

    def flange(self, T: Array) -> Array:
        """Return the pose (4, 4) of the arm's tool frame when the centre point is at ``T``."""
        return T @ self._back

    def follow(self, goal: Array, q: Array) -> tuple[Array, Array]:
        """Return the joints near ``q`` whose centre point is at ``goal`` (4, 4), and J there.

        Newton steps ``J dq = e``, at most eight; from one control cycle to the next two are usual.

        Raises:
            UnreachableError: a singularity, or out of reach.
        """
        target, here = goal.reshape(16), q
        for _ in range(STEPS):
            inputs = (here, target, self._flat)
            error, J = self._error.fast(*inputs) or self._error(*inputs)
            if largest(error) < TOLERANCE:
                return here, J
            here = here + self.joint_speeds(J, error)
            if largest(here - q) > FARTHEST:
                break
        raise UnreachableError("the tool's path cannot be followed: out of reach or singular")

    def joint_speeds(self, J: Array, twist: Array) -> Array:
        """Return the speeds (6,) of six joints that give a twist (6,).

        Raises:
            UnreachableError: the arm is at a singularity.
        """
        try:
            speeds = np.asarray(np.linalg.solve(J, twist), np.float64)
        except np.linalg.LinAlgError as error:
            raise UnreachableError("the arm is at a singularity") from error
        if largest(speeds) * SINGULAR > largest(twist):
            raise UnreachableError("the arm is near a singularity")
        return speeds

    def inverse(self, T: Array, near: Array) -> Array:
        """Return the joint positions nearest to ``near`` whose centre point is at ``T`` (4, 4).

        Raises:
            UnreachableError: there are none.
        """
        from armtwin.kinematics.inverse.ik import ik  # a tenth of all imports of a virtual robot

        return np.asarray(ik(self.arm, T @ self._back, seed=near).q[0])
