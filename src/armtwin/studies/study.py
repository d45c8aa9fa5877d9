"""Runs a study and returns its table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from armtwin.errors import InputError
from armtwin.extras import require
from armtwin.progress import OnProgress, report_step
from armtwin.studies.dataset import Dataset, final_table
from armtwin.studies.planning.study_file import StudyLike
from armtwin.studies.planning.study_plan import StudyPlan, StudyRow, make_plan
from armtwin.studies.result import Study
from armtwin.studies.row_scheduler import RowScheduler
from armtwin.studies.runs.rows import OK
from armtwin.studies.workers.local import LocalWorkers
from armtwin.studies.workers.workers import Workers


def study(
    source: StudyLike,
    folder: str | Path | None = None,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    retry_failed: bool = False,
    on_progress: OnProgress | None = None,
) -> Study:
    """Run a verb over many parameters, seeds, arms or recordings; return one table.

    Finished rows are kept in ``folder`` as they come. The same call continues where a study was
    cancelled, killed or stopped by an error: rows that are there are not run again.

    Args:
        source: the study file (.toml), or its content as a dictionary.
        folder: where results are kept, a folder or a URI (``s3://bucket/results``);
            ``NAME.study`` in the working folder if not given.
        workers: processes of this machine; one per core if not given.
        cluster: address of a Ray cluster to run on instead: ``auto``, ``ray://HOST:10001``.
        retry_failed: run rows again that failed before.
        on_progress: called after every group of rows; raise from it to cancel.

    Raises:
        InputError: a fault in the study file, such as an unknown parameter; or no cluster, or a
            full disk.
    """
    if workers is not None and (isinstance(workers, bool) or workers < 1):
        raise InputError(f"workers is {workers!r}; give 1 or more")
    if workers is not None and cluster is not None:
        raise InputError("a cluster has workers of its own; give workers or a cluster, not both")
    report_step(on_progress, "reading the study", 0.0)
    plan = make_plan(source)
    require("a study", "joblib", "pyarrow")
    dataset = Dataset(f"{plan.name}.study" if folder is None else folder)
    todo, begin = _unfinished(plan.rows, dataset, retry_failed), time.perf_counter()
    if todo:
        RowScheduler(_workers(plan, workers, cluster), dataset, on_progress).run(
            todo, len(plan.rows)
        )
    return _result(plan, dataset, len(todo), time.perf_counter() - begin)


def _unfinished(
    rows: Sequence[StudyRow], dataset: Dataset, retry_failed: bool
) -> tuple[StudyRow, ...]:
    """Return the rows to run; outcomes of those that are tried again are forgotten.

    Args:
        rows: all rows.
        dataset: what is finished.
        retry_failed: whether failed rows are tried again.
    """
    if retry_failed:
        for row in rows:
            if row.key in dataset.finished and dataset.finished[row.key]["status"] != OK:
                del dataset.finished[row.key]
    return tuple(row for row in rows if row.key not in dataset.finished)


def _workers(plan: StudyPlan, count: int | None, cluster: str | None) -> Workers:
    if cluster is None:
        return LocalWorkers(plan.study.verb, count)
    from armtwin.studies.workers.cluster import ClusterWorkers

    return ClusterWorkers(plan.study.verb, cluster)


def _result(plan: StudyPlan, dataset: Dataset, ran: int, wall: float) -> Study:
    seconds = [dataset.finished[row.key]["seconds"] for row in plan.rows]
    return Study(
        plan=plan,
        table=final_table(plan, dataset.finished),
        seconds=tuple(seconds),
        folder=dataset.folder.place,
        ran=ran,
        wall=wall,
    )
