"""Runs a group of rows in a worker: errors become part of the row, libraries keep to one thread."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from armtwin import __version__
from armtwin.errors import ArmTwinError, ModelWarning, UnitWarning
from armtwin.storage import is_uri
from armtwin.studies.planning.recordings import fetched
from armtwin.studies.planning.study_parameters import nested

OK, FAILED = "ok", "failed"


def run_group(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Run rows one after the other and return their outcomes, in order.

    Args:
        rows: plain data of ``StudyRow.order``: ``key``, ``verb``, ``inputs``, ``place``, ``seed``,
            ``version``.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # the rows are the parallel work; and the same bits everywhere
        return [run_row(row) for row in rows]


def run_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Run one row and return its key, figures, status, error, warnings and seconds."""
    begin, figures, error = time.perf_counter(), {}, ""
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        try:
            figures = _figures(row)
        except ArmTwinError as fault:
            error = " ".join(str(fault).split())
        except Exception as fault:  # noqa: BLE001 - one row's fault must not end the study
            error = " ".join(f"{type(fault).__name__}: {fault}".split())
    lines = [str(one.message) for one in raised if issubclass(one.category, KEPT)]
    return {
        "key": row["key"],
        "figures": figures,
        "status": FAILED if error else OK,
        "error": error,
        "warnings": "; ".join(dict.fromkeys(lines)),
        "seconds": time.perf_counter() - begin,
    }


KEPT = (ModelWarning, UnitWarning)
"""Warnings about the data, which are the same on every run."""


def lost_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outcome of a row whose worker died while it ran the row alone."""
    return {
        "key": row["key"],
        "figures": {},
        "status": FAILED,
        "error": "the worker process died while it ran this row alone: it crashed, or the system "
        "ended it, for lack of memory perhaps",
        "warnings": "",
        "seconds": 0.0,
    }


def _figures(row: Mapping[str, Any]) -> dict[str, Any]:
    from armtwin.studies.runs.verbs import run_verb

    if row["version"] != __version__:
        raise ArmTwinError(
            f"this worker has armtwin {__version__}, the study was started with {row['version']}; "
            "install the same version on every node"
        )
    given = nested(row["inputs"])
    if row["place"] is None:
        return run_verb(row["verb"], given, None, row["seed"])
    with fetched(row["place"]) as file:
        try:
            return run_verb(row["verb"], given, file, row["seed"])
        except ArmTwinError as fault:
            if not is_uri(row["place"]):
                raise
            raise ArmTwinError(_without_copy(str(fault), file, row["place"])) from fault


def _without_copy(text: str, copy: Path, place: str) -> str:
    """Return an error's text with the object's address in place of its local copy's."""
    return text.replace(str(copy), place).replace(str(copy.parent), place.rpartition("/")[0])
