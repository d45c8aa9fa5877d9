"""Estimates of drive and base parameters with their 95 % intervals and priors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.parameters.base_parameters import BaseParameters
from armtwin.identification.parameters.prior import gear_power
from armtwin.identification.parameters.vector import FRICTION_UNITS, ParameterLayout
from armtwin.identification.variation.day_effects import DaySpread
from armtwin.model.arm import Arm, Drive
from armtwin.model.drive import MOVING, PARAMETERS
from armtwin.spatial import Array

NEWS = 0.5
"""The source of an estimate is "data" where the standard error falls below this share of the
prior's, else "prior"."""


@dataclass(frozen=True)
class Estimate:
    """A parameter with its interval.

    Attributes:
        name: joints and rows from 1: ``torque_constant2``, ``viscous1``, ``rotor_inertia6``.
        unit: its unit.
        value: the estimate.
        low: lower end of the 95 % interval; of friction for the day of the data, or for the mean
            over days where they are of several; NaN where there is none.
        high: upper end.
        prior: value of the arm file; None where it has none.
        source: "data", "prior" (not determined by the data), "bound" (at zero), "chosen" (by
            cross-validation; the interval is of the profile likelihood) or "open" (chosen, and the
            data leave an end of the interval open: 0 or inf).
        joint: joint or row, from 1; 0 for the whole arm.
        any_day: ends of the 95 % interval of friction on any day; None for other parameters.
    """

    name: str
    unit: str
    value: float
    low: float
    high: float
    prior: float | None
    source: str
    joint: int
    any_day: tuple[float, float] | None = None


class EstimateReader:
    """Reads estimates from a posterior."""

    def __init__(
        self,
        posterior: Posterior,
        layout: ParameterLayout,
        days: DaySpread | None = None,
        speeds: Mapping[int, tuple[float, float]] | None = None,
    ) -> None:
        self.days, self.speeds = days, speeds or {}
        self._posterior, self._layout = posterior, layout
        self._position = np.full(layout.size, -1)
        self._position[posterior.prior.free] = np.arange(posterior.prior.free.size)
        spread = 1 / np.sqrt(np.diag(posterior.prior.precision))
        self._before = np.where(self._position >= 0, spread, 0.0)
        self._bound = set(posterior.bound.tolist())

    def linear(self, weights: Array) -> tuple[float, float, float]:
        """Return value, 95 % half width and prior standard deviation of ``weights . vector``."""
        free = self._posterior.prior.free
        w = weights[free]
        variance = float(w @ self._posterior.covariance @ w)
        before = float(np.sqrt((weights**2 * self._before**2).sum()))
        half = self._posterior.factor * float(np.sqrt(max(variance, 0.0)))
        return float(weights @ self._posterior.vector), half, before

    def is_free(self, index: int) -> bool:
        """Return whether an entry was estimated."""
        return bool(self._position[index] >= 0)

    def at_bound(self, index: int) -> bool:
        """Return whether an entry is at its bound."""
        return index in self._bound

    def source(self, half: float, before: float) -> str:
        """Return "data" or "prior", whichever determines a parameter."""
        return "data" if half / self._posterior.factor < NEWS * before else "prior"


def drive_estimates(
    arm: Arm, layout: ParameterLayout, posterior: Posterior, kind: str, gears: Array,
    days: DaySpread, speeds: Mapping[int, tuple[float, float]],
) -> list[Estimate]:  # fmt: skip
    """Return torque constants, rotor inertias and friction with their intervals.

    Args:
        arm: the arm before, for the priors.
        layout: layout of the vector.
        posterior: the estimate.
        kind: "current", "tau" or "target": which signal the gains belong to.
        gears: ratio of every drive (dof,).
        days: spread of friction between days.
        speeds: intervals of friction's speeds at the joint, by index.
    """
    reader, rows = EstimateReader(posterior, layout, days, speeds), []
    for j, joint in enumerate(arm.driven):
        gear = float(gears[j])
        if kind == "current":
            rows.append(_torque_constant(reader, layout, posterior, j, gear, joint.drive))
        rows.append(_rotor(reader, layout, j, gear, joint.drive))
        if kind != "target":
            rows += _friction(reader, layout, posterior, j, gear, kind, joint.drive)
            rows.append(_offset(reader, layout, j, kind))
    return [row for row in rows if row is not None]


def _torque_constant(
    reader: EstimateReader,
    layout: ParameterLayout,
    posterior: Posterior,
    j: int,
    gear: float,
    drive: Drive | None,
) -> Estimate | None:
    """Return ``k_t = exp(-eta) / gear`` [Nm/A] at the motor."""
    index = layout.gains.start + j
    if not reader.is_free(index):
        return None
    weights = _one(layout, index)
    eta, half, before = reader.linear(weights)
    low, value, high = (float(np.exp(-x)) / gear for x in (eta + half, eta, eta - half))
    known = drive.torque_constant if drive else None
    source = reader.source(half, before)
    return Estimate(f"torque_constant{j + 1}", "Nm/A", value, low, high, known, source, j + 1)


