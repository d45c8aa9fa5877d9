"""Time stamps that a file spreads over two columns: whole seconds and nanoseconds."""

from __future__ import annotations

import re

import numpy as np

from armtwin.record.table import Table

_SECONDS = re.compile(r"^(.*?)(secs?|seconds)$", re.IGNORECASE)
_NANOSECONDS = re.compile(r"^(.*?)(nanosecs?|nsecs?|nanoseconds)$", re.IGNORECASE)
_SECOND = 1_000_000_000


def join_stamps(table: Table) -> None:
    """Join ``header.stamp.sec`` and ``header.stamp.nanosec`` (or the like) into one column."""
    parts = {match[1]: name for name in table.columns if (match := _NANOSECONDS.match(name))}
    for name in list(table.columns):
        match = _SECONDS.match(name)
        if match is None or name in parts.values() or match[1] not in parts:
            continue
        seconds, nano = table.columns.pop(name), table.columns.pop(parts[match[1]])
        whole = np.isfinite(seconds) & np.isfinite(nano)
        if not whole.all():
            table.columns["stamp"] = seconds + 1e-9 * nano
        else:
            table.columns["stamp"] = seconds.astype(np.int64) * _SECOND + nano.astype(np.int64)
            table.nanoseconds.add("stamp")
        table.notes.append(f"joined {name} and {parts[match[1]]} into one time stamp")
        return
