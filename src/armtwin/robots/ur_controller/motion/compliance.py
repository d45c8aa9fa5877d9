r"""Force mode and freedrive: some axes of the tool are led, the others yield to forces.

With ``P`` the projection to the axes that are led, ``e`` the error from the tool to the planned
motion and ``w`` its integral, the reference of computed-torque control is

.. math:: q_r = q + J^{-1} P e, \quad
          \dot q_r = J^{-1} (P v_p + (1 - b / k_v) (1 - P) v), \quad
          \ddot q_r = J^{-1} P (a_p + w)

so that along the free axes no stiffness is left, only the damping ``b``. In force mode
``J^T F`` is added, with the forces of ``ForceLaw``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from armtwin.dynamics.rigid_body import mass_matrix
from armtwin.errors import UnreachableError
from armtwin.model.drive import COULOMB_SCALE, VISCOUS_SCALE
from armtwin.robots.ur.tcp import SINGULAR, TcpState, largest
from armtwin.robots.ur_controller.motion.force_law import ForceLaw
from armtwin.robots.ur_controller.motion.joint_moves import Reference, TorqueCommand
from armtwin.robots.ur_controller.motion.task_frames import TaskFrame, to_axes, to_base_axes
from armtwin.robots.ur_controller.state.modes import RuntimeState
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

ERROR_DAMPING = 100.0
"""Damping ``k_v`` of position control [1/s]; see ``DynamicBody``."""
PERSISTENCE, MAX_PERSISTENCE = 3e4, 60.0
"""Gain of the integral of the led axes [1/s3], and its largest acceleration [m/s2, rad/s2]."""
FREEDRIVE_DAMPING = 2.0
"""Of the free axes in freedrive [1/s]: an arm that is let go stops within a second."""
FULL_DAMPING = 20.0
"""Of the free axes at a force mode damping of 1 [1/s]."""
NEAR_LIMIT = 0.8
"""Share of the speed limit above which a compliant axis is braked as hard as a led one."""
RETURN_SPEED = 0.2
"""Speed of the fastest joint that returns to a continuing motion [rad/s]."""
MIN_DEVIATION = np.array([1e-3] * 3 + [5e-3] * 3)
"""Deviation limits of led axes below this are this [m, rad]: control needs some."""
NEAR_SINGULAR, TOO_SINGULAR = 0.03, 0.01
"""Smallest singular values of the Jacobian for a freedrive status of 1 and of 2."""


class Overlay(ABC):
    """Changes the planned motion before it becomes the reference.

    Attributes:
        planned: the reference of the moves, which change it in place.
        over: whether the planned motion is the reference again.
    """

    over = False

    def __init__(self, planned: Reference) -> None:
        self.planned = planned

    @abstractmethod
    def step(self, reference: Reference, dt: float) -> None:
        """Set the reference for the next cycle."""


class ReturnOverlay(Overlay):
    """Returns the joints to a motion that continues after force mode or freedrive."""

    def __init__(self, planned: Reference, reference: Reference) -> None:
        super().__init__(planned)
        self._offset = reference.q - planned.q

    def step(self, reference: Reference, dt: float) -> None:
        """Take a cycle's share off the offset."""
        most = float(np.abs(self._offset).max())
        left = max(0.0, 1 - RETURN_SPEED * dt / most) if most > 0 else 0.0
        before, self._offset = self._offset, left * self._offset
        reference.q = self.planned.q + self._offset
        reference.qd = self.planned.qd + (self._offset - before) / dt
        reference.qdd, self.over = self.planned.qdd, left == 0.0


