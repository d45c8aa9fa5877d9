"""Numbers of the arm with their 95 % intervals, beside what was known before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.parameters.base_parameters import BaseParameters
from armtwin.identification.parameters.prior import gear_power
from armtwin.identification.parameters.vector import FRICTION_UNITS, ParameterLayout
from armtwin.model.arm import Arm, Drive
from armtwin.model.drive import PARAMETERS
from armtwin.spatial import Array

NEWS = 0.5
"""An estimate is the data's where they halve what was uncertain before; else the prior's."""


@dataclass(frozen=True)
class Estimate:
    """One number with its interval.

    Attributes:
        name: joints and rows from 1: ``torque_constant2``, ``viscous1``, ``rotor_inertia6``.
        unit: its unit.
        value: the estimate.
        low: lower end of the 95 % interval.
        high: upper end.
        prior: what the file had; None where it had nothing.
        source: "data", "prior" (the data do not tell), "bound" (at zero) or "chosen".
        joint: its joint or row, from 1; 0 for the whole arm.
    """

    name: str
    unit: str
    value: float
    low: float
    high: float
    prior: float | None
    source: str
    joint: int


class Reader:
    """Reads estimates off a vector and its covariance."""

    def __init__(self, found: Posterior, layout: ParameterLayout) -> None:
        self._found, self._layout = found, layout
        self._position = np.full(layout.size, -1)
        self._position[found.belief.free] = np.arange(found.belief.free.size)
        spread = 1 / np.sqrt(np.diag(found.belief.precision))
        self._before = np.where(self._position >= 0, spread, 0.0)
        self._bound = set(found.bound.tolist())

    def linear(self, weights: Array) -> tuple[float, float, float]:
        """Return value, 95 % half width and the prior's deviation of ``weights . vector``."""
        free = self._found.belief.free
        w = weights[free]
        variance = float(w @ self._found.covariance @ w)
        before = float(np.sqrt((weights**2 * self._before**2).sum()))
        half = self._found.factor * float(np.sqrt(max(variance, 0.0)))
        return float(weights @ self._found.vector), half, before

    def is_free(self, place: int) -> bool:
        """Return whether an entry was estimated."""
        return bool(self._position[place] >= 0)

    def at_bound(self, place: int) -> bool:
        """Return whether an entry stands at its bound."""
        return place in self._bound

    def source(self, half: float, before: float) -> str:
        """Return whether the data or the prior decide a number."""
        return "data" if half / self._found.factor < NEWS * before else "prior"


def drive_estimates(
    arm: Arm, layout: ParameterLayout, found: Posterior, kind: str, gears: Array
) -> list[Estimate]:
    """Return torque constants, rotor inertias and friction with their intervals.

    Args:
        arm: the arm before, for the priors.
        layout: of the vector.
        found: the estimate.
        kind: "current", "tau" or "target": which signal the gains belong to.
        gears: ratio of every drive (dof,).
    """
    reader, rows = Reader(found, layout), []
    for j, joint in enumerate(arm.driven):
        gear = float(gears[j])
        if kind == "current":
            rows.append(_torque_constant(reader, layout, found, j, gear, joint.drive))
        rows.append(_rotor(reader, layout, j, gear, joint.drive))
        if kind != "target":
            rows += _friction(reader, layout, found, j, gear, kind, joint.drive)
            rows.append(_offset(reader, layout, j, kind))
    return [row for row in rows if row is not None]


def _torque_constant(
    reader: Reader,
    layout: ParameterLayout,
    found: Posterior,
    j: int,
    gear: float,
    drive: Drive | None,
) -> Estimate | None:
    """Return ``k_t = exp(-eta) / gear`` [Nm/A] at the motor."""
    place = layout.gains.start + j
    if not reader.is_free(place):
        return None
    weights = _one(layout, place)
    eta, half, before = reader.linear(weights)
    low, value, high = (float(np.exp(-x)) / gear for x in (eta + half, eta, eta - half))
    known = drive.torque_constant if drive else None
    source = reader.source(half, before)
    return Estimate(f"torque_constant{j + 1}", "Nm/A", value, low, high, known, source, j + 1)


