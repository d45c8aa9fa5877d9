"""Options of a simulation, shared by Python and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.control.controller import Controller
from armtwin.errors import InputError
from armtwin.motion.motion import RATE
from armtwin.simulation.pushes import Post, Push
from armtwin.simulation.sensors import Sensors


@dataclass(frozen=True)
class Clock:
    """Rates of a simulation.

    Attributes:
        rate: control periods per second.
        physics: longest physics step [s]; a whole number of them fits into a period.
    """

    rate: float = RATE
    physics: float = 2.5e-4

    @property
    def steps(self) -> int:
        """Physics steps in a control period."""
        if not (np.isfinite(self.rate) and 1 <= self.rate <= 1e5 and 0 < self.physics <= 0.1):
            raise InputError(
                f"a control rate is 1 to 100000 Hz and a physics step at most 0.1 s; got {self}"
            )
        return max(1, int(np.ceil(1 / (self.rate * self.physics) - 1e-9)))


@dataclass(frozen=True, eq=False)
class SimulateOptions:
    """How to simulate.

    Attributes:
        controller: computed torque with the plant's own parameters if not given.
        pushes: external torques and forces at chosen times.
        posts: fixed obstacles that the arm may collide with.
        sensors: errors of the sensors; None for the usual ones.
        clock: control and physics rates.
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
    seed: int = 0
    hulls: bool = False
    notes: tuple[str, ...] = ()
