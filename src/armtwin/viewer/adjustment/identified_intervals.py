"""95 % intervals of an identification or calibration, by the names of a page's kernels.

A result is given as it was returned, or as the file that ``armtwin identify --json`` or
``armtwin calibrate --json`` printed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armtwin.calibration.fit.geometry_parameters import chain_parameters
from armtwin.calibration.result import Calibration
from armtwin.errors import InputError
from armtwin.identification.parameters.prior import gear_power
from armtwin.identification.result.fit import Fit
from armtwin.model.arm import Arm
from armtwin.model.drive import PARAMETERS

Identified = Fit | Calibration | str | Path
"""A result with intervals, or the JSON file of one."""
DH = ("a", "alpha", "d", "theta")
PAYLOAD = ("payload_mass", "payload_x", "payload_y", "payload_z")
TOOL = tuple(f"tool_{axis}" for axis in ("x", "y", "z", "roll", "pitch", "yaw"))


@dataclass(frozen=True)
class NumberInterval:
    """A 95 % interval of one number of the arm [SI], and where it comes from."""

    low: float
    high: float
    source: str


@dataclass(frozen=True)
class Intervals:
    """Intervals by the names of kernel parameters.

    Attributes:
        found: the intervals.
        notes: what could not be used, and why.
    """

    found: dict[str, NumberInterval]
    notes: tuple[str, ...] = ()


def identified_intervals(arm: Arm, given: Identified | Sequence[Identified]) -> Intervals:
    """Return the intervals of payload, friction and geometry that results give for an arm.

    Of several results that have an interval for one number, the last counts.

    Args:
        arm: the arm whose numbers they are; best the one that was identified.
        given: one result or several.

    Raises:
        InputError: something else than a result, a file that is not one, or none of its intervals
            belongs to the arm.
    """
    several = isinstance(given, Sequence) and not isinstance(given, str)
    found: dict[str, NumberInterval] = {}
    notes: list[str] = []
    for one in given if several else [given]:  # type: ignore[union-attr]
        data, source = _data(one)
        named = dict(_named(arm, data))
        own = {name: NumberInterval(*ends, source) for name, ends in named.items()}
        if not own:
            raise InputError(
                f"{source}: none of its 95 % intervals belongs to payload, friction, geometry or "
                f"tool of arm {arm.name!r}; it is of arm {data.get('arm')!r}. Give the arm that "
                "was identified or calibrated, with its friction laws and rows"
            )
        notes += _notes(arm, data, source)
        found |= own
    return Intervals(found, tuple(notes))


def _data(given: Any) -> tuple[dict[str, Any], str]:
    """Return a result as plain data, and its name."""
    if isinstance(given, Fit | Calibration):
        verb = "identification" if isinstance(given, Fit) else "calibration"
        files = ", ".join(dict.fromkeys(path.name for path in given.inputs))
        return given.to_dict(), f"{verb} with {files}" if files else verb
    if not isinstance(given, str | Path):
        raise InputError(
            f"identified is a {type(given).__name__}; expected what identify or calibrate "
            "returned, or the JSON file that armtwin identify --json or calibrate --json printed"
        )
    path = Path(given)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: not a JSON file, or cut short: {error}") from error
    if not isinstance(data, dict) or not (_is_fit(data) or _is_calibration(data)):
        raise InputError(
            f"{path}: no result of identify or calibrate; write one with armtwin identify ARM "
            "RECORDING --json > fit.json"
        )
    return data, path.name


def _is_fit(data: dict[str, Any]) -> bool:
    return isinstance(data.get("estimates"), list)


def _is_calibration(data: dict[str, Any]) -> bool:
    return isinstance(data.get("parameters"), list) and "chosen" in data


def _rows(rows: Sequence[Any]) -> dict[str, tuple[float, float]]:
    """Return the finite intervals of a result by their own names."""
    found = {}
    for row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            raise InputError("a parameter of the identified result has no name; the file is cut")
        ends = row.get("low"), row.get("high")
        if all(isinstance(end, int | float) and math.isfinite(end) for end in ends):
            low, high = float(ends[0]), float(ends[1])  # type: ignore[arg-type]
            if low < high:
                found[row["name"]] = (low, high)
    return found


def _named(arm: Arm, data: dict[str, Any]) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield kernel parameters of an arm with their intervals."""
    if _is_fit(data):
        rows = _rows(data["estimates"])
        yield from _friction(arm, rows, {str(row["name"]) for row in data["estimates"]})
        if not _holds_payload(arm, data):
            yield from ((name, rows[name]) for name in PAYLOAD if name in rows)
        return
    rows = _rows(data["parameters"])
    for parameter in chain_parameters(arm) if arm.convention != "screws" else ():
        if parameter.name in rows:
            row, kind = divmod(parameter.index, 4)
            yield f"{DH[kind]}{row + 1}", rows[parameter.name]
    placements = data.get("placements") or [{"name": ""}]
    first = placements[0]["name"]
    for name in TOOL:
        ends = rows.get(name, rows.get(f"{name}@{first}"))
        if ends:
            yield name, ends


def _friction(
    arm: Arm, rows: dict[str, tuple[float, float]], names: set[str]
) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield friction of the joints whose law is the identified one, on the law's own side."""
    known = {name for law in PARAMETERS.values() for name in law}
    number = 0
    for row, joint in enumerate(arm.joints, 1):
        number += joint.kind != "fixed"
        drive = joint.drive
        if joint.kind == "fixed" or drive is None or drive.friction is None:
            continue
        law = PARAMETERS[drive.friction.model]
        if {name for name in known if f"{name}{number}" in names} != set(law):
            continue
        for name in law:
            if f"{name}{number}" in rows:
                low, high = rows[f"{name}{number}"]
                size = gear_power(name, drive.gear) if drive.friction.side == "joint" else 1.0
                yield f"{name}{row}", (size * low, size * high)


def _holds_payload(arm: Arm, data: dict[str, Any]) -> bool:
    """Return whether the arm is the identified one, whose last link holds the payload."""
    return data.get("fingerprint") == arm.fingerprint


def _notes(arm: Arm, data: dict[str, Any], source: str) -> Iterator[str]:
    name = data.get("arm")
    if name != arm.name:
        yield f"{source} is of arm {name!r}; its intervals are used for {arm.name!r}"
    if not _is_fit(data):
        return
    payload = [row for row in data["estimates"] if row["name"] == PAYLOAD[0]]
    if payload and _holds_payload(arm, data):
        mass = payload[0]["value"]
        yield (
            f"the payload of {mass:.3g} kg that {source} found is a part of this arm's last link: "
            "the slider's mass is added to it"
        )