def _rotor(
    reader: EstimateReader, layout: ParameterLayout, j: int, gear: float, drive: Drive | None
) -> Estimate | None:
    """Return the motor's and reducer's inertia at the motor [kg m2]."""
    index = layout.rotors.start + j
    if not reader.is_free(index):
        return None
    value, half, before = reader.linear(_one(layout, index))
    known = drive.motor_inertia + drive.reducer_inertia if drive else None
    low, high = max(0.0, value - half), value + half
    source = "bound" if reader.at_bound(index) else reader.source(half, before)
    value, low, high = (x / gear**2 for x in (value, low, high))
    name = f"rotor_inertia{j + 1}"
    return Estimate(name, "kg m2", value, low, high, known or None, source, j + 1)


def _friction(
    reader: EstimateReader,
    layout: ParameterLayout,
    posterior: Posterior,
    j: int,
    gear: float,
    kind: str,
    drive: Drive | None,
) -> list[Estimate]:
    """Return friction at the motor (at the joint for gear 1), from entries in effort's unit.

    With ``p = exp(-eta) p~``: ``dp = exp(-eta) dp~ - p deta``.
    """
    part, law, rows = layout.friction[j], layout.laws[j], []
    eta = posterior.vector[layout.gains][j] if kind == "current" else 0.0
    friction = drive.friction if drive else None
    known = dict(friction.parameters) if friction and friction.model == law else {}
    for k, name in enumerate(PARAMETERS[law]):
        index, weights = part.start + k, np.zeros(layout.size)
        scale = 1.0 if name == "load" or not reader.is_free(index) else float(np.exp(-eta))
        weights[index] = scale
        value = scale * float(posterior.vector[index])
        if kind == "current" and name != "load":
            weights[layout.gains.start + j] = -value
        size, prior = 1 / gear_power(name, gear), known.get(name)
        label, unit = f"{name}{j + 1}", FRICTION_UNITS.get(name, "Nm")
        if not reader.is_free(index):
            rows.append(_speed(reader, index, (label, unit, size * value), size, prior, j))
            continue
        half = reader.linear(weights)[1]
        before = reader.linear(_one(layout, index) * scale)[2]
        source = "bound" if reader.at_bound(index) else reader.source(half, before)
        part_of = 0 if name in MOVING else 1
        assert reader.days is not None
        own, wide = reader.days.half_widths(j, part_of, value, half)
        rows.append(
            Estimate(label, unit, size * value, *_ends(value, own, size), prior, source, j + 1,
                     _ends(value, wide, size))
        )  # fmt: skip
    return rows


def _speed(
    reader: EstimateReader,
    index: int,
    named: tuple[str, str, float],
    size: float,
    prior: float | None,
    j: int,
) -> Estimate:
    """Return a friction's speed, or a law that was not estimated, with its profile interval."""
    low, high = reader.speeds.get(index, (float("nan"),) * 2)
    source = "open" if low == 0 or np.isinf(high) else "chosen"
    return Estimate(*named, size * low, size * high, prior, source, j + 1)


def _ends(value: float, half: float, size: float) -> tuple[float, float]:
    """Return the ends of an interval that does not go below zero; NaN without one."""
    if half != half:
        return half, half
    return size * max(0.0, value - half), size * (value + half)


def _offset(reader: EstimateReader, layout: ParameterLayout, j: int, kind: str) -> Estimate | None:
    """Return the sensor reading at zero effort."""
    index = layout.offsets.start + j
    if not reader.is_free(index):
        return None
    value, half, before = reader.linear(_one(layout, index))
    unit, source = "A" if kind == "current" else "Nm", reader.source(half, before)
    return Estimate(f"offset{j + 1}", unit, value, value - half, value + half, None, source, j + 1)


def base_estimates(
    base: BaseParameters, layout: ParameterLayout, posterior: Posterior, before: Array
) -> list[Estimate]:
    """Return every base parameter with its interval; ``before`` is the vector of the arm file.

    Args:
        base: the identifiable combinations of parameters.
        layout: meaning of the vector's entries.
        posterior: estimate and covariance.
        before: the vector of the arm file (size,).
    """
    reader, rows = EstimateReader(posterior, layout), []
    count = base.matrix.shape[1]
    for name, unit, row in zip(base.names, base.units, base.matrix, strict=True):
        weights = np.zeros(layout.size)
        weights[:count] = row
        value, half, spread = reader.linear(weights)
        if half == 0:
            continue
        known = float(row @ before[:count])
        source = reader.source(half, spread)
        rows.append(Estimate(name, unit, value, value - half, value + half, known, source, 0))
    return rows


def _one(layout: ParameterLayout, index: int) -> Array:
    weights = np.zeros(layout.size)
    weights[index] = 1.0
    return weights
