"""Joint controllers: motor torques from measured and reference joint states."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from armtwin.compile.kernel import Kernel, kernel
from armtwin.dynamics.rigid_body import mass_matrix
from armtwin.equations.control import control_law as control_law_equations
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.spatial import Array, as_number, as_numbers

STIFFNESS = 400.0
"""Default stiffness of the error [1/s2]: an error of 20 rad/s bandwidth."""
TRIES = 200
"""Random joint vectors for the mean inertia."""


class Controller(ABC):
    """Computes joint torques from a measured and a reference joint state.

    A controller of one's own needs ``torque`` alone.

    Attributes:
        name: for processing notes; the class's name if a controller gives none.
        lets_fall: speeds beyond the joints' limits are no fault, as in a fall.
    """

    name: str = ""
    lets_fall: bool = False

    def reset(self, q: Array, qd: Array, time: float) -> None:  # noqa: B027
        """Prepare for a run that starts at a measured state; integrators are cleared here.

        Args:
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            time: of the first call of ``torque`` [s].
        """

    @abstractmethod
    def torque(
        self, q: Array, qd: Array, q_ref: Array, qd_ref: Array, qdd_ref: Array, time: float
    ) -> Array:
        """Return the torques at the joints (dof,) [Nm | N] for vectors (dof,).

        Args:
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            q_ref: reference positions (dof,) [rad | m].
            qd_ref: reference speeds (dof,) [rad/s | m/s].
            qdd_ref: reference accelerations (dof,) [rad/s2 | m/s2].
            time: of the run [s].
        """


class ZeroTorque(Controller):
    """No torque at all: the arm falls."""

    name, lets_fall = "no torque", True

    def torque(
        self,
        q: Array,
        qd: Array,
        q_ref: Array,
        qd_ref: Array,
        qdd_ref: Array,
        time: float = 0.0,
    ) -> Array:
        """Return zeros (dof,).

        Args:
            q: joint positions (dof,) [rad | m].
            qd: not used.
            q_ref: not used.
            qd_ref: not used.
            qdd_ref: not used.
            time: not used.
        """
        return np.zeros(np.shape(q))


class ComputedTorque(Controller):
    r"""Computed torque: inverse dynamics with PD error dynamics.

    .. math:: \tau = \hat M(q) (\ddot q_r + k_v \dot e + k_p e) + \hat C \dot q + \hat g
              + share \cdot \hat f(\dot q_r)

    The error of a matched arm obeys ``e'' + kv e' + kp e = 0``; ``kv = 2 sqrt(kp)`` is critical.

    Args:
        model: the controller's model of the arm; it may differ from the plant.
        kp: stiffness of the error [1/s2], one for all joints or (dof,).
        kv: damping of the error [1/s], likewise; ``2 sqrt(kp)`` if not given.
        friction: fraction of the model's friction that is fed forward.
    """

    def __init__(
        self,
        model: ArmLike,
        kp: ArrayLike = STIFFNESS,
        kv: ArrayLike | None = None,
        *,
        friction: float = 1.0,
    ) -> None:
        model = as_arm(model)
        model.require_masses()
        self.name = "computed torque"
        self.kp = gains(model, kp, "kp")
        self.kv = 2 * np.sqrt(self.kp) if kv is None else gains(model, kv, "kv")
        share = as_number(friction, "friction")
        if not 0 <= share < np.inf:
            raise InputError(f"friction is {friction!r}; give a fraction of the model's, 0 or more")
        self._share = np.array([share])
        self._kernel = kernel(model, control_law_equations.computed_torque)

    def torque(
        self,
        q: Array,
        qd: Array,
        q_ref: Array,
        qd_ref: Array,
        qdd_ref: Array,
        time: float = 0.0,
    ) -> Array:
        """Return the torques at the joints (dof,).

        Args:
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            q_ref: reference positions (dof,) [rad | m].
            qd_ref: reference speeds (dof,) [rad/s | m/s].
            qdd_ref: reference accelerations (dof,) [rad/s2 | m/s2].
            time: not used.
        """
        return self.terms(q, qd, q_ref, qd_ref, qdd_ref)[0]

    def terms(
        self, q: Array, qd: Array, q_ref: Array, qd_ref: Array, qdd_ref: Array
    ) -> tuple[Array, Array]:
        """Return the torques (dof,) and the acceleration ``qdd_ref + kv e' + kp e`` (dof,).

        A load that the model does not have takes its own torques for that acceleration.

        Args:
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            q_ref: reference positions (dof,) [rad | m].
            qd_ref: reference speeds (dof,) [rad/s | m/s].
            qdd_ref: reference accelerations (dof,) [rad/s2 | m/s2].
        """
        inputs = (q, qd, q_ref, qd_ref, qdd_ref, self.kp, self.kv, self._share)
        tau, acceleration = self._kernel.fast(*inputs) or _checked(self._kernel, inputs)
        return tau, acceleration


class GravityPD(Controller):
    r"""PD control of every joint with gravity compensation.

    .. math:: \tau = k_p e + k_d \dot e + \hat g(q)

    Args:
        model: the controller's model of the arm; it may differ from the plant.
        kp: stiffness [Nm/rad], one for all joints or (dof,); if not given, ``400 m`` with m the
            joint's mean inertia over random joint vectors.
        kd: damping [Nms/rad], likewise; ``2 sqrt(kp m)`` if not given.
    """

    def __init__(
        self, model: ArmLike, kp: ArrayLike | None = None, kd: ArrayLike | None = None
    ) -> None:
        model = as_arm(model)
        model.require_masses()
        self.name = "PD with gravity"
        inertia = mean_inertia(model)
        self.kp = STIFFNESS * inertia if kp is None else gains(model, kp, "kp")
        self.kd = 2 * np.sqrt(self.kp * inertia) if kd is None else gains(model, kd, "kd")
        self._kernel = kernel(model, control_law_equations.gravity_pd)

    def torque(
        self,
        q: Array,
        qd: Array,
        q_ref: Array,
        qd_ref: Array,
        qdd_ref: Array,
        time: float = 0.0,
    ) -> Array:
        """Return the torques at the joints (dof,); the reference acceleration is not used.

        Args:
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            q_ref: reference positions (dof,) [rad | m].
            qd_ref: reference speeds (dof,) [rad/s | m/s].
            qdd_ref: reference accelerations (dof,) [rad/s2 | m/s2].
            time: not used.
        """
        inputs = (q, qd, q_ref, qd_ref, self.kp, self.kd)
        return (self._kernel.fast(*inputs) or _checked(self._kernel, inputs))[0]


def _checked(compiled: Kernel, inputs: tuple[ArrayLike, ...]) -> tuple[Array, ...]:
    """Return the outputs of a control law for what its fast path did not take.

    Raises:
        InputError: something that is no number, or not one per joint.
    """
    names = [port.name for port in compiled.program.inputs]
    return compiled(*[as_numbers(x, name) for x, name in zip(inputs, names, strict=True)])


CONTROLLERS = ("computed-torque", "gravity-pd", "none")
"""Names of the controllers, as the command line and study files write them."""


def named_controller(
    kind: str, model: ArmLike, kp: ArrayLike | None = None, kv: ArrayLike | None = None
) -> Controller:
    """Return a controller by the name of its law.

    Args:
        kind: one of ``CONTROLLERS``.
        model: the arm as the controller knows it.
        kp: position gain; None for the default.
        kv: speed gain; None for the default.
    """
    if kind == "computed-torque":
        return ComputedTorque(model, STIFFNESS if kp is None else kp, kv)
    if kind == "gravity-pd":
        return GravityPD(model, kp, kv)
    if kind == "none":
        return ZeroTorque()
    raise InputError(f"no controller {kind!r}; there are {', '.join(CONTROLLERS)}")


def mean_inertia(model: Arm) -> Array:
    """Return the mean inertia at each joint over random joint vectors (dof,) [kg m2]."""
    low, high = np.maximum(model.lower, -np.pi), np.minimum(model.upper, np.pi)
    q = np.random.default_rng(0).uniform(low, high, (TRIES, model.dof))
    M = mass_matrix(model, q, ignore_limits=True)
    return np.asarray(np.diagonal(M, axis1=1, axis2=2).mean(axis=0))


def gains(model: Arm, value: ArrayLike, name: str) -> Array:
    """Return one gain per joint (dof,).

    Args:
        model: the arm.
        value: one number, or (dof,).
        name: of the gain, for the message.
    """
    array = as_numbers(value, name)
    if array.shape not in ((), (model.dof,)):
        raise InputError(f"{name} is one number or {model.dof}, got shape {array.shape}")
    if not np.isfinite(array).all() or (array < 0).any():
        raise InputError(f"{name} must be finite and not negative, got {value!r}")
    return np.array(np.broadcast_to(array, (model.dof,)))
