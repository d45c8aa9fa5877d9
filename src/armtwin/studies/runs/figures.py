"""A result's data (``Result.to_dict``) as columns of a table.

* ``{"lag": {"seconds": 0.01}}`` becomes ``lag.seconds``.
* Lists of entries that carry a name become ``NAME.FIELD``: ``position.rmse``,
  ``test.current.3.r2``.
* Lists of numbers, one a joint, become ``thresholds.1`` and so on.
* Lists of events become their number and the first one: ``alarms.count``, ``alarms.first.time``.

Times that a computer took, texts of notes, and what the inputs say already are left out, so that
the same row gives the same figures on every run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from armtwin.report.result import Result

LEFT_OUT = {
    "arm", "origin", "notes", "processing", "settings", "inputs", "versions", "fitted", "unit",
    "times_real_time", "solve_seconds", "limits", "base", "pareto", "thresholds",
}  # fmt: skip
"""Entries of results that are not figures; run times differ between runs."""
EVENTS = {"alarms", "causes", "failures", "not_judged", "unidentifiable"}
"""Lists whose length differs from row to row."""
PLAIN = {"table", "estimates", "accuracy"}
"""Lists whose entries' names say enough without the name of the list."""
NAMES = ("name", "signal", "part", "kind", "joint")
MAX_NUMBERS = 16
"""Longest list of numbers that becomes columns: one a joint, not a signal."""
Scalar = bool | int | float | str


def figures_of(result: Result) -> dict[str, Scalar]:
    """Return a result's figures by column name; what is None there is left out."""
    return dict(_entries(result.to_dict(), ""))


def _entries(tree: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Scalar]]:
    for name, value in tree.items():
        if name not in LEFT_OUT:
            yield from _values(name, value, prefix)


def _values(name: str, value: Any, prefix: str) -> Iterator[tuple[str, Scalar]]:
    """Yield the columns of one entry.

    Args:
        name: of the entry.
        value: plain data.
        prefix: names of the entries around it, each with a dot.
    """
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    if isinstance(value, Scalar):
        yield prefix + name, value
    elif isinstance(value, Mapping):
        yield from _entries(value, f"{prefix}{name}.")
    elif isinstance(value, list | tuple):
        yield from _listed(name, value, prefix)


def _listed(name: str, values: Any, prefix: str) -> Iterator[tuple[str, Scalar]]:
    """Yield the columns of a list; arguments as ``_values``.

    Args:
        name: of the list.
        values: its entries.
        prefix: names around it.
    """
    if name in EVENTS:
        yield f"{prefix}{name}.count", len(values)
        for first in values[:1]:
            if isinstance(first, Mapping):
                yield from _entries(first, f"{prefix}{name}.first.")
    elif values and all(isinstance(one, Mapping) for one in values):
        beginning = prefix if name in PLAIN else f"{prefix}{name}."
        labels = [_label(one) or str(number) for number, one in enumerate(values, 1)]
        for label, one in zip(labels, values, strict=True):
            rest = {key: value for key, value in one.items() if key not in NAMES}
            yield from _entries(rest, f"{beginning}{label}.")
    elif len(values) <= MAX_NUMBERS and all(isinstance(one, int | float) for one in values):
        yield from ((f"{prefix}{name}.{number}", one) for number, one in enumerate(values, 1))


def _label(entry: Mapping[str, Any]) -> str:
    """Return an entry's name: ``position``, ``test.current.3``."""
    if "name" in entry or "signal" in entry:
        return str(entry.get("name", entry.get("signal")))
    return ".".join(str(entry[key]) for key in NAMES if key in entry)
