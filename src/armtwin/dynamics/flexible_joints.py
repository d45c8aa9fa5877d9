"""Flexible joints: rotors and links connected by springs with dampers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.kernel import run
from armtwin.dynamics.rigid_body import mass_matrix
from armtwin.equations.dynamics import plant as plant_equations
from armtwin.errors import InputError, MissingDataError
from armtwin.kinematics.joints import as_joints, as_vectors
from armtwin.model import drive as drives
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import Array, as_numbers


@dataclass(frozen=True, eq=False)
class Flexibility:
    """Stiffness and damping between rotor and link of every joint.

    Attributes:
        stiffness: one for all joints or (dof,) [Nm/rad | N/m]; None: the inverse of the
            compliances in the arm file.
        damping: one for all joints or (dof,) [Nms/rad | Ns/m].
        encoder: the side that the position sensors measure, ``motor`` or ``link``.
    """

    stiffness: ArrayLike | None = None
    damping: ArrayLike = 0.0
    encoder: Literal["motor", "link"] = "motor"

    def of(self, arm: Arm) -> tuple[Array, Array]:
        """Return stiffness and damping per joint of an arm (dof,).

        Raises:
            InputError: numbers that are not positive, or not one per joint.
            MissingDataError: no stiffness is given and a joint of the arm has no compliance.
        """
        if self.encoder not in ("motor", "link"):
            raise InputError(f"encoder is 'motor' or 'link', got {self.encoder!r}")
        stiffness = self._own(arm) if self.stiffness is None else self.stiffness
        k, d = _per_joint(arm, stiffness, "stiffness"), _per_joint(arm, self.damping, "damping")
        if (k <= 0).any() or (d < 0).any():
            raise InputError(
                f"stiffness must be positive and damping not negative; got {stiffness!r} and "
                f"{self.damping!r}"
            )
        return k, d

    @staticmethod
    def _own(arm: Arm) -> list[float]:
        stiff = [joint.name for joint in arm.driven if joint.compliance <= 0]
        if stiff:
            raise MissingDataError(
                f"arm {arm.name!r} has no compliance for {', '.join(stiff)}; give stiffness= "
                "[Nm/rad], or add compliance [rad/Nm] to its file"
            )
        return [1 / joint.compliance for joint in arm.driven]


def _per_joint(arm: Arm, value: ArrayLike, name: str) -> Array:
    found = as_vectors(np.ravel(as_numbers(value, name)), np.size(value), name)
    if found.size not in (1, arm.dof):
        raise InputError(f"{name} is one number or {arm.dof}, got {found.size}: {value!r}")
    return np.array(np.broadcast_to(found, (arm.dof,)))


def rotor_inertias(arm: Arm) -> Array:
    """Return the rotor inertias at the joints (dof,) [kg m2].

    Raises:
        MissingDataError: a joint without a rotor, which a spring cannot hold.
    """
    found = np.array([drives.armature(joint.drive) for joint in arm.driven])
    missing = [joint.name for joint, inertia in zip(arm.driven, found, strict=True) if inertia <= 0]
    if missing:
        raise MissingDataError(
            f"arm {arm.name!r} has no rotor inertia for {', '.join(missing)}: flexible joints need "
            "one; add drives to its file (simulate --drives real takes those of a UR10e)"
        )
    return found


class FlexibleAccelerations(NamedTuple):
    """Accelerations of links and rotors, each (..., dof) [rad/s2 | m/s2]."""

    qdd: Array
    thetadd: Array


def flexible_dynamics(
    arm: ArmLike,
    q: ArrayLike,
    qd: ArrayLike,
    theta: ArrayLike,
    thetad: ArrayLike,
    tau: ArrayLike,
    *,
    flexibility: Flexibility,
) -> FlexibleAccelerations:
    """Return the accelerations of links and rotors with flexible joints, friction included.

    Args:
        arm: an arm with masses and rotors, its catalogue name or its file.
        q: positions of the links (..., dof) [rad | m]; limits are not checked.
        qd: speeds of the links (..., dof) [rad/s | m/s].
        theta: positions of the rotors behind their gears (..., dof) [rad | m].
        thetad: speeds of the rotors behind their gears (..., dof) [rad/s | m/s].
        tau: motor torques at the joints (..., dof) [Nm | N].
        flexibility: stiffness and damping.
    """
    arm = as_arm(arm)
    arm.require_masses()
    named = {"qd": qd, "theta": theta, "thetad": thetad, "tau": tau}
    vectors = [as_vectors(x, arm.dof, f"arm {arm.name!r}: {name}") for name, x in named.items()]
    joints = as_joints(arm, q, ignore_limits=True)
    numbers = (*flexibility.of(arm), rotor_inertias(arm))
    equation = plant_equations.flexible_plant
    return FlexibleAccelerations(*run(arm, equation, joints, *vectors, *numbers))


def fastest_rates(arm: Arm, flexibility: Flexibility, q: Array) -> tuple[float, float]:
    r"""Return the largest angular frequency and the largest decay rate of the springs [1/s].

    .. math:: \omega^2 = \max \lambda(K (M_l^{-1} + B^{-1})), \qquad
              \sigma = \max \lambda(D (M_l^{-1} + B^{-1}))

    Args:
        arm: an arm with masses and rotors.
        flexibility: stiffness and damping.
        q: joint vectors at which they are computed (n, dof) [rad | m].
    """
    (k, d), rotors = flexibility.of(arm), rotor_inertias(arm)
    links = mass_matrix(arm, q, ignore_limits=True) - np.diag(rotors)
    mobility = np.linalg.inv(links) + np.diag(1 / rotors)

    def largest(x: Array) -> float:
        root = np.sqrt(x)
        return float(np.linalg.eigvalsh(root[:, None] * mobility * root).max())

    return float(np.sqrt(largest(k))), largest(d)
