"""FMI 3 functions of C in terms of a component's methods, for the runner."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from armtwin.fmu.loading.instance import CTYPES
from armtwin.fmu.loading.interface import FMI3_KINDS
from armtwin.fmu.wasm.wit import STATUSES

P, BOOL, REAL, SIZE = ctypes.c_void_p, ctypes.c_bool, ctypes.c_double, ctypes.c_size_t
INT, TEXT, REFERENCE = ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32
OK = STATUSES.index("ok")
ERROR = STATUSES.index("error")

Call = tuple[Any, Sequence[Any], Callable[..., Any]]
"""Type of the result, types of the arguments, and what is done."""


class Instances(Protocol):
    """A component's instances, by number."""

    mode: str

    def make(self, name: bytes, token: bytes, log: tuple[int, int], *flags: Any) -> int:
        """Make an instance; return its number, 0 if the FMU refuses.

        Args:
            name: of the instance.
            token: the FMU's identity.
            log: addresses of the logger and of its environment.
            flags: further arguments of the interface's own function.
        """

    def free(self, handle: int) -> None:
        """Free an instance."""

    def method(self, name: str, handle: int, *arguments: Any) -> Any:
        """Call a method of an instance.

        Args:
            name: of the method, such as ``do-step``.
            handle: number of the instance.
            arguments: further arguments.
        """


def fmi3_calls(on: Instances) -> dict[str, Call]:
    """Return the functions that the runner calls, by name without ``fmi3``."""
    found = _life(on) | (_stepping(on) if on.mode == "cs" else _exchange(on))
    for word in sorted({*FMI3_KINDS} - {"Enumeration"}):
        kind = CTYPES[FMI3_KINDS[word]]
        found[f"Get{word}"] = INT, (P, P, SIZE, P, SIZE), _getter(on, word.lower(), kind)
        found[f"Set{word}"] = INT, (P, P, SIZE, P, SIZE), _setter(on, word.lower(), kind)
    return found


def _life(on: Instances) -> dict[str, Call]:
    def enter(handle: int, has_tolerance: bool, tolerance: float, start: float,
              has_stop: bool, stop: float) -> int:  # fmt: skip
        given = tolerance if has_tolerance else None, start, stop if has_stop else None
        return _status(on.method("enter-initialization-mode", handle, *given))

    plain = {
        "ExitInitializationMode": "exit-initialization-mode", "Terminate": "terminate",
        "EnterEventMode": "enter-event-mode", "Reset": "reset",
    }  # fmt: skip
    return {
        "FreeInstance": (None, (P,), on.free),
        "EnterInitializationMode": (INT, (P, BOOL, REAL, REAL, BOOL, REAL), enter),
        **{name: _plain(on, method) for name, method in plain.items()},
    }


def _stepping(on: Instances) -> dict[str, Call]:
    def make(name: bytes, token: bytes, _: bytes, *given: Any) -> int:
        *flags, between, count, environment, logger, _ = given
        between_steps = _read(REFERENCE, between, count)
        return on.make(name, token, (logger, environment), *flags, between_steps)

    def step(handle: int, time: float, length: float, final: bool, *places: int) -> int:
        found = on.method("do-step", handle, time, length, final)
        if isinstance(found, str):
            return _status(found)
        names = "event-handling-needed", "terminate-simulation", "early-return"
        for name, place in zip(names, places[:3], strict=True):
            BOOL.from_address(place).value = getattr(found, name)
        REAL.from_address(places[3]).value = getattr(found, "last-successful-time")
        return OK

    return {
        "InstantiateCoSimulation": (P, (TEXT, TEXT, TEXT, *[BOOL] * 4, P, SIZE, P, P, P), make),
        "DoStep": (INT, (P, REAL, REAL, BOOL, P, P, P, P), step),
    }


