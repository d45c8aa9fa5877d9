"""Hypotheses of how an arm may differ from its model: an unknown payload, a tilted base."""

from __future__ import annotations

import numpy as np

from armtwin.identification.data.mismatch_evidence import Evidence
from armtwin.spatial import Array


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


class PayloadOnTiltedBase(Hypothesis):
    """Both at once: mass and first moment, then gravity in the base frame (7,).

    Either alone may explain little of what both cause, and its best fit is then far from the truth.
    """

    name = "payload and mounting"

    def start(self, evidence: Evidence) -> list[Array]:
        """Return no payload, with gravity along every axis."""
        return [np.concatenate([np.zeros(4), g]) for g in TiltedBase().start(evidence)]

    def torque(self, evidence: Evidence, x: Array) -> Array:
        """Return the torque of a point mass and of the arm under the other gravity."""
        turned = x[4:] - evidence.gravity
        return np.asarray(self._by_payload(evidence, x) @ x[:4] + evidence.by_gravity @ turned)

    def slopes(self, evidence: Evidence, x: Array) -> Array:
        """Return the derivatives by the payload and by the two rotations of gravity."""
        by_gravity = evidence.by_gravity + np.einsum("njkl,k->njl", evidence.by_both, x[:4])
        return np.concatenate(
            [self._by_payload(evidence, x), by_gravity @ _orthogonal(x[4:])], axis=2
        )

    def moved(self, x: Array, step: Array) -> Array:
        """Return the payload's sum, and gravity rotated."""
        return np.concatenate([x[:4] + step[:4], TiltedBase().moved(x[4:], step[4:])])

    def _by_payload(self, evidence: Evidence, x: Array) -> Array:
        """Return the regressor of the payload under the gravity of ``x``."""
        return np.asarray(evidence.by_payload + evidence.by_both @ (x[4:] - evidence.gravity))


def _orthogonal(gravity: Array) -> Array:
    """Return two unit vectors orthogonal to gravity (3, 2)."""
    return np.asarray(np.linalg.svd(gravity[None, :])[2][1:].T)


HYPOTHESES = {
    hypothesis.name: hypothesis
    for hypothesis in (UnknownPayload(), TiltedBase(), PayloadOnTiltedBase())
}
