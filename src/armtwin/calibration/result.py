"""What a calibration returns: the arm, every number with its interval, and how well it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.calibration.data.measurements import PoseMeasurements
from armtwin.calibration.fit.identifiability import Unidentifiable
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array

Frame = tuple[tuple[float, ...], ...]
"""A 4x4 pose as rows."""


@dataclass(frozen=True)
class PoseErrors:
    """How far modelled poses lie from measured ones: distances [m] and angles [rad]."""

    count: int
    mean: float
    rms: float
    max: float
    p95: float
    angle_mean: float | None
    angle_max: float | None

    @classmethod
    def of(cls, errors: Array) -> PoseErrors:
        """Return the figures of errors (n, 3) or (n, 6): shifts [m] and rotation vectors [rad]."""
        distance = np.linalg.norm(errors[:, :3], axis=1)
        angle = np.linalg.norm(errors[:, 3:], axis=1) if errors.shape[1] == 6 else None
        return cls(
            count=len(distance),
            mean=float(distance.mean()),
            rms=float(np.sqrt((distance**2).mean())),
            max=float(distance.max()),
            p95=float(np.percentile(distance, 95)),
            angle_mean=None if angle is None else float(angle.mean()),
            angle_max=None if angle is None else float(angle.max()),
        )


@dataclass(frozen=True)
class Fitted:
    """One number of the arm before and after, with its 95 % interval [SI]."""

    name: str
    unit: str
    nominal: float
    value: float
    low: float
    high: float

    @property
    def change(self) -> float:
        """What the calibration added."""
        return self.value - self.nominal

    @property
    def is_significant(self) -> bool:
        """Whether the interval leaves the nominal value out."""
        return not self.low <= self.nominal <= self.high


@dataclass(frozen=True)
class ParameterSetTrial:
    """A set of parameters that was tried, and its error on data left out of the fit.

    Attributes:
        name: of the set.
        parameters: how many numbers were fitted.
        fitted: errors on the rows fitted to.
        left_out: errors where every block of rows is predicted by a fit to the others.
        behind: how much worse its score on left-out rows is than that of the best set [nats].
        behind_error: standard error of ``behind`` [nats].
    """

    name: str
    parameters: int
    fitted: PoseErrors
    left_out: PoseErrors
    behind: float = 0.0
    behind_error: float = 0.0


@dataclass(frozen=True)
class Placement:
    """A base and a tool that one or several recordings share.

    Attributes:
        name: of the placement, as in ``base_x@name``.
        recordings: names of the recordings fitted to.
        base: base frame, 4x4.
        tool: tool frame, 4x4.
        before: errors of the nominal arm in these frames on the rows fitted to.
        after: errors of the calibrated arm on the same rows.
        left_out: errors where every block of rows is predicted by a fit to the others.
        held_out_before: errors of the nominal arm on rows that were never fitted to, if any.
        held_out: errors of the calibrated arm on those rows.
        tested: whether the placement was given as a test: then only its base and tool were fitted.
    """

    name: str
    recordings: tuple[str, ...]
    base: Frame
    tool: Frame
    before: PoseErrors
    after: PoseErrors
    left_out: PoseErrors | None
    held_out_before: PoseErrors | None = None
    held_out: PoseErrors | None = None
    tested: bool = False


@dataclass(frozen=True)
class Calibration:
    """The result of ``calibrate``.

    Attributes:
        arm: the improved arm: geometry, compliances where they were fitted, and base and tool of
            the first placement.
        nominal: the arm before, with the best base and tool.
        parameters: every number that was fitted.
        unidentifiable: numbers that were held, and what acts like them.
        chosen: the set of parameters that predicts left-out data best.
        trials: all sets that were tried.
        before: errors of ``nominal`` on the rows fitted to.
        after: errors of ``arm`` on the same rows.
        left_out: errors where every block of rows is predicted by a fit to the others.
        choice_included: the same with the choice of parameters repeated without the block, where
            the choice was among single parameters; None elsewhere.
        held_out_before: errors of ``nominal`` on rows that were never fitted to, if any.
        held_out: errors of ``arm`` on those rows.
        condition: of the fitted problem.
        measured: what was fitted to.
        errors: of ``nominal`` and of ``arm`` on the rows fitted to, (n, 3 or 6) each.
        placements: base and tool of every placement with its errors; those of test recordings with
            frames of their own last.
        failures: why the result is not to be used, one sentence each; empty where it passed.
        notes: rows that were dropped, and how test recordings were placed.
        settings: every choice that the result depends on.
        inputs: the files that were read.
    """

    arm: Arm
    nominal: Arm
    parameters: tuple[Fitted, ...]
    unidentifiable: tuple[Unidentifiable, ...]
    chosen: str
    trials: tuple[ParameterSetTrial, ...]
    before: PoseErrors
    after: PoseErrors
    left_out: PoseErrors
    choice_included: PoseErrors | None
    held_out_before: PoseErrors | None
    held_out: PoseErrors | None
    condition: float
    measured: PoseMeasurements = field(repr=False)
    errors: tuple[Array, Array] = field(repr=False)
    placements: tuple[Placement, ...] = ()
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
        """The verdict as a sentence."""
        if self.passed:
            judged = self.held_out or self.left_out
            kind = "held-out" if self.held_out else "left-out"
            return f"passed: mean {kind} error {judged.mean * 1e3:.4g} mm"
        return "; ".join(self.failures)

    def arm_at(self, placement: str) -> Arm:
        """Return the improved arm with base and tool of a placement.

        Raises:
            InputError: no placement has that name; those that exist are listed.
        """
        from armtwin.calibration.data.frames import placed

        for one in self.placements:
            if one.name == placement:
                return placed(self.arm, np.array(one.base), np.array(one.tool))
        names = ", ".join(one.name for one in self.placements)
        raise InputError(f"no placement {placement!r}; there are {names}")

    @property
    def intervals(self) -> Mapping[str, tuple[float, float]]:
        """The 95 % interval of every fitted number, by name [SI]."""
        return {p.name: (p.low, p.high) for p in self.parameters}

    @property
    def compliance(self) -> tuple[float, ...]:
        """The joints' compliances [rad/Nm], zeros where they are stiff or were not fitted."""
        return tuple(joint.compliance for joint in self.arm.driven)

    def report(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the report to an .html or .pdf file and return its path."""
        import importlib

        pages = importlib.import_module("armtwin.calibration.page")
        written: Path = pages.write(self, path, force=force)
        return written

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        from dataclasses import asdict

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
                "choice_included": plain(self.choice_included),
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
            "base": [list(row) for row in self.arm.base],
            "tool": [list(row) for row in self.arm.tool],
            "placements": [asdict(placement) for placement in self.placements],
            "notes": list(self.notes),
            "settings": dict(self.settings),
        }
