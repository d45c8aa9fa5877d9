"""The compiled loop that runs FMUs, and the data it shares with Python."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any

from armtwin.compile.native import toolchain

SOURCES = Path(__file__).parent / "host_sources"
KINDS = ("F64", "F32", "I8", "U8", "I16", "U16", "I32", "U32", "I64", "U64", "B8")

P, LONG, INT, REAL = ctypes.c_void_p, ctypes.c_long, ctypes.c_int, ctypes.c_double


class VariableGroup(ctypes.Structure):
    """``Group`` of host.h."""

    _fields_ = [  # noqa: RUF012
        ("kind", INT), ("count", LONG), ("values", LONG), ("references", P),
        ("columns", P), ("call", P), ("continuous", INT),
    ]  # fmt: skip


class HostRun(ctypes.Structure):
    """``HostRun`` of host.h."""

    _fields_ = [  # noqa: RUF012
        ("fmi", INT), ("instance", P), ("do_step", P),
        ("set_time", P), ("get_states", P), ("set_states", P), ("get_rates", P),
        ("get_indicators", P), ("completed_step", P), ("enter_events", P), ("update_states", P),
        ("enter_continuous", P),
        ("n_inputs", LONG), ("n_outputs", LONG), ("inputs", P), ("outputs", P),
        ("in_width", LONG), ("out_width", LONG), ("time", P), ("input", P), ("output", P),
        ("scratch", P),
        ("n_states", LONG), ("n_indicators", LONG), ("state", P), ("indicator", P),
        ("between", P), ("solver_step", REAL), ("wants_completed_step", INT),
        ("has_next_event", INT), ("next_event", REAL),
        ("row", LONG), ("status", INT), ("what", ctypes.c_char_p), ("at", REAL), ("events", LONG),
    ]  # fmt: skip


class _LogStruct(ctypes.Structure):
    _fields_ = [("used", LONG), ("size", LONG), ("text", P)]  # noqa: RUF012


class HostLog:
    """Buffer for the log messages of an FMU."""

    def __init__(self, size: int = 1 << 14) -> None:
        self._buffer = ctypes.create_string_buffer(size)
        self._struct = _LogStruct(0, size, ctypes.addressof(self._buffer))

    @property
    def address(self) -> int:
        """Address of the log, for the FMU's environment pointer."""
        return ctypes.addressof(self._struct)

    def text(self) -> str:
        """Return the last 500 characters of the messages, on one line."""
        said = self._buffer.raw[: self._struct.used].decode("utf-8", "replace")
        return " | ".join(said.strip().splitlines())[-500:]


class Host:
    """The compiled loop."""

    def __init__(self) -> None:
        """Build it, or take it from the cache.

        Raises:
            CompileError: no C compiler; ``--with fmpy`` runs FMUs without one.
        """
        self.library = ctypes.CDLL(str(toolchain.shared_library(source(), name="fmu-host")))
        for name, struct in (("run", HostRun), ("group", VariableGroup)):
            measure = getattr(self.library, f"host_{name}_size")
            measure.restype = ctypes.c_size_t
            assert measure() == ctypes.sizeof(struct), f"host.h and host.py differ in {name}"

    def address(self, name: str) -> int:
        """Return the address of one of its functions."""
        return ctypes.cast(getattr(self.library, name), P).value or 0

    def call(self, name: str, run: HostRun, *arguments: Any) -> bool:
        """Run a part; return False if a call to the FMU failed (see ``run.what``)."""
        function = getattr(self.library, name)
        function.restype = INT
        return bool(function(ctypes.byref(run), *arguments))


def source() -> str:
    """Return the loop's source as one text."""
    texts = {p.name: p.read_text(encoding="utf-8") for p in SOURCES.iterdir()}
    whole = texts["host.c"].replace('#include "host.h"', texts["host.h"])
    for name in ("exchange.c", "table.c"):
        whole = whole.replace(f'#include "{name}"', texts[name])
    return whole


@functools.cache
def host_library() -> Host:
    """Return the compiled loop, loaded once."""
    return Host()
