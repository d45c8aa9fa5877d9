r"""The force sensor at the wrist, or one of the user's own beside it.

The arm's own sensor measures the wrench ``F`` on the tool that explains the external torques,
:math:`J^T F = \tau_{ext}`, and the load's. What a controller reports as the force at the tool
centre point is free of the load's weight and inertia, and of the wrench that was made the zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from armtwin.robots.ur.tcp import TcpState, largest
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

SINGULAR = 1e-3
"""Wrenches are not looked for in directions in which the arm is this weak."""
MIN_TORQUE = 0.01
"""Torques that the observer sees below this are not turned into a wrench [Nm]."""


@dataclass(frozen=True, eq=False)
class ExternalSensor:
    """A sensor whose wrench RTDE clients write, in flange axes.

    Attributes:
        mass: of the sensor itself [kg].
        offset: where it measures in the flange frame (3,) [m].
        cog: its centre of gravity in the flange frame (3,) [m].
    """

    mass: float = 0.0
    offset: Array = field(default_factory=lambda: np.zeros(3))
    cog: Array = field(default_factory=lambda: np.zeros(3))


class WristSensor:
    """Writes the forces at the tool into the registers.

    Attributes:
        external: the user's own sensor, which counts instead of the arm's; None if there is none.
        contact: wrench of contacts on the tool at its centre point in base (6,) [N, Nm].
    """

    def __init__(self, controller: VirtualController) -> None:
        self._controller, self._registers = controller, controller.registers
        self.external: ExternalSensor | None = None
        self._zero, self._now, self._silent = np.zeros(6), np.zeros(6), False
        self.contact = np.zeros(6)

    def zero(self) -> None:
        """Make the present wrench the zero."""
        self._zero = self._now.copy()

    def reset(self) -> None:
        """Take the zero back."""
        self._zero, self._silent = np.zeros(6), False

    def write(self, tool: TcpState) -> None:
        """Write the wrenches of the present cycle, with the tool's actual state."""
        controller = self._controller
        quiet = self._quiet()
        if quiet and self._silent:
            return
        self._silent = quiet
        flange = controller.tcp.flange(tool.T)
        self.contact, load, seen = self._wrenches(tool)
        outside = self.contact
        self._now = moved(outside, tool.T, flange)
        raw = moved(outside + load, tool.T, flange)
        if self.external is not None:
            self._now, raw = self._measured(flange, self.external)
        force = moved(self._now - self._zero, flange, tool.T, back=True)
        r = self._registers
        r["actual_TCP_force"], r["ft_raw_wrench"], r["wrench_calc_from_currents"] = force, raw, seen
        r["tcp_force_scalar"] = float(np.linalg.norm(force[:3]))

    def _quiet(self) -> bool:
        """Return whether there is nothing to measure, as in most cycles."""
        controller = self._controller
        return not (
            self.external is not None
            or controller.payload.mass
            or controller.body.external.any()
            or largest(controller.collisions.residual) > MIN_TORQUE
            or self._zero.any()
        )

    def _wrenches(self, tool: TcpState) -> tuple[Array, Array, Array]:
        """Return the wrenches at the centre point in base of contacts, load and observer."""
        controller, body = self._controller, self._controller.body
        carried = None
        if controller.payload.mass:
            carried = controller.payload.load_torque(body.q, body.qd, controller.reference.qdd)
        seen = controller.collisions.residual
        torques = np.zeros((body.arm.dof, 3))
        torques[:, 0] = body.external
        torques[:, 1] = 0.0 if carried is None else -carried
        torques[:, 2] = seen if largest(seen) > MIN_TORQUE else 0.0
        if not torques.any():
            return np.zeros(6), np.zeros(6), np.zeros(6)
        found = np.asarray(np.linalg.lstsq(tool.J.T, torques, rcond=SINGULAR)[0], np.float64)
        return found[:, 0], found[:, 1], found[:, 2]

    def _measured(self, flange: Array, sensor: ExternalSensor) -> tuple[Array, Array]:
        """Return what clients have written, in flange axes at the flange: without load, and raw."""
        r = self._registers
        given = r["external_force_torque"].copy()
        raw = given + np.concatenate([np.zeros(3), cross(sensor.offset, given[:3])])
        beyond = max(float(r.number("payload")) - sensor.mass, 0.0)
        if not beyond:
            return raw, raw
        down = flange[:3, :3].T @ self._controller.payload.gravity
        moment = r.number("payload") * r["payload_cog"] - sensor.mass * sensor.cog
        return raw - np.concatenate([beyond * down, cross(moment, down)]), raw


def moved(wrench: Array, before: Array, after: Array, *, back: bool = False) -> Array:
    """Return a wrench (6,) about another point and in other axes.

    Args:
        wrench: force and moment, in base axes about the origin of ``before``, or with ``back`` in
            the axes of ``before``.
        before: pose in base (4, 4).
        after: pose in base (4, 4); the result is in its axes, or with ``back`` in base axes.
        back: see above.
    """
    R = before[:3, :3] if back else after[:3, :3]
    force, moment = wrench[:3], wrench[3:]
    if back:
        force, moment = R @ force, R @ moment
    moment = moment + cross(before[:3, 3] - after[:3, 3], force)
    return np.concatenate([force, moment] if back else [force @ R, moment @ R])


def cross(a: Array, b: Array) -> Array:
    """Return the cross product of two vectors (3,); numpy's own takes ten times as long."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
