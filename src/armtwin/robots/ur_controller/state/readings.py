"""Measurements of the arm that a controller reports in every cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController


class Readings:
    """Writes references and measurements into the registers."""

    def __init__(self, controller: VirtualController) -> None:
        self._controller, self._registers = controller, controller.registers

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
        gravity = controller.payload.gravity
        r["target_gravity"] = -gravity
        r["actual_tool_accelerometer"] = (acceleration[:3] - gravity) @ actual.T[:3, :3]
        self._controller.wrist.write(actual)
