"""Hands rows to workers in groups, writes what comes back, and finds rows that kill workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from armtwin.errors import InputError
from armtwin.progress import OnProgress, report_step
from armtwin.studies.dataset import Dataset
from armtwin.studies.planning.study_plan import StudyRow
from armtwin.studies.runs.rows import FAILED, lost_row
from armtwin.studies.workers.workers import GroupOutcome, RowGroup, Workers

GROUP_SECONDS = 1.0
"""Work of a group: a task costs milliseconds, and what is under way is lost with the study."""
MAX_ROWS = 500
"""Rows of a group, for rows that take hardly any time."""
AHEAD = 2
"""Groups in hand per worker, so that none waits for the next."""


class RowScheduler:
    """Runs rows, each once.

    A group whose worker died is run again row by row, with nothing else beside it. A row that
    ends its worker then, too, is kept as a failed row, and the rest goes on.
    """

    def __init__(
        self, workers: Workers, dataset: Dataset, on_progress: OnProgress | None = None
    ) -> None:
        """Prepare to run.

        Args:
            workers: what runs the rows.
            dataset: where their outcomes go.
            on_progress: called after every group; raise from it to cancel.
        """
        self._workers, self._dataset, self._on_progress = workers, dataset, on_progress
        self._queue: deque[StudyRow] = deque()
        self._suspects: deque[StudyRow] = deque()
        self._alone = False
        self._total = self._done = self._failed = 0
        self._seconds = self._timed = 0.0

    def run(self, rows: Sequence[StudyRow], total: int) -> None:
        """Run rows to the end.

        Args:
            rows: those that are not finished.
            total: rows of the whole study, for the progress.

        Raises:
            InputError: the disk refused results to the end; what was saved stays.
        """
        self._queue.extend({row.key: row for row in rows}.values())
        self._total, self._done = total, total - len(self._queue)
        try:
            self._report()
            while self._queue or self._suspects or self._workers.pending:
                self._submit()
                for outcome in self._workers.finished():
                    self._take(outcome)
                self._report()
        finally:
            self._dataset.write()
            self._workers.close()
        if self._dataset.unsaved:
            raise InputError(self._dataset.complaint())

    def _submit(self) -> None:
        """Hand out groups, or one suspect alone."""
        if self._suspects or self._alone:
            if not self._workers.pending:
                self._alone = bool(self._suspects)
                if self._suspects:
                    self._workers.submit(RowGroup((self._suspects.popleft(),), alone=True))
            if self._suspects or self._alone:
                return
        while self._queue and self._workers.pending < AHEAD * self._workers.count:
            size = min(self._size(), len(self._queue))
            self._workers.submit(RowGroup(tuple(self._queue.popleft() for _ in range(size))))

    def _size(self) -> int:
        """Return how many rows make a group: a second's work, but a fair share of the rest."""
        if not self._timed:
            return 1
        wanted = GROUP_SECONDS * self._timed / max(self._seconds, 1e-9)
        share = len(self._queue) / (AHEAD * self._workers.count)
        return max(1, min(int(wanted), int(share), MAX_ROWS))

    def _take(self, found: GroupOutcome) -> None:
        rows, outcomes = found.group.rows, found.outcomes
        if outcomes is None and not found.group.alone:
            self._suspects.extend(rows)
            return
        if outcomes is None:
            outcomes = [lost_row({"key": row.key}) for row in rows]
        self._seconds += sum(one["seconds"] for one in outcomes)
        self._timed += len(outcomes)
        self._done += len(outcomes)
        self._failed += sum(one["status"] == FAILED for one in outcomes)
        self._dataset.add(list(zip(rows, outcomes, strict=True)))

    def _report(self) -> None:
        failed = f", {self._failed} failed" if self._failed else ""
        full = f"; {self._dataset.trouble}" if self._dataset.trouble else ""
        step = f"{self._done} of {self._total} rows{failed}{full}"
        report_step(self._on_progress, step, self._done / max(self._total, 1))
