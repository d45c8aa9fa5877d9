"""Types and functions of the draft's WIT package ``fmi:fmi3@3.0.0``, as data."""

from __future__ import annotations

from dataclasses import dataclass

REVISION = "77277f4"
"""Revision of modelica/fmi-ls-wasm (working draft) that the tables follow."""
PACKAGE = "fmi:fmi3/{}@3.0.0"
"""Name of an interface in components."""

TYPES = {
    "value-reference": "u32",
    "status": "enum ok warning discard error fatal",
    "fmu-state": "list<u8>",
    "interval-qualifier": "enum interval-not-yet-known interval-unchanged interval-changed",
    "interval-fraction": "record counter:u64 resolution:u64",
    "dependency-kind": "enum dependent constant fixed tunable discrete",
    "variable-dependency": (
        "record dependent-value-reference:value-reference element-index-of-dependent:u32 "
        "independent-value-reference:value-reference element-index-of-independent:u32 "
        "kind:dependency-kind"
    ),
    "discrete-states-info": (
        "record new-discrete-states-needed:bool terminate-simulation:bool "
        "nominals-of-continuous-states-changed:bool values-of-continuous-states-changed:bool "
        "next-event-time-defined:bool next-event-time:f64"
    ),
}
"""Types of the interface ``types``; a type comes after those that it names."""

USED = (
    "value-reference", "status", "fmu-state", "interval-qualifier", "interval-fraction",
    "variable-dependency", "discrete-states-info",
)  # fmt: skip
"""Types that the interfaces of instances use."""

STATUSES = tuple(TYPES["status"].split()[1:])

LOG_MESSAGE = (
    "log-message(instance-name: string, status: status, category: string, message: string)"
)

_NUMBERS = {
    "float32": "f32", "float64": "f64", "int8": "s8", "int16": "s16", "int32": "s32",
    "int64": "s64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "boolean": "bool", "string": "string", "binary": "list<u8>", "clock": "bool",
}  # fmt: skip
_VRS = "value-references: list<value-reference>"
_SEEDED = "unknowns: list<value-reference>, knowns: list<value-reference>, seed: list<f64>"
_REQUESTS = "requests: list<tuple<value-reference, u32>>"

_LIFE = (
    "set-debug-logging(logging-on: bool, categories: list<string>) -> status",
    "enter-initialization-mode(tolerance: option<f64>, start-time: f64, stop-time: option<f64>)"
    " -> status",
    "exit-initialization-mode() -> status",
    "enter-event-mode() -> status",
    "update-discrete-states() -> result<discrete-states-info, status>",
    "terminate() -> status",
    "reset() -> status",
    "enter-configuration-mode() -> status",
    "exit-configuration-mode() -> status",
)
_VALUES = (
    *(f"get-{name}({_VRS}) -> result<list<{kind}>, status>" for name, kind in _NUMBERS.items()),
    *(f"set-{name}({_VRS}, values: list<{kind}>) -> status" for name, kind in _NUMBERS.items()),
    "get-number-of-variable-dependencies(vr: value-reference) -> result<u64, status>",
    "get-variable-dependencies(dependent: value-reference)"
    " -> result<list<variable-dependency>, status>",
    "get-fmu-state() -> result<fmu-state, status>",
    "set-fmu-state(state: fmu-state) -> status",
    f"get-directional-derivative({_SEEDED}) -> result<list<f64>, status>",
    f"get-adjoint-derivative({_SEEDED}) -> result<list<f64>, status>",
)
_CLOCKS = (
    f"get-interval-decimal({_VRS}) -> result<list<tuple<f64, interval-qualifier>>, status>",
    f"get-interval-fraction({_VRS})"
    " -> result<list<tuple<interval-fraction, interval-qualifier>>, status>",
    f"get-shift-decimal({_VRS}) -> result<list<f64>, status>",
    f"get-shift-fraction({_VRS}) -> result<list<interval-fraction>, status>",
    f"set-interval-decimal({_VRS}, intervals: list<f64>) -> status",
    f"set-interval-fraction({_VRS}, intervals: list<interval-fraction>) -> status",
    f"set-shift-decimal({_VRS}, shifts: list<f64>) -> status",
    f"set-shift-fraction({_VRS}, shifts: list<interval-fraction>) -> status",
    "evaluate-discrete-states() -> status",
)
_STEPS = (
    f"set-input-derivatives({_REQUESTS}, values: list<f64>) -> status",
    f"get-output-derivatives({_REQUESTS}) -> result<list<f64>, status>",
    "do-step(current-communication-point: f64, communication-step-size: f64, "
    "no-set-fmu-state-prior-to-current-point: bool) -> result<do-step-result, status>",
    "enter-step-mode() -> status",
)
_EXCHANGE = (
    "enter-continuous-time-mode() -> status",
    "enter-step-mode() -> status",
    "set-time(time: f64) -> status",
    "set-continuous-states(continuous-states: list<f64>) -> status",
    "get-continuous-state-derivatives() -> result<list<f64>, status>",
    "get-event-indicators() -> result<list<f64>, status>",
    "get-continuous-states() -> result<list<f64>, status>",
    "get-nominals-of-continuous-states() -> result<list<f64>, status>",
    "get-number-of-event-indicators() -> result<u64, status>",
    "get-number-of-continuous-states() -> result<u64, status>",
    "completed-integrator-step(no-set-fmu-state-prior-to-current-point: bool)"
    " -> result<completed-step-result, status>",
    f"get-output-derivatives({_REQUESTS}) -> result<list<f64>, status>",
)