def _rotor(
    reader: Reader, layout: ParameterLayout, j: int, gear: float, drive: Drive | None
) -> Estimate | None:
    """Return the motor's and reducer's inertia at the motor [kg m2]."""
    place = layout.rotors.start + j
    if not reader.is_free(place):
        return None
    value, half, before = reader.linear(_one(layout, place))
    known = drive.motor_inertia + drive.reducer_inertia if drive else None
    low, high = max(0.0, value - half), value + half
    source = "bound" if reader.at_bound(place) else reader.source(half, before)
    value, low, high = (x / gear**2 for x in (value, low, high))
    name = f"rotor_inertia{j + 1}"
    return Estimate(name, "kg m2", value, low, high, known or None, source, j + 1)


def _friction(
    reader: Reader,
    layout: ParameterLayout,
    found: Posterior,
    j: int,
    gear: float,
    kind: str,
    drive: Drive | None,
) -> list[Estimate]:
    """Return friction at the motor (at the joint for gear 1), from entries in effort's unit.

    With ``p = exp(-eta) p~``: ``dp = exp(-eta) dp~ - p deta``.
    """
    part, law, rows = layout.friction[j], layout.laws[j], []
    eta = found.vector[layout.gains][j] if kind == "current" else 0.0
    friction = drive.friction if drive else None
    known = dict(friction.parameters) if friction and friction.model == law else {}
    for k, name in enumerate(PARAMETERS[law]):
        place, weights = part.start + k, np.zeros(layout.size)
        scale = 1.0 if name == "load" or not reader.is_free(place) else float(np.exp(-eta))
        weights[place] = scale
        value = scale * float(found.vector[place])
        if kind == "current" and name != "load":
            weights[layout.gains.start + j] = -value
        half = reader.linear(weights)[1] if reader.is_free(place) else 0.0
        before = reader.linear(_one(layout, place) * scale)[2]
        source = "bound" if reader.at_bound(place) else reader.source(half, before)
        size = 1 / gear_power(name, gear)
        rows.append(
            Estimate(
                f"{name}{j + 1}", FRICTION_UNITS.get(name, "Nm"), size * value,
                size * max(0.0, value - half), size * (value + half), known.get(name),
                source if reader.is_free(place) else "chosen", j + 1,
            )
        )  # fmt: skip
    return rows


def _offset(reader: Reader, layout: ParameterLayout, j: int, kind: str) -> Estimate | None:
    """Return what the sensor shows at no effort."""
    place = layout.offsets.start + j
    if not reader.is_free(place):
        return None
    value, half, before = reader.linear(_one(layout, place))
    unit, source = "A" if kind == "current" else "Nm", reader.source(half, before)
    return Estimate(f"offset{j + 1}", unit, value, value - half, value + half, None, source, j + 1)


def base_estimates(
    base: BaseParameters, layout: ParameterLayout, found: Posterior, before: Array
) -> list[Estimate]:
    """Return every base parameter with its interval; ``before`` is the file's vector."""
    reader, rows = Reader(found, layout), []
    count = base.matrix.shape[1]
    for name, unit, row in zip(base.names, base.units, base.matrix, strict=True):
        weights = np.zeros(layout.size)
        weights[:count] = row
        value, half, doubt = reader.linear(weights)
        if half == 0:
            continue
        known = float(row @ before[:count])
        source = reader.source(half, doubt)
        rows.append(Estimate(name, unit, value, value - half, value + half, known, source, 0))
    return rows


def _one(layout: ParameterLayout, place: int) -> Array:
    weights = np.zeros(layout.size)
    weights[place] = 1.0
    return weights
