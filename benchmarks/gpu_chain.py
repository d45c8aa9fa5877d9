"""Forward kinematics and inverse dynamics of batches, as one writes them with an array library.

The same text runs in PyTorch and in JAX. It is a peer that armtwin is compared with, not a part of
armtwin, and an independent check of its numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import armtwin as at
from armtwin.model.link import expressed_in, inertia_matrix, joint_steps, rows, tool_step

Arrays = Any


class Chain:
    """An arm's constants as arrays of a library, and its recursions over batches.

    Args:
        arm: the arm, all joints revolute.
        constant: makes an array of the library.
        xp: the library's functions (``torch``, ``jax.numpy``).
    """

    def __init__(self, arm: at.Arm, constant: Callable[[Any], Arrays], xp: Any) -> None:
        self.xp, links = xp, [expressed_in(row.joint.link, row.after) for row in rows(arm)]
        self.steps = [(constant(T[:3, :3]), constant(T[:3, 3])) for T in joint_steps(arm)]
        end = tool_step(arm)
        self.end = constant(end[:3, :3]), constant(end[:3, 3])
        self.signs = [float(joint.direction) for joint in arm.joints]
        self.mass = [float(link.mass or 0) for link in links]
        self.com = [constant(np.array(link.com or (0, 0, 0), float)) for link in links]
        self.inertia = [constant(inertia_matrix(link.inertia or (0,) * 6)) for link in links]
        self.lift = constant(-np.array(arm.gravity, float))
        self.z = constant(np.array([0.0, 0.0, 1.0]))

    def _moved(self, k: int, q: Arrays) -> Arrays:
        """Return the rotations of joint frame k in the one before (n, 3, 3)."""
        c, s = self.xp.cos(self.signs[k] * q[:, k]), self.xp.sin(self.signs[k] * q[:, k])
        R = self.steps[k][0]
        x = c[:, None] * R[:, 0] + s[:, None] * R[:, 1]
        y = c[:, None] * R[:, 1] - s[:, None] * R[:, 0]
        return self.xp.stack([x, y, 0 * x + R[:, 2]], -1)

    def fk(self, q: Arrays) -> Arrays:
        """Return rotations and positions of the tool as (n, 3, 4)."""
        R, p = self._moved(0, q), self.steps[0][1] + 0 * q[:, :1]
        for k in range(1, len(self.steps)):
            p = p + (R @ self.steps[k][1][:, None])[..., 0]
            R = R @ self._moved(k, q)
        p = p + (R @ self.end[1][:, None])[..., 0]
        return self.xp.concatenate([R @ self.end[0], p[..., None]], -1)

    def inverse_dynamics(self, q: Arrays, qd: Arrays, qdd: Arrays) -> Arrays:
        """Return joint torques (n, dof) by the recursive Newton-Euler algorithm."""
        cross, zero = self._cross, 0 * q[:, :1] * self.z
        omega, alpha, a = zero, zero, zero + self.lift
        turns, forces = [], []
        for k, (_, p) in enumerate(self.steps):
            R, z = self._moved(k, q), self.z
            a = a + cross(alpha, p + zero) + cross(omega, cross(omega, p + zero))
            a, omega, alpha = ((x[:, None, :] @ R)[:, 0] for x in (a, omega, alpha))
            v, dv = self.signs[k] * qd[:, k, None] * z, self.signs[k] * qdd[:, k, None] * z
            alpha, omega = alpha + cross(omega, v) + dv, omega + v
            c, m = self.com[k] + zero, self.mass[k]
            f = m * (a + cross(alpha, c) + cross(omega, cross(omega, c)))
            n = alpha @ self.inertia[k] + cross(omega, omega @ self.inertia[k]) + cross(c, f)
            turns.append(R)
            forces.append((f, n))
        return self._inward(turns, forces)

    def _inward(self, turns: list[Arrays], forces: list[Arrays]) -> Arrays:
        f, n, found = 0 * forces[0][0], 0 * forces[0][0], []
        for k in reversed(range(len(turns))):
            f, n = forces[k][0] + f, forces[k][1] + n
            found.append(self.signs[k] * n[:, 2])
            f, n = ((turns[k] @ x[..., None])[..., 0] for x in (f, n))
            n = n + self._cross(self.steps[k][1] + 0 * f, f)
        return self.xp.stack(found[::-1], -1)

    def _cross(self, a: Arrays, b: Arrays) -> Arrays:
        return self.xp.linalg.cross(a, b) if hasattr(self.xp, "compile") else self.xp.cross(a, b)
