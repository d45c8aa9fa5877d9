"""A WebAssembly module in wasmtime: its functions over rows of NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armtwin.errors import CompileError
from armtwin.extras import require
from armtwin.spatial import Array

PAGE = 65536
"""Bytes of a page of WebAssembly memory."""


class WasmInstance:
    """A module, instantiated without imports.

    Args:
        data: the module.

    Raises:
        MissingDataError: wasmtime is not installed.
        CompileError: a module that needs imports or has no memory.
    """

    def __init__(self, data: bytes) -> None:
        require("running WebAssembly", "wasmtime")
        import wasmtime

        engine = wasmtime.Engine()
        module = wasmtime.Module(engine, data)
        wanted = [f"{item.module}.{item.name}" for item in module.imports]
        if wanted:
            raise CompileError(f"the module has imports: {', '.join(wanted)}; expected none")
        self._store: Any = wasmtime.Store(engine)
        self._exports: Any = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._memory: Any = self._exports["memory"]
        self._start = -(-int(self._exports["__heap_base"].value(self._store)) // 16) * 16

    def run(
        self, name: str, rows: int, inputs: Sequence[Array], sizes: Sequence[int]
    ) -> list[Array]:
        """Return the outputs (rows, size) of one call.

        Args:
            name: of the exported function.
            rows: number of states.
            inputs: one float64 array per input; a shared one has one row.
            sizes: entries of a row of each output.
        """
        blocks = [np.ascontiguousarray(x, np.float64).tobytes() for x in inputs]
        lengths = [len(block) for block in blocks] + [8 * rows * size for size in sizes]
        places = self._places(lengths)
        for place, block in zip(places, blocks, strict=False):
            self._memory.write(self._store, block, place)
        self._exports[name](self._store, rows, *places)
        return [
            np.frombuffer(
                bytes(self._memory.read(self._store, place, place + 8 * rows * size)), np.float64
            ).reshape(rows, size)
            for place, size in zip(places[len(blocks) :], sizes, strict=True)
        ]

    def _places(self, lengths: Sequence[int]) -> list[int]:
        """Return where blocks of these lengths go in memory, which grows to hold them."""
        places, at = [], self._start
        for length in lengths:
            places.append(at)
            at += -(-length // 16) * 16
        missing = at - self._memory.data_len(self._store)
        if missing > 0:
            self._memory.grow(self._store, -(-missing // PAGE))
        return places
