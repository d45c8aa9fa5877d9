"""What a controller reports of its arm in every cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

SINGULAR = 1e-3
"""Wrenches are not looked for in directions in which the arm is this weak."""


class Readings:
    """Writes references and measurements into the registers."""

    def __init__(self, controller: VirtualController) -> None:
        self._controller, self._registers = controller, controller.registers
        self._gravity = np.array(controller.arm.gravity)
        controller.registers["target_gravity"] = -self._gravity
        self._still = np.zeros(6)
        self._felt = True

    def write(self) -> None:
        """Write the present cycle's values."""
        controller, r, n = self._controller, self._registers, self._controller.arm.dof
        reference, body = controller.reference, controller.body
        r["timestamp"][0], r["control_step"][0] = controller.clock, controller.cycles
        r["target_q"][:n], r["target_qd"][:n] = reference.q, reference.qd
        r["target_qdd"][:n], r["target_moment"][:n] = reference.qdd, body.tau
        r["target_current"][:n] = r["joint_control_output"][:n] = controller.electrics.current(
            body.tau
        )
        r["actual_q"][:n], r["actual_qd"][:n] = body.q, body.qd
        r["collision_detection_ratio"][0] = controller.collisions.ratio
        self._write_tool()

    def _write_tool(self) -> None:
        controller, r = self._controller, self._registers
        reference, body = controller.reference, controller.body
        actual = target = controller.tcp.state(reference.q, reference.qd)
        if body.q is not reference.q or body.qd is not reference.qd:
            actual = controller.tcp.state(body.q, body.qd)
        acceleration = (actual.twist - r["actual_TCP_speed"]) / controller.dt
        r["target_TCP_pose"], r["target_TCP_speed"] = target.vector, target.twist
        r["actual_TCP_pose"], r["actual_TCP_speed"] = actual.vector, actual.twist
        r["tcp_offset"] = controller.tcp.vector
        r["actual_TCP_acceleration"] = r["target_TCP_acceleration"] = acceleration
        r["actual_tool_accelerometer"] = (acceleration[:3] - self._gravity) @ actual.T[:3, :3]
        self._write_force(actual.J)

    def _write_force(self, J: Array) -> None:
        """Write the wrench on the tool that explains the external torques: ``J^T F = tau``."""
        external = self._controller.body.external
        felt = bool(external.any())
        if not felt and not self._felt:
            return
        self._felt = felt
        force = (
            np.asarray(np.linalg.lstsq(J.T, external, rcond=SINGULAR)[0]) if felt else self._still
        )
        for name in ("actual_TCP_force", "ft_raw_wrench", "wrench_calc_from_currents"):
            self._registers[name] = force
        self._registers["tcp_force_scalar"] = float(np.linalg.norm(force[:3]))