class Compliance(Overlay):
    """Makes a reference that yields along some axes of the tool.

    Args:
        controller: the controller.
        frame: whose axes are meant.
        free: 1 for axes that yield (6,).
    """

    damping = FREEDRIVE_DAMPING

    def __init__(self, controller: VirtualController, frame: TaskFrame, free: Array) -> None:
        reference = controller.reference
        super().__init__(Reference(reference.q, reference.qd, reference.qdd))
        self._controller, self._frame, self._free = controller, frame, free.astype(bool)
        self._integral = np.zeros(6)
        self._held: Array | None = None
        self._scales = (np.array(VISCOUS_SCALE), np.array(COULOMB_SCALE))

    def step(self, reference: Reference, dt: float) -> None:
        """Set the reference for the next cycle; a paused program's arm holds its place.

        Raises:
            UnreachableError: a singularity, or a led axis is too far off.
        """
        controller, body = self._controller, self._controller.body
        if controller.modes.runtime == RuntimeState.PAUSED:
            self._held = body.q if self._held is None else self._held
            reference.q = self._held
            reference.rest()
            return
        self._held = None
        state = controller.tcp.state(body.q, body.qd)
        axes = self._frame.axes(state.T, state.twist)
        free = self._free if axes is not None else np.zeros(6, bool)
        R = np.eye(3) if axes is None else axes
        kept = 1 - self.damping / ERROR_DAMPING
        torque = np.zeros_like(body.q)
        if free.all():
            reference.q, reference.qd, reference.qdd = body.q, kept * body.qd, 0 * body.qd
        else:
            self._lead(reference, state, R, free, dt)
        if free.any():
            torque = state.J.T @ to_base_axes(R, self._forces(state, R, free, dt))
        reference.command = TorqueCommand(torque, *self._scales, tracks=True)

    def _lead(
        self, reference: Reference, state: TcpState, R: Array, free: Array, dt: float
    ) -> None:
        controller, body, planned = self._controller, self._controller.body, self.planned
        goal = controller.tcp.state(planned.q, planned.qd)
        error = np.where(free, 0.0, to_axes(R, controller.tcp.error(goal.T, body.q)))
        self._check(error)
        more = np.where(free, 0.0, to_axes(R, self._integral)) + PERSISTENCE * dt * error
        self._integral = to_base_axes(R, np.clip(more, -MAX_PERSISTENCE, MAX_PERSISTENCE))
        own = (1 - self.damping / ERROR_DAMPING) * to_axes(R, state.twist)
        speed = to_base_axes(R, np.where(free, own, to_axes(R, goal.twist)))
        push = np.where(free, 0.0, to_axes(R, state.J @ planned.qdd))
        wanted = np.column_stack(
            [to_base_axes(R, error), speed, to_base_axes(R, push) + self._integral]
        )
        found = np.asarray(np.linalg.solve(state.J, wanted), np.float64)
        if largest(found) * SINGULAR > largest(wanted):
            raise UnreachableError("the arm is near a singularity")
        reference.q, reference.qd, reference.qdd = body.q + found[:, 0], found[:, 1], found[:, 2]

    def _check(self, error: Array) -> None:
        """Raise UnreachableError if the led axes are too far from the planned motion."""

    @abstractmethod
    def _forces(self, state: TcpState, R: Array, free: Array, dt: float) -> Array:
        """Return the wrench (6,) that pushes the tool along the free axes, in the axes ``R``."""


class FreedriveOverlay(Compliance):
    """The arm can be moved by hand along free axes; gravity and friction are compensated.

    Attributes:
        status: 0 for normal operation, 1 near a singularity, 2 too close to one.
    """

    @property
    def status(self) -> int:
        """Closeness of constrained axes to a singularity."""
        body = self._controller.body
        J = self._controller.tcp.state(body.q, body.qd).J
        smallest = 1.0 if self._free.all() else float(np.linalg.svd(J, compute_uv=False)[-1])
        return int(smallest < NEAR_SINGULAR) + int(smallest < TOO_SINGULAR)

    def _forces(self, state: TcpState, R: Array, free: Array, dt: float) -> Array:
        self._controller.collisions.watching = False
        return np.zeros(6)


class ForceModeOverlay(Compliance):
    """The tool applies forces along the compliant axes of a task frame.

    Args:
        controller: the controller.
        frame: the task frame.
        free: 1 for compliant axes (6,).
        law: what force the tool is pushed with.
    """

    def __init__(
        self, controller: VirtualController, frame: TaskFrame, free: Array, law: ForceLaw
    ) -> None:
        super().__init__(controller, frame, free)
        self.law = law

    def set(self, wrench: Array, limits: Array, damping: float) -> None:
        """Set the parameters.

        Args:
            wrench: that the tool shall apply (6,) [N, Nm].
            limits: speeds of the compliant axes, deviations of the others (6,) [m/s, m, rad].
            damping: of the compliant axes, 0 to 1.
        """
        self._wrench, self._limits = wrench, np.abs(limits)
        self.damping = FULL_DAMPING * damping

    def turn(self, frame: TaskFrame, free: Array) -> None:
        """Choose another task frame and other compliant axes."""
        self._frame, self._free = frame, free.astype(bool)

    def _check(self, error: Array) -> None:
        beyond = np.abs(error) > np.maximum(self._limits, MIN_DEVIATION)
        if (beyond & ~self._free).any():
            axis = ["x", "y", "z", "rx", "ry", "rz"][int(np.argmax(beyond & ~self._free))]
            raise UnreachableError(f"force mode: axis {axis} is too far from the planned motion")

    def _forces(self, state: TcpState, R: Array, free: Array, dt: float) -> Array:
        controller, collisions = self._controller, self._controller.collisions
        applied = -to_axes(R, controller.registers["actual_TCP_force"])
        M = mass_matrix(controller.arm, controller.body.q, ignore_limits=True)
        rows = np.vstack([R.T @ state.J[:3], R.T @ state.J[3:]])
        mass = 1 / np.einsum("ij,ji->i", rows, np.linalg.solve(M, rows.T))
        speed, wanted = to_axes(R, state.twist), np.where(free, self._wrench, 0.0)
        force = self.law.force(wanted, applied, speed, self._limits, mass, dt)
        collisions.expected = rows.T @ np.where(free, -applied, 0.0)
        near = NEAR_LIMIT * self._limits
        over = speed - np.clip(speed, -near, near)
        return np.where(free, force - ERROR_DAMPING * mass * over, 0.0)
