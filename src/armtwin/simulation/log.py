"""Arrays of a simulated run, and its recording."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm
from armtwin.model.drive import effort_limits, torque_per_ampere
from armtwin.motion.motion import Motion
from armtwin.recording.recording import Recording
from armtwin.simulation.pushes import Push
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.simulation.plant import Plant


class SimulationLog:
    """Arrays (n, dof) of a run, filled row by row.

    Attributes:
        filled: how many rows have been written.
    """

    def __init__(
        self, arm: Arm, motion: Motion, plant: Plant, *, contacts: bool, seed: int, integrator: str
    ) -> None:
        self.arm, self.motion, self.seed, self.filled = arm, motion, seed, 0
        self.step, self.integrator = float(plant.model.opt.timestep), integrator
        self.flexible = plant.model.nv > arm.dof
        shape = motion.q.shape
        self.q, self.qd, self.tau = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.command, self.external = np.zeros(shape), np.zeros(shape)
        self.true_q, self.true_qd = np.zeros(shape), np.zeros(shape)
        self.force = np.zeros((len(motion), 3)) if contacts else None

    @property
    def links(self) -> Arm:
        """The arm whose joint vectors are those of the links: without compliance if flexible."""
        if not self.flexible:
            return self.arm
        stiff = [dataclasses.replace(joint, compliance=0.0) for joint in self.arm.joints]
        return self.arm.with_(joints=tuple(stiff))

    def recording(self, controller: str, pushes: Sequence[Push]) -> Recording:
        """Return the rows filled so far as a recording."""
        n = slice(0, self.filled)
        motion = self.motion
        groups: dict[str, Array] = {
            "q": self.q[n], "qd": self.qd[n], "tau": self.tau[n],
            "target_q": motion.q[n], "target_qd": motion.qd[n], "target_qdd": motion.qdd[n],
            "target_tau": self.command[n],
            "position": fk(self.arm, self.q[n], ignore_limits=True)[:, :3, 3],
            "target_position": fk(self.arm, motion.q[n], ignore_limits=True)[:, :3, 3],
        }  # fmt: skip
        amperes = torque_per_ampere(self.arm)
        if np.isfinite(amperes).all():
            groups["current"] = self.tau[n] / amperes
        truth, units = self._truth(n)
        made = Recording.of(
            motion.time[n], groups | truth, arm=self.arm.name, origin="simulated", units=units
        )
        return made.with_notes(*self._notes(controller, pushes))

    def _truth(self, n: slice) -> tuple[dict[str, Array], dict[str, str]]:
        columns = {f"tau_ext{k + 1}": x for k, x in enumerate(self.external[n].T)}
        units = dict.fromkeys(columns, "Nm")
        tool = fk(self.links, self.true_q[n], ignore_limits=True)[:, :3, 3]
        if self.flexible:
            columns |= {f"link_q{k + 1}": x for k, x in enumerate(self.true_q[n].T)}
            units |= dict.fromkeys([f"link_q{k + 1}" for k in range(self.arm.dof)], "rad")
        columns |= {f"true_{axis}": tool[:, k] for k, axis in enumerate("xyz")}
        units |= {f"true_{axis}": "m" for axis in "xyz"}
        if self.force is not None:
            columns |= {f"contact_{axis}": self.force[n, k] for k, axis in enumerate("xyz")}
            units |= {f"contact_{axis}": "N" for axis in "xyz"}
        return columns, units

    def _notes(self, controller: str, pushes: Sequence[Push]) -> list[str]:
        rate = 1 / self.motion.step
        lines = [
            f"simulated in MuJoCo: {self.motion.name}, {controller}, {rate:g} Hz over physics "
            f"steps of {self.step * 1e3:.4g} ms ({self.integrator}), seed {self.seed}"
        ]
        if self.flexible:
            lines.append("flexible joints: link_q1... are the true positions of the links")
        lines += [f"pushed: {push}" for push in pushes]
        full = effort_limits(self.arm)
        clipped = int((np.abs(self.command[: self.filled]) >= full).any(axis=1).sum())
        if clipped:
            lines.append(f"motor torque at its limit in {clipped} of {self.filled} rows")
        return lines
