"""The result of an identification: the identified arm, its estimates and how well it predicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.identification.estimation.friction_selection import FrictionChoice
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.result.accuracy import Accuracy, SignalAccuracy
from armtwin.identification.result.estimates import Estimate
from armtwin.identification.result.prediction_checks import (
    failed_joints,
    judged_rows,
    reason_not_judged,
)
from armtwin.identification.result.unidentifiable import Unidentified
from armtwin.identification.variation.varied_fit import Variation
from armtwin.model.arm import Arm
from armtwin.model.drive import torque_scales
from armtwin.model.formats.export import export
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class Fit(Result):
    """The result of ``identify``.

    Attributes:
        arm: the identified arm; ``save`` writes it as an arm file.
        before: the arm as it was given.
        kind: fitted signal: "current", "tau", or "target" where only that was recorded.
        estimates: torque constants, rotor inertias, friction, payload, mounting.
        base: base parameters of links and rotors.
        unidentifiable: parameters that the data do not determine, with advice.
        condition: condition number of the identified directions, in units of the prior's spread.
        accuracy: errors per part (train, test), signal and joint.
        signals: measured and predicted, run by run.
        choices: friction laws that were compared, per joint; empty where the law was given.
        covariance: HAC covariance of the free parameters (k, k).
        names: names of the free parameters.
        conflict: mean square of (estimate - prior) / prior standard deviation over the directions
            that the data determine; near 1 or less where the arm file is right.
        notes: processing notes and remarks on the result.
        options: every option.
        inputs: the files that were read.
        variation: how friction varies with temperature, time and days.
    """

    arm: Arm
    before: Arm
    kind: str
    estimates: tuple[Estimate, ...]
    base: tuple[Estimate, ...]
    unidentifiable: tuple[Unidentified, ...]
    condition: float
    accuracy: tuple[Accuracy, ...]
    signals: tuple[SignalAccuracy, ...] = field(repr=False)
    choices: tuple[FrictionChoice, ...] = field(repr=False)
    covariance: Array = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    conflict: float = 0.0
    notes: tuple[str, ...] = ()
    options: IdentifyOptions = field(default_factory=IdentifyOptions)
    inputs: tuple[Path, ...] = ()
    variation: Variation | None = None

    @cached_property
    def intervals(self) -> Mapping[str, tuple[float, float]]:
        """95 % intervals by name, for the same day (of several: their mean); no open ones."""
        rows = (*self.estimates, *self.base)
        return {e.name: (e.low, e.high) for e in rows if np.isfinite([e.low, e.high]).all()}

    @cached_property
    def any_day_intervals(self) -> Mapping[str, tuple[float, float]]:
        """95 % intervals of friction on any day, by name; see ``variation.day_effects``."""
        return {e.name: e.any_day for e in self.estimates if e.any_day is not None}

    def estimate(self, name: str) -> Estimate:
        """Return one estimate by name.

        Raises:
            KeyError: no such estimate; the message lists what exists.
        """
        for estimate in (*self.estimates, *self.base):
            if estimate.name == name:
                return estimate
        raise KeyError(f"{name!r}; there are {', '.join(e.name for e in self.estimates)}")

    @property
    def torque_scales(self) -> tuple[Array, Array]:
        """``viscous_scale`` and ``coulomb_scale`` for direct torque control of a UR arm (dof,)."""
        sure = {e.name: e.low / e.value for e in self.estimates if e.value > 0}
        return torque_scales(self.arm, sure)

    def r2(self, part: str = "test", kind: str | None = None) -> tuple[float, ...]:
        """Return R2 of every joint, of moving samples below the band."""
        wanted = kind or self.kind
        return tuple(a.r2 for a in self.accuracy if a.part == part and a.kind == wanted)

    @property
    def failures(self) -> tuple[str, ...]:
        """Joints that are predicted worse than by the mean of their signal, one sentence each."""
        return tuple(failed_joints(self.accuracy))

    @property
    def not_judged(self) -> Mapping[int, str]:
        """Joints, counted from 1, that these data cannot judge, with the reason."""
        rows = [row for row in judged_rows(self.accuracy) if row.kind == self.kind]
        return {row.joint: reason for row in rows if (reason := reason_not_judged(row))}

    @property
    def passed(self) -> bool | None:
        """Whether every judged joint is predicted better than by its mean; None: none is judged."""
        if self.failures:
            return False
        return True if self._judged_r2 else None

    @property
    def _judged_r2(self) -> list[float]:
        rows = [row for row in judged_rows(self.accuracy) if row.kind == self.kind]
        return [row.r2 for row in rows if not reason_not_judged(row)]

    @property
    def verdict(self) -> str:
        """Why the result passed or failed, in one sentence."""
        if self.failures:
            return "; ".join(self.failures)
        part = "test" if self.r2("test") else "train"
        known = self._judged_r2
        figures = f"{min(known):.3f} to {max(known):.3f}" if known else "none"
        rest = ", ".join(f"joint {joint} ({why})" for joint, why in self.not_judged.items())
        unjudged = f"; not judged: {rest}" if rest else ""
        return f"R2 of the {self.kind} on the {part} data: {figures}{unjudged}"

    def page(self) -> Page:
        """Return the result as a page."""
        from armtwin.identification.page import identification_page

        return identification_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        return {
            "arm": self.arm.name,
            "fingerprint": self.arm.fingerprint,
            "passed": self.passed,
            "verdict": self.verdict,
            "kind": self.kind,
            "estimates": [_finite(asdict(e)) for e in self.estimates],
            "base": [asdict(e) for e in self.base],
            "accuracy": [_finite(asdict(a)) for a in self.accuracy],
            "unidentifiable": [asdict(one) for one in self.unidentifiable],
            "condition": self.condition,
            "conflict": self.conflict,
            "failures": list(self.failures),
            "not_judged": [
                {"joint": joint, "reason": why} for joint, why in self.not_judged.items()
            ],
            "torque_scales": {
                name: [None if np.isnan(share) else float(share) for share in shares]
                for name, shares in zip(("viscous", "coulomb"), self.torque_scales, strict=True)
            },
            "friction_laws": [{"law": c.best.law, "speed": c.best.speed} for c in self.choices],
            "warm_up": [asdict(one) for one in self.variation.warm_ups] if self.variation else [],
            "days": _days(self.variation),
            "notes": list(self.notes),
            "settings": dict(self.options.rows()),
        }

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the identified arm as a TOML file that ``load`` reads."""
        return export(self.arm, path, force=force)


def _finite(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with None in place of NaN and infinity, which JSON does not have."""
    return {
        key: None if isinstance(value, float) and not np.isfinite(value) else value
        for key, value in row.items()
    }


def _days(variation: Variation | None) -> dict[str, Any]:
    if variation is None:
        return {}
    days = variation.days
    return {"count": days.days, "estimated": days.estimated, "spread": days.spread.tolist()}