def _exchange(on: Instances) -> dict[str, Call]:
    def make(name: bytes, token: bytes, _: bytes, visible: bool, logging: bool, environment: int,
             logger: int) -> int:  # fmt: skip
        return on.make(name, token, (logger, environment), visible, logging)

    def update(handle: int, *places: int) -> int:
        found = on.method("update-discrete-states", handle)
        if isinstance(found, str):
            return _status(found)
        names = (
            "new-discrete-states-needed", "terminate-simulation",
            "nominals-of-continuous-states-changed", "values-of-continuous-states-changed",
            "next-event-time-defined",
        )  # fmt: skip
        for name, place in zip(names, places[:5], strict=True):
            BOOL.from_address(place).value = getattr(found, name)
        REAL.from_address(places[5]).value = getattr(found, "next-event-time")
        return OK

    def completed(handle: int, final: bool, events: int, terminate: int) -> int:
        found = on.method("completed-integrator-step", handle, final)
        if isinstance(found, str):
            return _status(found)
        BOOL.from_address(events).value = getattr(found, "enter-event-mode")
        BOOL.from_address(terminate).value = getattr(found, "terminate-simulation")
        return OK

    def set_states(handle: int, place: int, count: int) -> int:
        return _status(on.method("set-continuous-states", handle, _read(REAL, place, count)))

    vectors = {
        "GetContinuousStates": "get-continuous-states",
        "GetContinuousStateDerivatives": "get-continuous-state-derivatives",
        "GetEventIndicators": "get-event-indicators",
    }
    counts = {
        "GetNumberOfEventIndicators": "get-number-of-event-indicators",
        "GetNumberOfContinuousStates": "get-number-of-continuous-states",
    }
    return {
        "InstantiateModelExchange": (P, (TEXT, TEXT, TEXT, BOOL, BOOL, P, P), make),
        "UpdateDiscreteStates": (INT, (P, P, P, P, P, P, P), update),
        "CompletedIntegratorStep": (INT, (P, BOOL, P, P), completed),
        "EnterContinuousTimeMode": _plain(on, "enter-continuous-time-mode"),
        "SetTime": (INT, (P, REAL), lambda h, time: _status(on.method("set-time", h, time))),
        "SetContinuousStates": (INT, (P, P, SIZE), set_states),
        **{name: (INT, (P, P, SIZE), _vector(on, method)) for name, method in vectors.items()},
        **{name: (INT, (P, P), _count(on, method)) for name, method in counts.items()},
    }


def _plain(on: Instances, method: str) -> Call:
    return INT, (P,), lambda handle: _status(on.method(method, handle))


def _vector(on: Instances, method: str) -> Callable[..., int]:
    def run(handle: int, place: int, count: int) -> int:
        return _write(REAL, place, count, on.method(method, handle))

    return run


def _count(on: Instances, method: str) -> Callable[..., int]:
    def run(handle: int, place: int) -> int:
        found = on.method(method, handle)
        if isinstance(found, str):
            return _status(found)
        SIZE.from_address(place).value = found
        return OK

    return run


def _getter(on: Instances, word: str, kind: Any) -> Callable[..., int]:
    def run(handle: int, references: int, count: int, place: int, size: int) -> int:
        found = on.method(f"get-{word}", handle, _read(REFERENCE, references, count))
        return _write(kind, place, size, found)

    return run


def _setter(on: Instances, word: str, kind: Any) -> Callable[..., int]:
    def run(handle: int, references: int, count: int, place: int, size: int) -> int:
        values = _read(kind, place, size)
        given = bytes(values) if kind is ctypes.c_uint8 else values  # as wasmtime takes list<u8>
        return _status(on.method(f"set-{word}", handle, _read(REFERENCE, references, count), given))

    return run


def _status(name: str) -> int:
    return STATUSES.index(name)


def _read(kind: Any, place: int | None, count: int) -> list[Any]:
    """Return numbers that lie at an address."""
    return list((kind * count).from_address(place)) if place and count else []


def _write(kind: Any, place: int, count: int, values: Any) -> int:
    """Write a method's answer to an address; return its status."""
    if isinstance(values, str):
        return _status(values)
    if len(values) != count:
        return ERROR
    (kind * count).from_address(place)[:] = list(values)
    return OK
