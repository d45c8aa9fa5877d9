"""The result of a calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.calibration.curves.summary import FittedCurve
from armtwin.calibration.data.frames import placed
from armtwin.calibration.data.measurements import PoseMeasurements
from armtwin.calibration.fit.identifiability import Unidentifiable
from armtwin.calibration.geometry_posterior import GeometryPosterior
from armtwin.calibration.pose_errors import (
    FittedParameter,
    ParameterSetTrial,
    Placement,
    PoseErrors,
)
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.spatial import Array


@dataclass(frozen=True)
class Calibration(Result):
    """The result of ``calibrate``.

    Attributes:
        arm: the calibrated arm: geometry, compliances where they were fitted, and base and tool of
            the first placement.
        nominal: the arm before, in the base and tool that fit best.
        parameters: every fitted parameter.
        unidentifiable: held parameters, and what has the same effect.
        chosen: the set of parameters that predicts left-out data best.
        trials: all sets that were compared.
        before: errors of ``nominal`` on the fitted rows.
        after: errors of ``arm`` on the same rows.
        left_out: errors where every block of rows is predicted by a fit to the others.
        nested_left_out: the same in nested cross-validation, with the choice of parameters repeated
            without the block, where the choice was among single parameters; None elsewhere.
        held_out_before: errors of ``nominal`` on held-out rows, if any.
        held_out: errors of ``arm`` on those rows.
        condition: condition number of the fitted problem, scaled by tolerances.
        measured: the fitted measurements.
        errors: of ``nominal`` and of ``arm`` on the fitted rows, (n, 3 or 6) each.
        placements: base and tool of every placement with its errors; those of test recordings with
            frames of their own last.
        curves: joint error curves with intervals and visited ranges; empty where none are fitted.
        posterior: the fitted parameters with their covariance; None where nothing was fitted.
        failures: why the result should not be used, one sentence each; empty where it passed.
        notes: dropped rows, and how frames of test recordings were determined.
        settings: every option as a name and a text.
        inputs: the files that were read.
    """

    arm: Arm
    nominal: Arm
    parameters: tuple[FittedParameter, ...]
    unidentifiable: tuple[Unidentifiable, ...]
    chosen: str
    trials: tuple[ParameterSetTrial, ...]
    before: PoseErrors
    after: PoseErrors
    left_out: PoseErrors
    nested_left_out: PoseErrors | None
    held_out_before: PoseErrors | None
    held_out: PoseErrors | None
    condition: float
    measured: PoseMeasurements = field(repr=False)
    errors: tuple[Array, Array] = field(repr=False)
    placements: tuple[Placement, ...] = ()
    curves: tuple[FittedCurve, ...] = field(default=(), repr=False)
    posterior: GeometryPosterior | None = field(default=None, repr=False)
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    inputs: tuple[Path, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the calibrated arm predicts the measurements well enough to be used."""
        return not self.failures

    @property
    def verdict(self) -> str:
        """Why the result passed or failed, in one sentence."""
        judged = self.held_out or self.left_out
        kind = "held-out" if self.held_out else "left-out"
        figures = f"mean {kind} error {judged.mean * 1e3:.4g} mm"
        return figures if self.passed else "; ".join(self.failures)

    def arm_at(self, placement: str) -> Arm:
        """Return the calibrated arm with base and tool of a placement.

        Raises:
            InputError: no placement has that name; those that exist are listed.
        """
        for one in self.placements:
            if one.name == placement:
                return placed(self.arm, np.array(one.base), np.array(one.tool))
        names = ", ".join(one.name for one in self.placements)
        raise InputError(f"no placement {placement!r}; there are {names}")

    @property
    def intervals(self) -> Mapping[str, tuple[float, float]]:
        """The 95 % interval of every fitted parameter, by name [SI]."""
        return {p.name: (p.low, p.high) for p in self.parameters}

    @property
    def compliance(self) -> tuple[float, ...]:
        """Joint compliances [rad/Nm], zero where a joint is stiff or was not fitted."""
        return tuple(joint.compliance for joint in self.arm.driven)

    def page(self) -> Page:
        """Return the result as a page."""
        from armtwin.calibration.page import calibration_page

        return calibration_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""

        def plain(errors: PoseErrors | None) -> dict[str, Any] | None:
            return None if errors is None else asdict(errors)

        return {
            "arm": self.arm.name,
            "passed": self.passed,
            "verdict": self.verdict,
            "failures": list(self.failures),
            "chosen": self.chosen,
            "errors": {
                "before": plain(self.before),
                "after": plain(self.after),
                "left_out": plain(self.left_out),
                "nested_left_out": plain(self.nested_left_out),
                "held_out_before": plain(self.held_out_before),
                "held_out": plain(self.held_out),
            },
            "parameters": [
                {**asdict(p), "change": p.change, "significant": p.is_significant}
                for p in self.parameters
            ],
            "unidentifiable": [
                {"name": u.name, "like": dict(u.like), "exact": u.exact, "text": str(u)}
                for u in self.unidentifiable
            ],
            "trials": [asdict(trial) for trial in self.trials],
            "condition": self.condition,
            "compliance": list(self.compliance),
            "curves": [curve.to_dict() for curve in self.curves],
            "base": [list(row) for row in self.arm.base],
            "tool": [list(row) for row in self.arm.tool],
            "placements": [asdict(placement) for placement in self.placements],
            "notes": list(self.notes),
            "settings": dict(self.settings),
        }