@dataclass(frozen=True)
class WitInterface:
    """An exported interface with one resource, an instance of the model.

    Attributes:
        name: of the interface, such as ``co-simulation``.
        record: name and type of the record that it defines.
        make: signature of the static function that makes an instance.
        methods: signatures of the methods, without ``self``.
    """

    name: str
    record: tuple[str, str]
    make: str
    methods: tuple[str, ...]

    @property
    def resource(self) -> str:
        """Name of the resource."""
        return f"{self.name}-instance"


INTERFACES = {
    "cs": WitInterface(
        "co-simulation",
        ("do-step-result", "record last-successful-time:f64 event-handling-needed:bool "
                           "terminate-simulation:bool early-return:bool"),
        "instantiate-co-simulation(instance-name: string, instantiation-token: string, "
        "visible: bool, logging-on: bool, event-mode-used: bool, early-return-allowed: bool, "
        "required-intermediate-variables: list<value-reference>)"
        " -> option<co-simulation-instance>",
        (*_LIFE, *_VALUES, *_CLOCKS, *_STEPS),
    ),
    "me": WitInterface(
        "model-exchange",
        ("completed-step-result", "record enter-event-mode:bool terminate-simulation:bool"),
        "instantiate-model-exchange(instance-name: string, instantiation-token: string, "
        "visible: bool, logging-on: bool) -> option<model-exchange-instance>",
        (*_LIFE, *_VALUES, *_CLOCKS, *_EXCHANGE),
    ),
}  # fmt: skip
"""The interfaces by mode of an FMU."""


@dataclass(frozen=True)
class Signature:
    """A function: its name, its parameters (name, type), and its result's type or None."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    result: str | None


def signature(text: str) -> Signature:
    """Return a signature such as ``reset() -> status`` taken apart."""
    head, _, result = text.partition(" -> ")
    name, _, inside = head.rstrip(")").partition("(")
    pairs = (part.split(": ") for part in split_types(inside))
    return Signature(name, tuple((a, b) for a, b in pairs), result or None)


def split_types(text: str) -> list[str]:
    """Return the parts of a list at its commas outside of angle brackets."""
    parts, depth = [""], 0
    for mark in text:
        depth += (mark == "<") - (mark == ">")
        if mark == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += mark
    return [part.strip() for part in parts if part.strip()]
