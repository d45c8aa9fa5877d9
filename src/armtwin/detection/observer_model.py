"""The arm's model with corrections learned from clean runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from armtwin.compile.kernel import Kernel, kernel
from armtwin.equations.control import learned_observer as learned_observer_equations
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

SMOOTHING = 0.005
"""Speed over which friction changes sign [rad/s]."""
CREEP, SPEEDS = 20.0, (0.1, 1.0)
"""Speed at which dry friction is read, in multiples of the smoothing: its sign is settled. And
two speeds [rad/s] whose difference separates viscous from dry friction."""


@dataclass(frozen=True, eq=False)
class ObserverModel:
    """An arm with learned corrections.

    Attributes:
        arm: the arm.
        theta: corrections, see ``equations.learned``; zero where nothing was learned.
        smoothing: speed over which friction changes sign [rad/s].
        per_ampere: torque at the joints per ampere of motor current (dof,) [Nm/A], where known.
        notes: how it came about.
    """

    arm: Arm
    theta: Array
    smoothing: float = SMOOTHING
    per_ampere: Array | None = None
    notes: tuple[str, ...] = ()
    _kernel: Kernel = field(init=False, repr=False)
    _smoothing: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make the equations ready."""
        self.arm.require_masses()
        object.__setattr__(self, "_kernel", kernel(self.arm, learned_observer_equations.rate))
        object.__setattr__(self, "_smoothing", np.array([self.smoothing]))
        if self.theta.shape != (self.size(self.arm),) or not np.isfinite(self.theta).all():
            raise InputError(f"theta has shape {self.theta.shape}; see equations.learned")

    @classmethod
    def plain(cls, arm: Arm, per_ampere: Array | None = None) -> ObserverModel:
        """Return the arm as its file has it."""
        return cls(arm, np.zeros(cls.size(arm)), per_ampere=per_ampere)

    @staticmethod
    def size(arm: Arm) -> int:
        """Return how many corrections there are."""
        return 10 * len(arm.joints) + 5 * arm.dof

    def rate(self, q: Array, qd: Array, tau: Array) -> tuple[Array, Array]:
        """Return momentum p [Nm s] and its known rate u [Nm], both (dof,) or (n, dof).

        Args:
            q: joint positions (dof,) or (n, dof) [rad | m].
            qd: joint speeds, same shape [rad/s | m/s].
            tau: measured joint torques, same shape [Nm | N].
        """
        inputs = (q, qd, tau, self.theta, self._smoothing)
        found = self._kernel.fast(*inputs) if q.ndim == 1 else None
        p, u = found or self._kernel(*inputs)
        return p, u

    def finite_rate(self, q: Array, qd: Array, tau: Array) -> Sequence[Array] | None:
        """Return p and u of one sample (dof,); None where it holds NaN or infinity.

        Args:
            q: joint positions (dof,) [rad | m].
            qd: joint speeds (dof,) [rad/s | m/s].
            tau: measured joint torques (dof,) [Nm | N].
        """
        found = self._kernel.fast(q, qd, tau, self.theta, self._smoothing)
        if found is not None:
            return found
        q, qd, tau = (np.asarray(x, float) for x in (q, qd, tau))
        if not all(np.isfinite(x).all() for x in (q, qd, tau)):
            return None
        return self.rate(q, qd, tau)

    @property
    def at_joints(self) -> Array:
        """Learned rotor inertia, Coulomb, viscous, load share and offset of each joint (dof, 5)."""
        return np.asarray(self.theta[10 * len(self.arm.joints) :].reshape(self.arm.dof, 5))

    def dry_friction(self) -> Array:
        """Return how strong friction is at creeping speed (dof,) [Nm], the arm's own included."""
        return np.asarray(np.maximum(self._friction(CREEP * self.smoothing), 0.0))

    def own_friction(self) -> tuple[Array, Array]:
        """Return friction as dry (dof,) [Nm] and viscous (dof,) [Nms/rad], by two speeds."""
        slow, fast = (self._friction(speed) for speed in SPEEDS)
        viscous = (fast - slow) / (SPEEDS[1] - SPEEDS[0])
        return np.maximum(slow - SPEEDS[0] * viscous, 0.0), np.maximum(viscous, 0.0)

    def _friction(self, speed: float) -> Array:
        """Return half of what a change of direction changes (dof,) [Nm]."""
        still, moving = np.zeros(self.arm.dof), np.full(self.arm.dof, speed)
        forward, backward = (self.rate(still, v, still)[1] for v in (moving, -moving))
        return np.asarray((backward - forward) / 2)
