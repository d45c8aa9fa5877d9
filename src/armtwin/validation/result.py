"""Result of a validation: figures, lag, limits, causes and the verdict."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from armtwin.model.arm import Arm
from armtwin.recording.recording import Recording
from armtwin.report.inputs import fingerprint, versions
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.validation.causes import Cause
from armtwin.validation.lags.signal_lag import Lag
from armtwin.validation.limits import LimitCheck
from armtwin.validation.metrics import Metrics, Signal


@dataclass(frozen=True, repr=False)
class Check(Result):
    """Comparison of a twin with a recording.

    Attributes:
        arm: the twin, with base, tool and calibration as they were used.
        recording: what it was compared with.
        signals: every signal of both sides.
        table: their figures.
        lag: of the recorded pose (or, without one, of the first effort) behind the joints; None
            where the motion does not determine it.
        lags: of every kind of signal: pose, torque, current, power.
        limits: every limit that applies, beside its figure.
        failures: why the check did not pass, one sentence each; empty where it did.
        causes: what explains the pose error, best first.
        notes: processing notes: what was assumed, converted or left out.
        fitted: frames that were fitted, 4x4 by name.
        settings: every choice that the result depends on.
        inputs: the files that were read.
    """

    arm: Arm
    recording: Recording
    signals: tuple[Signal, ...]
    table: tuple[Metrics, ...]
    lag: Lag | None
    lags: dict[str, Lag]
    limits: tuple[LimitCheck, ...]
    failures: tuple[str, ...]
    causes: tuple[Cause, ...]
    notes: tuple[str, ...]
    fitted: dict[str, Any]
    settings: tuple[tuple[str, str], ...]
    inputs: tuple[Path, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether limits were applied, every one is kept and no other failure was found."""
        return not self.failures

    @property
    def is_judged(self) -> bool:
        """Whether any limit applied to what was compared."""
        return bool(self.limits)

    @property
    def verdict(self) -> str:
        """The verdict as a sentence."""
        if self.passed:
            count = len(self.limits)
            return "the limit is kept" if count == 1 else f"all {count} limits are kept"
        return "; ".join(self.failures)

    def __getitem__(self, signal: str) -> Metrics:
        """Return the figures of a signal by name."""
        for row in self.table:
            if row.signal == signal:
                return row
        names = ", ".join(row.signal for row in self.table) or "none"
        raise KeyError(f"no signal {signal!r} was compared; there are {names}")

    def page(self) -> Page:
        """Return the result as a page; charts and further figures are in its detail sections."""
        from armtwin.validation.page import page

        return page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the samples as plain data, ready for JSON."""
        run = self.recording
        return {
            "passed": self.passed,
            "judged": self.is_judged,
            "verdict": self.verdict,
            "failures": list(self.failures),
            "arm": self.arm.name,
            "recording": {
                "origin": run.origin,
                "rows": len(run),
                "rate_hz": run.rate if run.timed and len(run) > 1 else None,
                "duration_s": run.duration if run.timed else None,
            },
            "table": [asdict(row) for row in self.table],
            "lag": self.lag and asdict(self.lag),
            "lags": {name: asdict(lag) for name, lag in self.lags.items()},
            "limits": [
                {
                    "limit": str(judged.limit),
                    "signal": judged.signal,
                    "value": judged.value,
                    "kept": judged.kept,
                    "source": judged.limit.source,
                }
                for judged in self.limits
            ],
            "causes": [asdict(cause) for cause in self.causes],
            "notes": list(self.notes),
            "fitted": self.fitted,
            "settings": dict(self.settings),
            "inputs": dict(fingerprint(path) for path in self.inputs),
            "versions": dict(versions()),
        }
