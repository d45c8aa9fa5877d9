"""Options of a simulation, shared by Python and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.control.controller import Controller
from armtwin.dynamics.flexible_joints import Flexibility
from armtwin.errors import InputError
from armtwin.motion.motion import RATE
from armtwin.simulation.pushes import Post, Push
from armtwin.simulation.sensors import Sensors


@dataclass(frozen=True)
class Clock:
    """Rates of a simulation.

    Attributes:
        rate: control periods per second.
        physics: longest physics step [s]; a whole number of them fits into a period. None: 1 ms
            with RK4, 0.25 ms with the other integrators, shorter where a spring requires it.
    """

    rate: float = RATE
    physics: float | None = None

    def __post_init__(self) -> None:
        """Raise InputError for rates and steps out of range."""
        step = 1e-3 if self.physics is None else self.physics
        if not (np.isfinite(self.rate) and 1 <= self.rate <= 1e5 and 0 < step <= 0.1):
            raise InputError(
                f"a control rate is 1 to 100000 Hz and a physics step at most 0.1 s; got {self}"
            )


@dataclass(frozen=True, eq=False)
class SimulateOptions:
    """Options of ``simulate``.

    Attributes:
        controller: computed torque with the plant's own parameters if not given.
        pushes: external torques and forces at chosen times.
        posts: fixed obstacles that the arm may collide with.
        sensors: errors of the sensors; None for the usual ones.
        clock: control and physics rates.
        integrator: ``rk4``, ``implicitfast``, ``implicit`` or ``euler``; None: RK4 unless there
            are posts or viscous friction makes it unstable.
        flexibility: springs between rotors and links; None for rigid joints.
        seed: of the noise; the same seed gives the same run, bit for bit.
        hulls: let posts collide with the convex hulls of the arm's collision shapes (meshes of its
            file, or of an installed description), not with capsules along its links.
        notes: lines for the recording's processing notes, such as errors planted in the plant.
    """

    controller: Controller | None = None
    pushes: Sequence[Push] = ()
    posts: Sequence[Post] = ()
    sensors: Sensors | None = None
    clock: Clock | None = None
    integrator: str | None = None
    flexibility: Flexibility | None = None
    seed: int = 0
    hulls: bool = False
    notes: tuple[str, ...] = ()
