"""MuJoCo's integrators: which one a run takes, and how long its steps may be.

Measured by ``python -m benchmarks.integrators`` against DOP853 of our own forward dynamics: the
semi-implicit integrators are of first order in the step, RK4 is of fourth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.dynamics.flexible_joints import Flexibility, fastest_rates
from armtwin.dynamics.presliding import has_presliding
from armtwin.dynamics.rigid_body import mass_matrix
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.drive import viscous_and_coulomb
from armtwin.simulation.pushes import Post
from armtwin.spatial import Array

LONGEST = {"rk4": 1e-3, "implicit": 2.5e-4, "implicitfast": 2.5e-4, "euler": 2.5e-4}
"""The integrators, each with the longest step that it takes unless one is given [s]."""
STIFF = 1.0
"""Decay rate times step above which RK4 is not chosen; it is unstable above 2.78."""
SPRING = 0.2
"""Angular frequency of the stiffest spring times the step, unless a step is given."""
UNSTABLE = 2.0
"""The same, beyond which a step is refused."""
SAMPLES = 50
"""Joint vectors of a motion at which rates are computed."""


def choose_integrator(
    arm: Arm, q: Array, posts: Sequence[Post] = (), integrator: str | None = None
) -> str:
    """Return the integrator of a run.

    RK4 unless viscous friction on a small inertia makes it unstable, or there are posts: the force
    of a contact is recorded step by step, and of fourth order nothing is left at an impact. The
    elements of presliding friction are stepped semi-implicitly.

    Args:
        arm: the plant.
        q: joint vectors of its motion (n, dof) [rad | m].
        posts: obstacles.
        integrator: the requested one; None for the choice above.

    Raises:
        InputError: no integrator of that name, or RK4 with presliding friction.
    """
    if integrator is not None:
        if integrator not in LONGEST:
            raise InputError(f"no integrator {integrator!r}; there are {', '.join(LONGEST)}")
        if integrator == "rk4" and has_presliding(arm):
            raise InputError(
                f"arm {arm.name!r} has presliding friction, whose elements need a semi-implicit "
                "integrator; leave the choice open, or take implicitfast"
            )
        return integrator
    if posts or has_presliding(arm) or _decay(arm, q) * LONGEST["rk4"] > STIFF:
        return "implicitfast"
    return "rk4"


def longest_step(
    arm: Arm, q: Array, integrator: str, flexibility: Flexibility | None, given: float | None
) -> float:
    """Return the longest physics step of a run [s].

    Args:
        arm: the plant.
        q: joint vectors of its motion (n, dof) [rad | m].
        integrator: its name.
        flexibility: springs in the joints; None for rigid ones.
        given: the requested step; None for the integrator's own, or a shorter one that
            follows the stiffest spring.

    Raises:
        InputError: a given step with which a spring is unstable.
    """
    if flexibility is None:
        return LONGEST[integrator] if given is None else given
    frequency, decay = fastest_rates(arm, flexibility, _some(q))
    good = min(LONGEST[integrator], SPRING / frequency, STIFF / max(decay, 1e-9))
    if given is None:
        return good
    if max(frequency, decay) * given > UNSTABLE:
        raise InputError(
            f"physics steps of {given * 1e3:g} ms are too long for a spring of {frequency:.0f} "
            f"rad/s with a damper of {decay:.0f} 1/s; steps of {good * 1e3:.2g} ms follow them"
        )
    return given


def _some(q: Array) -> Array:
    return q[:: max(1, len(q) // SAMPLES)]


def _decay(arm: Arm, q: Array) -> float:
    """Return the fastest decay rate that viscous friction gives the arm [1/s]."""
    known = [viscous_and_coulomb(joint.drive) for joint in arm.driven]
    root = np.sqrt([0.0 if pair is None else pair[0] for pair in known])
    if not root.any():
        return 0.0
    M = mass_matrix(arm, _some(q), ignore_limits=True)
    return float(np.linalg.eigvalsh(root[:, None] * np.linalg.inv(M) * root).max())
