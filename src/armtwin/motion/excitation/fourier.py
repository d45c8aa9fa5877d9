"""Informative Fourier series, optimised along the exact gradient."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np

from armtwin.errors import InputError, PlanError
from armtwin.kinematics.forward import fk, jacobian
from armtwin.motion.clearance.clearance import clearance_gradient, clearances
from armtwin.motion.excitation.excitation import (
    RANDOM,
    SAMPLES,
    Excitation,
    ExcitationProblem,
    kept,
    one_thread,
    valued,
)
from armtwin.motion.excitation.information import Information, information
from armtwin.motion.excitation.random_waypoints import random_points
from armtwin.motion.excitation.series import Fourier
from armtwin.motion.motion import Motion, grid
from armtwin.spatial import Array

EDGE = 0.02
"""Margin below which the logarithmic barrier continues as a parabola, so that it stays finite."""


def barrier(room: Array) -> tuple[float, Array]:
    """Return the barrier cost of margins (1 far from the limit, 0 at it), and its derivative."""
    near = room <= EDGE
    z = np.maximum(room, EDGE)
    beyond = (room - 2 * EDGE) / EDGE
    value = np.where(near, 0.5 * (beyond**2 - 1) - np.log(EDGE), -np.log(z))
    slope = np.where(near, beyond / EDGE, -1 / z)
    return float(value.sum()), slope


WEIGHTS = (1.0, 0.1, 0.01)
"""Weights of the barrier against information, one after the other."""
STEPS = 80
"""Most steps of the descent with each weight; larger: slower."""
SHRINK, SHRINKS = 0.93, 30
"""Factor by which the swings shrink until all limits hold, and how often: to 12 % at the least."""
ROOM = 0.25
"""Clearance that counts as far from an obstacle [m]."""
FEW, ROUNDS, EXTRA = 2, 4, 3e-3
"""Shrinks that make up for the time between samples; where links come so close that it takes more,
series that are tried at most, each with the distance that was missed and this added [m]."""


def excite_fourier(
    request: ExcitationProblem, period: float = 10.0, harmonics: int = 5
) -> Excitation:
    """Return a Fourier series from rest to rest, optimised by its gradient.

    Args:
        request: arm, limits, surroundings and duration.
        period: of the fundamental [s].
        harmonics: number of harmonics per joint.

    Raises:
        PlanError: no series keeps to the limits.
    """
    if not (np.isfinite(period) and period > 0) or harmonics < 2:
        raise InputError(
            f"a series has a positive period and two or more harmonics; got {period} s, {harmonics}"
        )
    speed, acceleration, _ = request.limits.values(request.arm)
    with one_thread():
        measure = information(request.arm, speed, acceleration)
        search = _Search(request, measure, Fourier(period, harmonics))
        starts = [(amount, x) for amount, x in search.starts() if np.isfinite(amount)]
        if not starts:
            raise PlanError("no random series keeps to the limits; widen box, floor or margin")
        usual = float(np.mean([amount for amount, _ in starts]))
        ordered = [x for _, x in sorted(starts, key=lambda start: -start[0])]
        return valued(request, measure, search.best(ordered), "fourier", usual)


class _Search:
    """Optimisation from a random series to the most informative one."""

    def __init__(self, request: ExcitationProblem, measure: Information, series: Fourier) -> None:
        self.request, self.measure, self.series = request, measure, series
        time = np.arange(SAMPLES) * series.period / SAMPLES
        self.B = series.rows(time)
        self.speed, self.acceleration, _ = request.limits.values(request.arm)
        self.low, self.high = request.range
        self.extra: Array = np.zeros(1)  # distance asked for beyond the margin, (1,) or (pairs,)

    def starts(self) -> Iterator[tuple[float, Array]]:
        """Yield random series within all limits, with their information."""
        arm, rng = self.request.arm, np.random.default_rng(self.request.seed)
        for number in range(RANDOM):
            self.request.report("drawing random series", 0.3 * number / RANDOM)
            rest = random_points(arm, rng, 1, self.low, self.high, self.request.around)[0]
            x = self.series.of_size(rng, (self.high - self.low) / 2, rest)
            for _ in range(60):
                if self.within(x):
                    yield self.measure.amount(*self.states(x)), x
                    break
                x[1:] *= 0.9

    def states(self, x: Array) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd (samples, dof) of free coefficients x (free, dof)."""
        q, qd, qdd = (np.ascontiguousarray(B @ x) for B in self.B)
        return q, qd, qdd

    def within(self, x: Array) -> bool:
        """Return whether a series keeps to every limit at the samples."""
        return all(bool((room > 0).all()) for room, _ in self.margins(*self.states(x)))

    def margins(self, q: Array, qd: Array, qdd: Array) -> Iterator[tuple[Array, tuple[str, Array]]]:
        """Yield the margins left to every limit (1 far from it, 0 at it) and their derivatives.

        Args:
            q: joint positions (n, dof) [rad | m].
            qd: joint speeds (n, dof) [rad/s | m/s].
            qdd: joint accelerations (n, dof) [rad/s2 | m/s2].
        """
        middle, half = (self.low + self.high) / 2, (self.high - self.low) / 2
        sized = (("q", q - middle, half), ("qd", qd, self.speed), ("qdd", qdd, self.acceleration))
        for name, value, limit in sized:
            yield 1 - (value / limit) ** 2, (name, -2 * value / limit**2)
        around = self.request.around
        distances, _ = clearances(self.request.arm, q, around)
        yield (distances - around.margin - self.extra) / ROOM, ("clearance", distances)
        if self.request.box is not None:
            at = fk(self.request.arm, q, ignore_limits=True)[:, :3, 3]
            low, high = (np.asarray(corner, float) for corner in self.request.box)
            yield (at - low) / ROOM, ("tool", np.full_like(at, 1 / ROOM))
            yield (high - at) / ROOM, ("tool", np.full_like(at, -1 / ROOM))

    def cost(self, flat: Array, weight: float) -> tuple[float, Array]:
        """Return the barrier minus the information, and its gradient."""
        x = flat.reshape(self.series.free, -1)
        q, qd, qdd = self.states(x)
        amount, gradients = self.measure.gradient(q, qd, qdd)
        total, grads = -amount, {n: -p for n, p in zip(("q", "qd", "qdd"), gradients, strict=True)}
        for room, (name, change) in self.margins(q, qd, qdd):
            value, slope = barrier(room)
            total += weight * value
            if name == "clearance":
                gradient = clearance_gradient(
                    self.request.arm, q, self.request.around, slope / ROOM
                )
                grads["q"] += weight * gradient
            elif name == "tool":
                J = jacobian(self.request.arm, q, ignore_limits=True)[:, :3]
                grads["q"] += weight * np.einsum("nij,ni->nj", J, slope * change)
            else:
                grads[name] += weight * slope * change
        triples = zip(self.B, (grads["q"], grads["qd"], grads["qdd"]), strict=True)
        return total, np.asarray(sum(B.T @ g for B, g in triples)).ravel()

    def best(self, starts: list[Array]) -> Motion:
        """Return the most informative motion that keeps to every limit between samples, too.

        Args:
            starts: random series within all limits (free, dof), the most informative one first.

        Raises:
            PlanError: neither an improved nor a random series does.
        """
        x = starts[0]
        for number, weight in enumerate(WEIGHTS):
            x = self.improved(x, weight, 0.3 + 0.4 * number / len(WEIGHTS))
        found = list(self._repaired(x)) or [self._first(starts)]
        return self._motion(max(found, key=lambda y: self.measure.amount(*self.states(y))))

    def _repaired(self, x: Array) -> Iterator[Array]:
        """Yield series within all limits, the later ones with more distance between the links."""
        for number in range(ROUNDS):
            shrinks = SHRINKS
            with contextlib.suppress(PlanError):
                shrinks, series = self.shrunk(x)
                yield series
            missed = self.missed(x)
            if shrinks <= FEW or not missed.any() or number == ROUNDS - 1:
                return
            self.extra = self.extra + np.where(missed > 0, missed + EXTRA, 0.0)
            for weight in WEIGHTS[1:]:
                x = self.improved(x, weight, 0.7 + 0.3 * number / ROUNDS)

    def _first(self, starts: list[Array]) -> Array:
        """Return the first of some random series whose swings can be shrunk to keep all limits."""
        for x in starts[:-1]:
            with contextlib.suppress(PlanError):
                return self.shrunk(x)[1]
        return self.shrunk(starts[-1])[1]

    def improved(self, x: Array, weight: float, share: float) -> Array:
        """Return the coefficients after a descent.

        Args:
            x: free coefficients (free, dof).
            weight: of the barrier against information.
            share: of the whole search that is done, 0 to 1.
        """
        from scipy.optimize import minimize

        flat = minimize(
            self.cost, x.ravel(), (weight,), "L-BFGS-B", jac=True, options={"maxiter": STEPS},
            callback=lambda _: self.request.report("improving the series", share),
        ).x  # fmt: skip
        return np.asarray(flat.reshape(x.shape))

    def shrunk(self, x: Array) -> tuple[int, Array]:
        """Return x with its swings shrunk until every limit holds between samples, and how often.

        Raises:
            PlanError: a limit is exceeded however small the swings.
        """
        rest = x.copy()
        rest[1:] = 0
        for power in range(SHRINKS):
            series = rest + (x - rest) * SHRINK**power
            try:
                kept(self.request, self._motion(series))
            except PlanError as error:
                last = error
            else:
                return power, series
        raise last

    def missed(self, x: Array) -> Array:
        """Return by how much every pair of links comes below the margin (pairs,) [m]."""
        around = self.request.around
        distances, _ = clearances(self.request.arm, self._motion(x).q, around)
        return np.asarray(np.maximum(around.margin - distances.min(axis=0), 0.0))

    def _motion(self, x: Array) -> Motion:
        time = grid(self.series.period, self.request.rate)
        q, qd, qdd = (B @ x for B in self.series.rows(np.minimum(time, self.series.period)))
        name = f"Fourier series, {self.series.harmonics} harmonics in {self.series.period:g} s"
        return Motion(time, q, qd, qdd, name)
