r"""Presliding friction of a plant: Maxwell-slip elements with an implicit step.

Over a step h the elements of ``equations/drives/presliding`` change by the displacement of its end,

.. math:: f(q + h \dot q') \approx f(q) + h K \dot q', \qquad
          K = \frac{dry}{N} \sum_{sticking} \frac{1}{d_i}

so that ``h K`` acts as damping that MuJoCo integrates implicitly: stable for any stiffness and
step, and a standing joint is held by its elements without creep.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.equations.drives import presliding as presliding_equations
from armtwin.equations.dynamics import plant as plant_equations
from armtwin.model.arm import Arm
from armtwin.model.drive import viscous_slope
from armtwin.spatial import Array


class PlantPresliding:
    """Elements of the joints that have presliding, stepped with the plant.

    Args:
        arm: the arm.
        step: length of a physics step [s].

    Attributes:
        joints: which joints have presliding (dof,).
        z: state of the elements (dof, elements), from -1 to 1.
    """

    def __init__(self, arm: Arm, step: float) -> None:
        numbers = [_numbers(joint.drive) for joint in arm.driven]
        self.joints = np.array([n is not None for n in numbers])
        chosen = np.array([n or (1.0, 1.0) for n in numbers])
        self._distance, self._exponent = chosen[:, :1].copy(), chosen[:, 1:].copy()
        count = presliding_equations.ELEMENTS
        steps = np.arange(1, count + 1) / count
        self._displacements = self._distance * steps**self._exponent
        self.z, self._step = np.zeros((arm.dof, count)), step
        self._slope = np.array([viscous_slope(j.drive) if j.drive else 0.0 for j in arm.driven])
        self._kernel = kernel(None, presliding_equations.step)
        self._loads = kernel(arm, plant_equations.held_loads)

    def reset(self) -> None:
        """Release all elements."""
        self.z[:] = 0.0

    def begin(self, model: Any, qd: Array, tau: Array) -> Array:
        """Set damping for the next physics step and return the elements' torques (dof,) [Nm].

        Args:
            model: the MuJoCo model, whose damping and dry friction are set.
            qd: joint speeds of the rotors (dof,) [rad/s].
            tau: torques of the motors at the joints (dof,) [Nm].
        """
        share = self.z.mean(axis=1)
        load, grip = self._loads(qd, tau, share)
        slips = self.z * np.sign(qd)[:, None] >= 1.0
        stiffness = np.where(slips, 0.0, 1 / self._displacements).mean(axis=1) * grip
        damping = self._slope + self._step * stiffness
        count = damping.size
        model.dof_damping[-count:][self.joints] = damping[self.joints]
        model.dof_frictionloss[-count:][self.joints] = 0.0
        return np.where(self.joints, tau - load - self._slope * qd, 0.0)

    def end(self, dq: Array) -> None:
        """Displace the elements by the joints' displacements of a step (dof,) [rad]."""
        moved = dq[:, None].copy()
        self.z = self._kernel(self.z, moved, self._distance, self._exponent)[0]


def has_presliding(arm: Arm) -> bool:
    """Return whether the friction of any joint has presliding."""
    return any(_numbers(joint.drive) is not None for joint in arm.driven)


def presliding_states(arm: Arm) -> int:
    """Return the number of elements of all joints."""
    having = sum(_numbers(joint.drive) is not None for joint in arm.driven)
    return having * presliding_equations.ELEMENTS


def presliding_of(arm: Arm, step: float) -> PlantPresliding | None:
    """Return the arm's presliding; None where no joint has any."""
    return PlantPresliding(arm, step) if has_presliding(arm) else None


def _numbers(drive: Any) -> tuple[float, float] | None:
    """Return displacement at the joint [rad] and exponent of a drive's presliding."""
    if drive is None or drive.friction is None:
        return None
    numbers = dict(drive.friction.parameters)
    if "presliding" not in numbers:
        return None
    gear = abs(drive.gear) if drive.friction.side == "motor" else 1.0
    return numbers["presliding"] / gear, numbers.get("yield_exponent", 1.0)
