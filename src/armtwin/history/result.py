"""Results of a history: an added row, one arm, a fleet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from armtwin.history.drift.trend import SeriesFit, Trend
from armtwin.history.row import HistoryRow
from armtwin.report.page import Page
from armtwin.report.result import Result


@dataclass(frozen=True, eq=False)
class Added(Result):
    """Result of an addition.

    Attributes:
        row: the row as it is in the history now.
        new: False where the recording was there already and nothing was written.
        merged: whether the figures were added to a row that was there.
    """

    row: HistoryRow
    new: bool
    merged: bool = False

    @property
    def text(self) -> str:
        """Summary in one sentence."""
        row = self.row
        name = (
            f"{row.origin or 'the recording'} of {row.serial} ({row.recorded:%Y-%m-%d %H:%M} UTC)"
        )
        if not self.new:
            return f"{name} is in the history already, added {row.added:%Y-%m-%d}: nothing to do"
        return f"{name}: " + ("figures added to its row" if self.merged else "added")

    def page(self) -> Page:
        """Return the row as a page."""
        from armtwin.history.arm_page import added_page

        return added_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return {"new": self.new, "merged": self.merged, "text": self.text, **self.row.to_dict()}


@dataclass(frozen=True, eq=False)
class ArmHistory(Result):
    """The history of one arm.

    Attributes:
        serial: its serial number.
        arm: its name.
        rows: its rows, oldest first.
        trends: of friction and torque constants, joint by joint.
        curves: daily values and fits, by figure and joint.
        rate: false alarms per arm and year.
        least: smallest relative change that is an alarm.
    """

    serial: str
    arm: str
    rows: tuple[HistoryRow, ...]
    trends: tuple[Trend, ...]
    curves: Mapping[str, Mapping[int, SeriesFit]]
    rate: float
    least: float

    @property
    def alarms(self) -> tuple[Trend, ...]:
        """The trends that are alarms, the surest first."""
        return alarms(self.trends)

    @property
    def passed(self) -> bool | None:
        """False where something drifts; None where no figure has days enough to judge."""
        return judged(self.trends)

    def page(self) -> Page:
        """Return trends, since when and what to do as a page."""
        from armtwin.history.arm_page import arm_page

        return arm_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the arm's trends as plain data."""
        return {
            "serial": self.serial,
            "arm": self.arm,
            "passed": self.passed,
            "recordings": len(self.rows),
            "first": self.rows[0].recorded.isoformat(),
            "last": self.rows[-1].recorded.isoformat(),
            "rate": self.rate,
            "least_change": self.least,
            "trends": [trend.to_dict() for trend in self.trends],
        }


@dataclass(frozen=True, eq=False)
class FleetHistory(Result):
    """The history of all arms of a folder.

    Attributes:
        folder: the history's folder.
        arms: serial, arm, number of recordings, newest one and contacts of every arm.
        trends: of all arms.
        rate: false alarms per arm and year.
        least: smallest relative change that is an alarm.
    """

    folder: str
    arms: tuple[Mapping[str, Any], ...]
    trends: tuple[Trend, ...]
    rate: float
    least: float

    @property
    def alarms(self) -> tuple[Trend, ...]:
        """The trends that are alarms, the surest first."""
        return alarms(self.trends)

    @property
    def passed(self) -> bool | None:
        """False where an arm drifts; None where no figure has days enough to judge."""
        return judged(self.trends)

    def page(self) -> Page:
        """Return which arms drift, since when and what to do as a page."""
        from armtwin.history.fleet_page import fleet_page

        return fleet_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the arms and the alarms as plain data."""
        return {
            "folder": self.folder,
            "passed": self.passed,
            "rate": self.rate,
            "least_change": self.least,
            "arms": [
                {k: v.isoformat() if isinstance(v, datetime) else v for k, v in arm.items()}
                for arm in self.arms
            ],
            "judged_series": sum(trend.change == trend.change for trend in self.trends),
            "alarms": [trend.to_dict() for trend in self.alarms],
        }


def alarms(trends: Iterable[Trend]) -> tuple[Trend, ...]:
    """Return the trends that are alarms, the surest first."""
    return tuple(sorted((trend for trend in trends if trend.found), key=lambda trend: trend.p))


def judged(trends: tuple[Trend, ...]) -> bool | None:
    """Return False where a trend is an alarm, True where none is, None where none is judged."""
    if any(trend.found for trend in trends):
        return False
    return True if any(trend.change == trend.change for trend in trends) else None
