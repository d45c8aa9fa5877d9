"""Worker processes of this machine: joblib's loky executor."""

from __future__ import annotations

import concurrent.futures
import signal
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from armtwin.compile.threads import available_cores
from armtwin.extras import require
from armtwin.studies.runs.rows import run_group
from armtwin.studies.workers.workers import GroupOutcome, RowGroup, RunGroup, Workers

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
)
"""Environment of a worker: the rows are the parallel work, and the bits stay the same."""
IDLE = 300.0
"""Seconds after which a worker that has nothing to do ends."""


class LocalWorkers(Workers):
    """Processes of this machine.

    When one of them dies, the executor ends all of them: every group that was pending comes back
    without outcomes, and the next one starts a new executor.
    """

    def __init__(self, verb: str, count: int | None = None, run: RunGroup = run_group) -> None:
        """Prepare the processes, which start with the first group.

        Args:
            verb: the verb that is run.
            count: processes; one per core if not given.
            run: runs the rows of a group, given as ``StudyRow.order``.
        """
        require("a study", "joblib", "pyarrow")
        self.count = count or available_cores()
        self._verb, self._run = verb, run
        self._executor: Any = None
        self._groups: dict[concurrent.futures.Future[Any], RowGroup] = {}

    @property
    def pending(self) -> int:
        """Groups that were submitted and are not finished."""
        return len(self._groups)

    def submit(self, group: RowGroup) -> None:
        """Hand a group to the processes, which are started where there are none."""
        orders = [row.order(self._verb) for row in group.rows]
        try:
            future = self._running().submit(self._run, orders)
        except BrokenProcessPool:  # it broke since the last look: start new processes
            self._end()
            future = self._running().submit(self._run, orders)
        self._groups[future] = group

    def finished(self) -> list[GroupOutcome]:
        """Wait until a group is finished, and return all that are."""
        done, _ = concurrent.futures.wait(
            self._groups, return_when=concurrent.futures.FIRST_COMPLETED
        )
        found, broken = [], False
        for future in done:
            group = self._groups.pop(future)
            try:
                found.append(GroupOutcome(group, future.result()))
            except BrokenProcessPool:
                broken = True
                found.append(GroupOutcome(group, None))
        if broken:
            found += [GroupOutcome(group, None) for group in self._groups.values()]
            self._groups.clear()
            self._end()
        return found

    def close(self) -> None:
        """End the processes at once."""
        self._groups.clear()
        self._end()

    def _running(self) -> Any:
        if self._executor is None:
            from joblib.externals.loky import ProcessPoolExecutor

            self._executor = ProcessPoolExecutor(
                self.count, timeout=IDLE, initializer=_ignore_interrupt, env=ONE_THREAD
            )
        return self._executor

    def _end(self) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=True)


def _ignore_interrupt() -> None:
    """Leave Ctrl-C to the process that started the study; it ends the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
