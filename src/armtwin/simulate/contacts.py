"""The truth about contacts: what they do to the joints, and with what force."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.spatial import Array


class Contacts:
    r"""Reads the forces of all contacts between the arm and what stands still.

    .. math:: \tau_{ext} = J_c^T f_c

    with ``J_c`` and ``f_c`` the rows that contacts add, last of all, to MuJoCo's constraints.
    """

    def __init__(self, mujoco: Any, model: Any, data: Any) -> None:
        self._mujoco, self._model, self._data = mujoco, model, data
        self._wrench = np.zeros(6)
        self._fixed = np.asarray(model.geom_bodyid == 0)

    def read(self) -> tuple[Array, Array]:
        """Return joint torques (dof,) [Nm] and the sum of forces on the arm in base (3,) [N]."""
        data = self._data
        first, last = data.ne + data.nf + data.nl, data.nefc
        J = data.efc_J.reshape(last, -1)[first:]
        return data.efc_force[first:last] @ J, self._force()

    def _force(self) -> Array:
        """Return the sum of the contacts' forces on the arm; frames turn base into contact."""
        total, contacts = np.zeros(3), self._data.contact
        for number, (frame, geoms) in enumerate(zip(contacts.frame, contacts.geom, strict=True)):
            self._mujoco.mj_contactForce(self._model, self._data, number, self._wrench)
            on_second = self._wrench[:3] @ frame.reshape(3, 3)
            total += -on_second if self._fixed[geoms[1]] else on_second
        return total
