"""``History``: rows of recordings over months in a folder, and what they show."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armtwin.errors import InputError
from armtwin.history.drift.false_alarms import RATE
from armtwin.history.drift.judge import MIN_CHANGE, curves, judge
from armtwin.history.drift.series import daily_series
from armtwin.history.drift.trend import Trend
from armtwin.history.options import AddOptions
from armtwin.history.result import Added, ArmHistory, FleetHistory
from armtwin.history.row import HistoryRow, PerJoint, from_arrow
from armtwin.history.store import Store
from armtwin.progress import OnProgress, report_step

if TYPE_CHECKING:
    import pyarrow as pa

    from armtwin.history.addition import Addable
    from armtwin.model.arm import Arm
    from armtwin.model.catalogue.catalogue import ArmLike
    from armtwin.recording.read import RecordingLike


class History:
    """Rows of recordings in a folder: one a recording, of one arm or of a fleet.

    What an addition needs is imported by the first one: reports take a part of its time only.

    Args:
        folder: the folder, or a URI that DuckDB reads (``s3://bucket/fleet``).
        create: begin a history where there is none yet.

    Raises:
        InputError: the folder is no history.
        MissingDataError: duckdb is not installed (extra ``history``).
    """

    def __init__(self, folder: str | Path, *, create: bool = True) -> None:
        self._store = Store(folder, create=create)

    @property
    def folder(self) -> str:
        """The folder or its URI."""
        return self._store.folder

    def __repr__(self) -> str:
        """Return the folder and the number of rows."""
        return f"<History {self.folder}: {len(self)} rows>"

    def __len__(self) -> int:
        """Return the number of recordings."""
        return int(self.query("SELECT count(*) AS n FROM rows").column("n")[0].as_py())

    def add(
        self,
        source: Addable,
        *,
        arm: ArmLike | None = None,
        recording: RecordingLike | None = None,
        serial: str | None = None,
        time: datetime | str | float | None = None,
        options: AddOptions | None = None,
        on_progress: OnProgress | None = None,
    ) -> Added:
        """Add a recording, or a result of one, as a row.

        A recording or its file is validated and identified first. A recording that is there
        already is not added again; a result adds its figures to the recording's row.

        Args:
            source: a recording, its file, a ``Check``, a ``Fit`` or a ``Detection``.
            arm: the arm, its name or file; None: as the recording says.
            recording: the recording that a ``Fit`` is of, where it was not read from one file.
            serial: the arm's serial number; None: as the recording says.
            time: when it was made: ISO 8601 with a time zone, or seconds since 1970; None: as the
                recording says. The time of the file is never taken.
            options: what to find out.
            on_progress: called before each step; raise from it to cancel.

        Raises:
            InputError: serial number, time or arm are not known; another arm under this serial
                number; the recording stands under another serial number.
        """
        from armtwin.history import addition, figures
        from armtwin.history.identity import content_key, serial_of, time_of

        chosen = options or AddOptions()
        report_step(on_progress, "reading the recording", 0.0)
        samples = addition.recording_of(source, recording, arm, chosen)
        model = addition.arm_of_source(source, samples, arm)
        key = content_key(samples)
        number = serial_of(samples, serial)
        when, known_from = time_of(samples, time)
        before = self._refuse_conflict(key, number, model)
        speeds = self._speeds(number, model)
        given = addition.figures_of(source, speeds)
        if before is not None and not addition.adds(before, given):
            return Added(before, new=False)
        found = given or figures.measured(
            model, samples, chosen, speeds=speeds, on_progress=on_progress
        )
        found = {**figures.of_recording(samples, model, chosen), **found}
        row = HistoryRow(
            key, number, model.name, model.dof, when, known_from, datetime.now(UTC),
            origin=samples.origin, **found,
        )  # fmt: skip
        if before is not None:
            row = dataclasses.replace(before, added=row.added, **{**before.figures(), **found})
        self._store.append([row])
        return Added(row, new=True, merged=before is not None)

    def add_row(self, row: HistoryRow) -> Added:
        """Add a row that was made elsewhere, such as one of a live twin."""
        from armtwin.history.addition import refuse_other_arm

        known = self._rows_of("key = ? OR serial = ?", (row.key, row.serial), 1000)
        refuse_other_arm(known, row.serial, row.arm, row.dof)
        same = [one for one in known if one.key == row.key]
        if same:
            return Added(same[0], new=False)
        self._store.append([row])
        return Added(row, new=True)

    def query(self, sql: str, values: Sequence[Any] = ()) -> pa.Table:
        """Return the answer to DuckDB's SQL over the table ``rows`` as an Arrow table."""
        return self._store.query(sql, values)

    def table(self, serial: str | None = None, *, most: int | None = None) -> list[HistoryRow]:
        """Return the rows in the order of their time.

        Args:
            serial: of one arm; None: all.
            most: only so many of the newest; None: all.
        """
        where, values = ("TRUE", ()) if serial is None else ("serial = ?", (serial,))
        return self._rows_of(where, values, most)[::-1]

    def serials(self) -> dict[str, str]:
        """Return the name of the arm of every serial number."""
        sql = "SELECT serial, any_value(arm) AS arm FROM rows GROUP BY serial ORDER BY serial"
        found = self.query(sql)
        pairs = (found.column(name).to_pylist() for name in ("serial", "arm"))
        return dict(zip(*pairs, strict=True))

    def drift(
        self, serial: str | None = None, *, rate: float = RATE, least: float = MIN_CHANGE
    ) -> list[Trend]:
        """Return how friction and torque constants of every joint changed.

        Args:
            serial: of one arm; None: all.
            rate: false alarms per arm and year.
            least: smallest relative change that is an alarm.
        """
        self._require(serial)
        return judge(daily_series(self._store, serial), rate=rate, least=least)

    def arm(self, serial: str, *, rate: float = RATE, least: float = MIN_CHANGE) -> ArmHistory:
        """Return the history of one arm: trends, since when, what to do.

        Args:
            serial: of the arm.
            rate: false alarms per arm and year.
            least: smallest relative change that is an alarm.

        Raises:
            InputError: no such serial number; those that exist are listed.
        """
        self._require(serial)
        series = daily_series(self._store, serial)
        trends = judge(series, rate=rate, least=least)
        drawn = {one.figure: curves(one, trends) for one in series}
        rows = self.table(serial)
        return ArmHistory(serial, rows[-1].arm, tuple(rows), tuple(trends), drawn, rate, least)

    def fleet(self, *, rate: float = RATE, least: float = MIN_CHANGE) -> FleetHistory:
        """Return the history of all arms: which of them drift, which joint, since when.

        Args:
            rate: false alarms per arm and year.
            least: smallest relative change that is an alarm.
        """
        sql = (
            "SELECT serial, any_value(arm) AS arm, count(*) AS recordings, "
            "max(recorded) AS last, sum(contacts)::BIGINT AS contacts FROM rows GROUP BY serial"
        )
        arms = self.query(f"{sql} ORDER BY serial").to_pylist()
        if not arms:
            raise InputError(f"{self.folder} has no rows yet; add recordings first")
        return FleetHistory(self.folder, tuple(arms), tuple(self.drift(rate=rate, least=least)),
                            rate, least)  # fmt: skip

    def compact(self) -> int:
        """Merge small part files into one and return how many there were."""
        return self._store.compact()

    def _rows_of(
        self, where: str, values: Sequence[Any], most: int | None = None
    ) -> list[HistoryRow]:
        limit = "" if most is None else f"LIMIT {int(most)}"
        sql = f"SELECT * FROM rows WHERE {where} ORDER BY recorded DESC, key {limit}"
        return from_arrow(self.query(sql, values))

    def _speeds(self, serial: str, arm: Arm) -> PerJoint:
        """Return the speeds at which an arm's friction is compared; None: it has none so far."""
        from armtwin.history.figures import usual_speeds

        where = "serial = ? AND friction IS NOT NULL AND len(friction) = ?"
        rows = self._rows_of(where, (serial, arm.dof), 1)
        return rows[0].friction_speed or usual_speeds(arm) if rows else None

    def _refuse_conflict(self, key: str, serial: str, arm: Arm) -> HistoryRow | None:
        """Return the row of this recording, if there is one.

        Raises:
            InputError: another arm under this serial number, or the recording under another.
        """
        from armtwin.history.addition import refuse_other_arm

        same = self._rows_of("key = ?", (key,), 1)
        if same and same[0].serial != serial:
            raise InputError(
                f"this very recording is in the history as one of serial number "
                f"{same[0].serial!r}, added {same[0].added:%Y-%m-%d}; not {serial!r}"
            )
        refuse_other_arm(self._rows_of("serial = ?", (serial,), 1), serial, arm.name, arm.dof)
        return same[0] if same else None

    def _require(self, serial: str | None) -> None:
        if serial is None:
            return
        known = self.serials()
        if serial not in known:
            names = ", ".join(list(known)[:12]) or "none"
            raise InputError(
                f"no arm with serial number {serial!r} in {self.folder}; it has {names}"
            )
