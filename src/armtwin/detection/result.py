"""The result of a detection: contacts, the evidence over time, and what was learned."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from armtwin.detection import page as pages
from armtwin.detection.alarms import Alarm
from armtwin.detection.observer_model import ObserverModel
from armtwin.detection.thresholds import Thresholds
from armtwin.recording.recording import Recording
from armtwin.report.numbers import counted
from armtwin.report.page import Page
from armtwin.report.result import Result
from armtwin.spatial import Array

NOT_JUDGED = "not judged"


@dataclass(frozen=True, eq=False)
class Detection(Result):
    """Contacts detected in a recording.

    Attributes:
        recording: the recording that was searched.
        alarms: the contacts.
        time: (n,) [s].
        score: evidence of contact (n,), 1 at the threshold; NaN where a sample was not usable.
        evidence: how likely there is contact (n,), for ranking samples; see ``Detector``.
        residual: external torque estimates over a middle window (n, dof) [Nm].
        thresholds: the thresholds used.
        model: the model of the arm, with learned corrections.
        notes: processing notes: how thresholds were found, gaps, missing samples.
        reason: why the recording cannot be judged; "" where it can.
    """

    recording: Recording
    alarms: tuple[Alarm, ...]
    time: Array
    score: Array
    evidence: Array
    residual: Array
    thresholds: Thresholds
    model: ObserverModel
    notes: tuple[str, ...]
    reason: str = ""

    @property
    def verdict(self) -> str:
        """``contact``, ``no contact``, or ``not judged`` for the reason in ``reason``."""
        if self.reason:
            return NOT_JUDGED
        return "contact" if self.alarms else "no contact"

    def __repr__(self) -> str:
        """Return the verdict in one line."""
        alarms, samples = counted(len(self.alarms), "alarm"), counted(self.time.size, "sample")
        return f"<Detection {self.verdict}: {alarms} in {samples}>"

    def page(self) -> Page:
        """Return tracking, contacts and external torque estimates as a page."""
        return pages.detection_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return verdict, alarms, thresholds and notes as plain data."""
        usable = self.score[np.isfinite(self.score)]
        return {
            "arm": self.model.arm.name,
            "recording": self.recording.origin,
            "verdict": self.verdict,
            "reason": self.reason,
            "alarms": [asdict(alarm) for alarm in self.alarms],
            "samples": len(self.time),
            "unusable_samples": int(np.isnan(self.score).sum()),
            "largest_score": float(usable.max()) if usable.size else None,
            "false_alarms_per_hour": self.thresholds.per_hour,
            "thresholds": self.thresholds.joints.tolist(),
            "notes": list(self.notes),
        }
