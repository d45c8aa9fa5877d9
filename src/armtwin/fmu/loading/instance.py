"""Instances of an FMU's model and their FMI calls."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from typing import Any

from armtwin.errors import FmuError, InputError
from armtwin.fmu.loading.fmu_library import Library
from armtwin.fmu.loading.scalar import Scalar
from armtwin.fmu.run.host import HostLog, host_library

P = ctypes.c_void_p
STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")
CTYPES: dict[str, Any] = {
    "F64": ctypes.c_double, "F32": ctypes.c_float, "I8": ctypes.c_int8, "U8": ctypes.c_uint8,
    "I16": ctypes.c_int16, "U16": ctypes.c_uint16, "I32": ctypes.c_int32, "U32": ctypes.c_uint32,
    "I64": ctypes.c_int64, "U64": ctypes.c_uint64, "B8": ctypes.c_bool,
}  # fmt: skip


class Callbacks2(ctypes.Structure):
    """``fmi2CallbackFunctions``."""

    _fields_ = [  # noqa: RUF012
        ("logger", P), ("allocate", P), ("free", P), ("finished", P), ("environment", P),
    ]  # fmt: skip


class Instance:
    """An instance of an FMU's model; leaving its context frees it."""

    def __init__(self, library: Library, name: str = "instance") -> None:
        """Instantiate the model.

        Raises:
            FmuError: the FMU refuses.
        """
        self.library, self.interface = library, library.interface
        self.log = HostLog()
        self._libc = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
        make = self._make2 if self.interface.fmi == 2 else self._make3
        self.pointer = make(name.encode())
        if not self.pointer:
            raise FmuError(self._text("does not instantiate"))

    def __enter__(self) -> Instance:
        """Return the instance."""
        return self

    def __exit__(self, *error: object) -> None:
        """Free the instance."""
        free = self.library.function(f"fmi{self.interface.fmi}FreeInstance")
        free.restype, free.argtypes = None, [P]
        free(self.pointer)

    def _make2(self, name: bytes) -> int | None:
        callbacks = Callbacks2(
            host_library().address("host_log2"),
            ctypes.cast(self._libc.calloc, P),
            ctypes.cast(self._libc.free, P),
            None,
            self.log.address,
        )
        self._callbacks = callbacks
        make = self.library.function("fmi2Instantiate")
        text, number = ctypes.c_char_p, ctypes.c_int
        make.restype, make.argtypes = P, [text, number, text, text, P, number, number]
        kind = 1 if self.library.mode == "cs" else 0
        place = self.library.resources.as_uri().encode()
        return make(name, kind, self._token(), place, ctypes.byref(callbacks), 0, 1)

    def _make3(self, name: bytes) -> int | None:
        place = f"{self.library.resources}/".encode()
        logger, text, truth = P(host_library().address("host_log3")), ctypes.c_char_p, ctypes.c_bool
        if self.library.mode == "me":
            make = self.library.function("fmi3InstantiateModelExchange")
            make.restype, make.argtypes = P, [text, text, text, truth, truth, P, P]
            return make(name, self._token(), place, False, True, P(self.log.address), logger)
        make = self.library.function("fmi3InstantiateCoSimulation")
        make.restype = P
        make.argtypes = [text, text, text, *[truth] * 4, P, ctypes.c_size_t, P, P, P]
        flags = (False, True, False, False)
        environment = P(self.log.address)
        return make(name, self._token(), place, *flags, None, 0, environment, logger, None)

    def _token(self) -> bytes:
        return self.interface.token.encode()

    def _text(self, what: str) -> str:
        said = self.log.text()
        return f"{self.library.package.path}: {what}" + (f"; it says: {said}" if said else "")

    def call(self, name: str, *arguments: Any, what: str = "") -> None:
        """Call ``fmi<version><name>`` and raise on any status worse than a warning.

        Raises:
            FmuError: the call fails; what the FMU logged is quoted.
        """
        function = self.library.function(f"fmi{self.interface.fmi}{name}")
        function.restype = ctypes.c_int
        status = function(P(self.pointer), *arguments)
        if status > 1:
            label = STATUS[status] if status < len(STATUS) else str(status)
            raise FmuError(self._text(f"{what or name} returned {label}"))

    def initialize(
        self, start: float, stop: float, values: Mapping[str, float] | None = None
    ) -> None:
        """Set start values by name and initialize the model.

        Args:
            start: time at which the run begins [s].
            stop: time at which it ends [s].
            values: start values by name of parameters, states and inputs.

        Raises:
            InputError: names that the FMU does not have or that cannot be set.
            FmuError: the FMU refuses.
        """
        t0, t1, tolerance = (ctypes.c_double(x) for x in (start, stop, 0.0))
        for scalar, numbers in self.interface.settings(values or {}).items():
            self.set(scalar, *numbers)
        if self.interface.fmi == 2:
            self.call("SetupExperiment", 0, tolerance, t0, 1, t1)
            self.call("EnterInitializationMode")
        else:
            no, yes = ctypes.c_bool(False), ctypes.c_bool(True)
            self.call("EnterInitializationMode", no, tolerance, t0, yes, t1)

    def set(self, scalar: Scalar, *values: float) -> None:
        """Set one variable: its number, or all numbers of an array."""
        kind = self.interface.kind(scalar)
        if kind is None:
            raise InputError(f"{scalar.name} is a {scalar.type}; only numbers can be set")
        numbers = values if kind[0] == "F" else map(int, values)
        cells = (CTYPES[kind] * len(values))(*numbers)
        reference = ctypes.c_uint32(scalar.reference)
        size = () if self.interface.fmi == 2 else (ctypes.c_size_t(len(values)),)
        name = self.interface.call("Set", scalar)[4:]
        arguments = (ctypes.byref(reference), ctypes.c_size_t(1), ctypes.byref(cells), *size)
        text = ", ".join(f"{value:g}" for value in values)
        self.call(name, *arguments, what=f"setting {scalar.name} to {text}")
