"""Hypotheses of how an arm may differ from its model: an unknown payload, a tilted base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.runs import Rows
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class Evidence:
    """Signals, reference torques and motion of all runs, below the band and thinned.

    Attributes:
        signal: motors' signals (n, dof) [A or Nm].
        reference: torques of the tested model (n, dof) [Nm].
        qd: (n, dof) [rad/s].
        qdd: (n, dof) [rad/s2].
        used: mask of the used samples (n, dof).
        by_payload: torque by mass and first moment of a payload on the last link (n, dof, 4).
        by_gravity: torque by gravity in the base frame (n, dof, 3).
        gravity: gravity of the model in the base frame (3,) [m/s2].
        fold: number of the block of time, 0 to FOLDS - 1 (n,).
    """

    signal: Array
    reference: Array
    qd: Array
    qdd: Array
    used: Rows
    by_payload: Array
    by_gravity: Array
    gravity: Array
    fold: Array


class Hypothesis:
    """A difference between the arm and the model; this one is the null hypothesis."""

    name = "none"

    def start(self, evidence: Evidence) -> list[Array]:
        """Return the start values of the search."""
        return [np.zeros(0)]

    def torque(self, evidence: Evidence, x: Array) -> Array:
        """Return the torque that the hypothesis adds (n, dof) [Nm]."""
        return np.zeros_like(evidence.reference)

    def slopes(self, evidence: Evidence, x: Array) -> Array:
        """Return the derivatives of that torque by a step, (n, dof, k)."""
        return np.zeros((*evidence.reference.shape, 0))

    def moved(self, x: Array, step: Array) -> Array:
        """Return the parameters after a step (k,)."""
        return x


class UnknownPayload(Hypothesis):
    """A payload that the model does not have: mass and first moment (4,)."""

    name = "payload"

    def start(self, evidence: Evidence) -> list[Array]:
        """Return no payload."""
        return [np.zeros(4)]

    def torque(self, evidence: Evidence, x: Array) -> Array:
        """Return the torque of a point mass."""
        return np.asarray(evidence.by_payload @ x)

    def slopes(self, evidence: Evidence, x: Array) -> Array:
        """Return the regressor of the payload."""
        return evidence.by_payload

    def moved(self, x: Array, step: Array) -> Array:
        """Return the sum."""
        return np.asarray(x + step)


class TiltedBase(Hypothesis):
    """Another mounting than that of the model: gravity in the base frame (3,)."""

    name = "mounting"

    def start(self, evidence: Evidence) -> list[Array]:
        """Return gravity along every axis: a search from one may miss a wall or ceiling mount."""
        known, size = evidence.gravity, float(np.linalg.norm(evidence.gravity))
        along = [size * axis for axis in (*np.eye(3), *-np.eye(3))]
        return [known, *(one for one in along if not np.allclose(one, known))]

    def torque(self, evidence: Evidence, x: Array) -> Array:
        """Return the torque of the difference of both gravity vectors."""
        return np.asarray(evidence.by_gravity @ (x - evidence.gravity))

    def slopes(self, evidence: Evidence, x: Array) -> Array:
        """Return the derivatives by the two rotations of gravity."""
        return np.asarray(evidence.by_gravity @ _orthogonal(x))

    def moved(self, x: Array, step: Array) -> Array:
        """Return gravity rotated, with the same magnitude."""
        turned = x + _orthogonal(x) @ step
        return np.asarray(turned * (np.linalg.norm(x) / np.linalg.norm(turned)))


def _orthogonal(gravity: Array) -> Array:
    """Return two unit vectors orthogonal to gravity (3, 2)."""
    return np.asarray(np.linalg.svd(gravity[None, :])[2][1:].T)


HYPOTHESES = {hypothesis.name: hypothesis for hypothesis in (UnknownPayload(), TiltedBase())}
