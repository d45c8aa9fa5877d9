r"""Signals predicted by a parameter vector, and their derivatives by every entry.

.. math:: \tau = Y(q, \dot q, \ddot q, g)\, \pi + J \ddot q, \qquad
          target = \tau, \qquad
          effort = e^{\eta} \tau + f(\dot q, e^{\eta} \tau; p) + o

where the gain ``exp(eta)`` [A/Nm] is 1 when the effort was recorded as a torque. Friction is in the
unit of the effort: every law is linear in the load and in its torques, so that
``e^eta f(qd, tau; p) = f(qd, e^eta tau; e^eta p)``, and friction of an unloaded joint is identified
without its gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.compile.kernel import Kernel, kernel
from armtwin.equations.dynamics import sensitivity as sensitivity_equations
from armtwin.identification.data.runs import Rows, RunBlock
from armtwin.identification.data.smoothing import SmoothedMotion
from armtwin.identification.parameters.prior import geometry_only
from armtwin.identification.parameters.vector import Indices, ParameterLayout
from armtwin.model.arm import Arm
from armtwin.model.drive import MOVING, PARAMETERS, SPEEDS
from armtwin.spatial import Array

SURE_SHARE = 0.03
"""Loads below this share of their RMS may have either sign."""


@dataclass(frozen=True)
class Columns:
    """One joint's prediction over a motion.

    Attributes:
        predicted: (n,).
        by_entry: derivatives (n, k) by the entries at ``indices``.
        indices: (k,).
        sure: samples where the prediction is continuous in the load (n,); None where all are.
    """

    predicted: Array
    by_entry: Array
    indices: Indices
    sure: Rows | None = None


class Predictor:
    """Predicts signals of one arm's geometry for any parameter vector."""

    def __init__(self, arm: Arm, layout: ParameterLayout, unknown: tuple[str, ...] = ()) -> None:
        self.layout = layout
        self._has_payload, self._has_mounting = "payload" in unknown, "mounting" in unknown
        self._regressor = kernel(geometry_only(arm), sensitivity_equations.regressor)
        self._laws: dict[str, Kernel] = {
            law: kernel(None, sensitivity_equations.FRICTION[law]) for law in layout.laws
        }

    def torques(self, motion: SmoothedMotion, vector: Array) -> tuple[Array, Array]:
        """Return Y (n, dof, 10 rows) and the torques of links, payload and rotors (n, dof)."""
        layout = self.layout
        Y = self.matrix(motion, vector[layout.gravity])
        pi = vector[layout.links].copy()
        pi[-10:] += vector[layout.payload]
        return Y, Y @ pi + vector[layout.rotors] * motion.qdd

    def matrix(self, motion: SmoothedMotion, gravity: Array) -> Array:
        """Return the regressor Y (n, dof, 10 rows) for a gravity vector."""
        return self._regressor(motion.q, motion.qd, motion.qdd, gravity)[0]

    def friction(
        self, joint: int, speed: Array, load: Array, vector: Array, scale: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """Return a joint's friction (n,) and its derivatives by load (n,) and parameters (n, k).

        Args:
            joint: index from 0.
            speed: joint speed (n,) [rad/s].
            load: torque that the gear carries (n,), in the unit of the effort, as the friction.
            vector: all parameters (size,).
            scale: factors of the speed-dependent and the dry part (n, 2); None for ones.
        """
        p = np.append(vector[self.layout.friction[joint]], self.layout.smoothing[joint])
        name = self.layout.laws[joint]
        f, by_load, by_parameter = self._laws[name](speed[:, None], load[:, None], p)
        f, by_load = f.reshape(-1), by_load.reshape(-1)
        columns = by_parameter.reshape(-1, p.size)[:, :-1]
        if scale is None:
            return f, by_load, columns
        columns = columns * scale[:, [0 if part in MOVING else 1 for part in PARAMETERS[name]]]
        torques = [k for k, part in enumerate(PARAMETERS[name]) if part not in SPEEDS]
        return columns[:, torques] @ p[torques], scale[:, 1] * by_load, columns

    def predicted(self, block: RunBlock, vector: Array) -> Array:
        """Return the signal (n, dof) of a whole block."""
        parts = [self._signal(block.kind, motion, vector)[0] for _, motion in block.chunks()]
        return np.concatenate(parts)

    def residuals(self, block: RunBlock, vector: Array) -> Array:
        """Return measured less predicted (n, dof); NaN where the direction of power is unsure."""
        found = block.signal.copy()
        for rows, motion in block.chunks():
            predicted, sure = self._signal(block.kind, motion, vector)
            found[rows] -= predicted
            for j, certain in sure.items():
                found[rows, j][~certain] = np.nan
        return found

    def _signal(
        self, kind: str, motion: SmoothedMotion, vector: Array
    ) -> tuple[Array, dict[int, Rows]]:
        """Return the signal (n, dof), and where it is continuous in the load, by joint."""
        tau, sure = self.torques(motion, vector)[1], {}
        if kind == "target":
            return tau, {}
        effort = tau * self.gains(kind, vector)
        for j, law in enumerate(self.layout.laws):
            speed, load = motion.qd[:, j], effort[:, j].copy()
            effort[:, j] += self.friction(j, speed, load, vector, motion.scale(j))[0]
            certain = known_power_direction(law, load)
            if certain is not None:
                sure[j] = certain
        return effort + vector[self.layout.offsets], sure

    def gains(self, kind: str, vector: Array) -> Array:
        """Return the joints' gains (dof,): [A/Nm] for a current, 1 for a torque."""
        logs = vector[self.layout.gains]
        return np.exp(logs) if kind == "current" else np.ones(logs.size)

    def columns(
        self, kind: str, motion: SmoothedMotion, vector: Array, joints: Sequence[int]
    ) -> list[Columns]:
        """Return some joints' predictions over a motion, with derivatives by their entries.

        Args:
            kind: signal that is predicted: "current", "tau" or "target".
            motion: joint positions, speeds and accelerations.
            vector: the parameters (size,) of ``ParameterLayout``.
            joints: which joints, from 0.
        """
        Y, tau = self.torques(motion, vector)
        tilt = self.by_gravity(motion, vector) if self._has_mounting else None
        found = []
        for j in joints:
            mechanics = self._mechanics(j, motion, Y, tilt)
            if kind == "target":
                found.append(Columns(tau[:, j], *mechanics))
            else:
                driven = self._driven(kind, j, motion, tau[:, j], vector, mechanics)
                found.append(driven)
        return found

    def _mechanics(
        self, j: int, motion: SmoothedMotion, Y: Array, tilt: Array | None
    ) -> tuple[Array, Indices]:
        """Return derivatives of a joint's torque by links, rotor, payload, gravity, and indices."""
        layout, everything = self.layout, np.arange(self.layout.size)
        own = layout.moving(j)
        parts = [Y[:, j, own], motion.qdd[:, [j]]]
        indices = [everything[own], everything[layout.rotors][[j]]]
        if self._has_payload:
            parts.append(Y[:, j, -10:])
            indices.append(everything[layout.payload])
        if tilt is not None:
            parts.append(tilt[:, j])
            indices.append(everything[layout.gravity])
        return np.hstack(parts), np.concatenate(indices)

    def _driven(
        self, kind: str, j: int, motion: SmoothedMotion, tau: Array, vector: Array,
        mechanics: tuple[Array, Indices],
    ) -> Columns:  # fmt: skip
        """Return a joint's effort, friction and gain included."""
        layout, everything = self.layout, np.arange(self.layout.size)
        load = float(self.gains(kind, vector)[j]) * tau
        speed, scale = motion.qd[:, j], motion.scale(j)
        f, by_load, by_parameter = self.friction(j, speed, load, vector, scale)
        slope = (float(self.gains(kind, vector)[j]) * (1 + by_load))[:, None]
        columns = [slope * mechanics[0], by_parameter, np.ones((len(f), 1))]
        indices = [mechanics[1], everything[layout.friction[j]], everything[layout.offsets][[j]]]
        if kind == "current":
            columns.append(((1 + by_load) * load)[:, None])
            indices.append(everything[layout.gains][[j]])
        predicted = load + f + vector[layout.offsets][j]
        sure = known_power_direction(layout.laws[j], load)
        return Columns(predicted, np.hstack(columns), np.concatenate(indices), sure)

    def by_gravity(self, motion: SmoothedMotion, vector: Array) -> Array:
        """Return the derivatives of the torques by the gravity vector, (n, dof, 3)."""
        pi = vector[self.layout.links].copy()
        pi[-10:] += vector[self.layout.payload]
        still = np.zeros(motion.q.shape[1])
        unit = [self._regressor(motion.q, still, still, g)[0] @ pi for g in np.eye(3)]
        return np.stack(unit, axis=-1)


def known_power_direction(law: str, load: Array) -> Rows | None:
    """Return where the direction of power is certain, (n,); None where a law does not depend on it.

    The power-flow law is discontinuous where the load changes sign: there a small error of the load
    selects the wrong level of friction.
    """
    if law != "power-flow":
        return None
    return np.asarray(np.abs(load) >= SURE_SHARE * np.sqrt(np.mean(load**2)))
