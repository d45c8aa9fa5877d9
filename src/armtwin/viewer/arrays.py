"""Arrays for the front end: float64, compressed, as base64 text inside JSON."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from armtwin.spatial import Array


def packed_bytes(data: bytes) -> str:
    """Return bytes as zlib data in base64."""
    return base64.b64encode(zlib.compress(data, 6)).decode("ascii")


def packed_arrays(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """Return arrays (n,) or (n, k) by name as one block; every number keeps all its bits.

    Bytes are grouped by their place in the number, column by column, because neighbours then
    resemble each other and compress better.

    Returns:
        ``data``: the block. ``arrays``: name, rows and columns in the order of the block.
    """
    blocks, listed = [], []
    for name, values in arrays.items():
        table = values.reshape(len(values), -1)
        listed.append({"name": name, "rows": table.shape[0], "columns": table.shape[1]})
        columns = np.ascontiguousarray(table.T, "<f8")
        blocks.append(columns.view(np.uint8).reshape(-1, 8).T.tobytes())
    return {"arrays": listed, "data": packed_bytes(b"".join(blocks))}
