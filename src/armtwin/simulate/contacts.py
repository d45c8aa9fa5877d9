"""The truth about contacts: what they do to the joints, and with what force."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.spatial import Array


class Contacts:
    r"""Reads the forces of all contacts between the arm and what stands still.

    .. math:: \tau_{ext} = \sum_c J_c^T f_c

    with ``J_c`` the Jacobian of the arm's point in contact c and ``f_c`` the force on the arm.
    """

    def __init__(self, mujoco: Any, model: Any, data: Any) -> None:
        self._mujoco, self._model, self._data = mujoco, model, data
        self._jacobian = np.zeros((3, model.nv))
        self._wrench = np.zeros(6)

    def read(self) -> tuple[Array, Array]:
        """Return joint torques (dof,) [Nm] and the sum of forces on the arm in base (3,) [N]."""
        torque, total = np.zeros(self._model.nv), np.zeros(3)
        for number in range(self._data.ncon):
            contact = self._data.contact[number]
            self._mujoco.mj_contactForce(self._model, self._data, number, self._wrench)
            on_second = contact.frame.reshape(3, 3).T @ self._wrench[:3]
            first, second = (int(self._model.geom_bodyid[geom]) for geom in contact.geom)
            body, force = (second, on_second) if second else (first, -on_second)
            self._mujoco.mj_jac(self._model, self._data, self._jacobian, None, contact.pos, body)
            torque += self._jacobian.T @ force
            total += force
        return torque, total
