"""Inference of units that no header names, from the values."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Iterable

import numpy as np

from armtwin.errors import InputError, UnitWarning
from armtwin.recording.columns.mapping import Mapping, Rule
from armtwin.recording.columns.names import TARGET, group_of, joint_number, unit_of
from armtwin.recording.table import RawTable
from armtwin.spatial import Array
from armtwin.units import factor

TURN = 2 * math.pi
FAR_TURNS = 4 * TURN
"""Radians; joints of arms turn less, except for single endless ones."""
FARTHEST_REACH = 20.0
"""Metres; no arm reaches farther, so larger coordinates are millimetres."""
EPOCH = (9.4e8, 2.6e9)
"""Seconds since 1970 of the years 2000 to 2052."""
SLOWEST_STEP = 100.0
"""Seconds between rows; no recorder is slower."""
STEP_LIMITS = {"s": 1.0, "ms": 500.0, "us": 2e5, "ns": math.inf}
"""Longest step between rows that a stamp in this unit is taken to have."""
_DEGREES = 1 / factor("deg", "rad")
_ANGLES = {"q", "rpy", "rotation_vector"}
_RATES = {"qd": "deg/s", "qdd": "deg/s2", "angular_velocity": "deg/s"}


def settle(mapping: Mapping, table: RawTable, angles: str | None = None) -> Mapping:
    """Return the mapping with every unit settled.

    Args:
        mapping: as guessed; rules with unit "" are open.
        table: the file's values.
        angles: "deg" or "rad" where the user gives it; None to infer it from the values.

    Raises:
        InputError: ``angles`` is neither.
    """
    if angles not in (None, "deg", "rad"):
        raise InputError(f"angles are 'deg' or 'rad', not {angles!r}; leave it out to detect them")
    if mapping.ask_angles and angles is None:
        raise InputError(
            f"{table.origin}: neither its columns nor its values show the unit of the angles "
            "(degrees, radians, or -100 to 100 of each motor's range): give angles='deg' or 'rad' "
            "(mapping lerobot-deg or lerobot-rad), or a mapping with a scale"
        )
    rules = list(mapping.rules)
    rules = [_settle_time(rule, table) if rule.target == "time" else rule for rule in rules]
    rules = _settle_angles(rules, table, angles)
    rules = _settle_rates(rules, table, angles)
    rules = _settle_lengths(rules, table)
    rules = [rule if rule.unit else _si(rule) for rule in rules]
    return dataclasses.replace(mapping, rules=tuple(rules))


def _si(rule: Rule) -> Rule:
    return dataclasses.replace(rule, unit=unit_of(rule.target) or "")


def _settle_time(rule: Rule, table: RawTable) -> Rule:
    """Return the time's rule; its unit follows from the size of the stamps or of their step."""
    if rule.unit:
        return rule
    if rule.source in table.nanoseconds:
        return rule.in_unit("ns", "dates")
    stamps = table.columns[rule.source].astype(float)
    stamps = stamps[np.isfinite(stamps)]
    if stamps.size < 2:
        return _si(rule)
    step = float(np.median(np.abs(np.diff(stamps))))
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        low, high = stamps.min() * size, stamps.max() * size
        if EPOCH[0] < low and high < EPOCH[1] and step * size < SLOWEST_STEP:
            return rule.in_unit(unit, "stamps count from 1970")
    unit = next(name for name, limit in STEP_LIMITS.items() if step <= limit)
    return _si(rule) if unit == "s" else rule.in_unit(unit, f"step {step:.4g}")


def _settle_angles(rules: list[Rule], table: RawTable, angles: str | None) -> list[Rule]:
    """Settle angles, each kind by all its columns together; warn where values decided."""
    for kind in _groups(rules, _ANGLES):
        members = [r for r in rules if group_of(r.target) == kind and _is_open(r, angles)]
        if not members:
            continue
        members.sort(key=lambda rule: joint_number(rule.target) or 0)
        unit, why = (angles, "said") if angles else _angle_unit(members, table)
        rules = [rule.in_unit(unit, why) if rule in members else rule for rule in rules]
    return rules


def _angle_unit(members: list[Rule], table: RawTable) -> tuple[str, str]:
    """Return the unit that the values of a kind of angle suggest, and the reason."""
    reach = _reach(members, table)
    is_deg = looks_like_degrees(reach)
    if is_deg or (reach > FAR_TURNS).any():
        warnings.warn(_warning(members, reach, is_deg, table.origin), UnitWarning, stacklevel=2)
    return ("deg", "values beyond any turn") if is_deg else ("rad", "values")


def _warning(members: list[Rule], reach: Array, is_deg: bool, origin: str) -> str:
    taken = "degrees and converted" if is_deg else "radians and left as they are"
    return (
        f"{origin}: {members[0].target} to {members[-1].target} reach "
        f"{', '.join(f'{value:.4g}' for value in reach)}: taken for {taken}; "
        "give angles='deg' or 'rad' (--deg, --rad), or name the unit in a mapping file"
    )


def _is_said(rule: Rule) -> bool:
    """Return whether the file or a mapping names the unit, and it is not just the SI default."""
    is_default = rule.reason.startswith("dialect") and rule.unit == unit_of(rule.target)
    return bool(rule.unit) and not is_default


def looks_like_degrees(reach: Array) -> bool:
    """Return whether angles that reach so far (one number per column) must be degrees.

    True where two columns or more, and at least half of all, pass one turn, or two of them pass
    four turns: no arm does that in radians, while a single joint that turns without end may.
    """
    beyond, far = int((reach > TURN * 1.01).sum()), int((reach > FAR_TURNS).sum())
    return (beyond >= 2 and 2 * beyond >= reach.size) or far >= 2


def _settle_rates(rules: list[Rule], table: RawTable, angles: str | None) -> list[Rule]:
    """Settle joint speeds: in the unit of q, unless q's own slope says otherwise."""
    for kind in _groups(rules, set(_RATES)):
        bare = kind.removeprefix(TARGET)
        first = next((r for r in rules if group_of(r.target) in ("q", TARGET + "q")), None)
        is_deg = angles == "deg" or (angles is None and first is not None and first.unit == "deg")
        unit = _RATES[bare] if is_deg else (unit_of(f"{bare}1") or "rad/s")
        why = "as the angles"
        if is_deg and bare == "qd" and _slope_ratio(rules, kind, table) > math.sqrt(_DEGREES):
            unit, why = "rad/s", "slope of q"
        rules = [
            rule.in_unit(unit, why)
            if group_of(rule.target) == kind and _is_open(rule, angles)
            else rule
            for rule in rules
        ]
    return rules


def _is_open(rule: Rule, angles: str | None) -> bool:
    return not rule.unit or (angles is not None and not _is_said(rule))


def _slope_ratio(rules: list[Rule], kind: str, table: RawTable) -> float:
    """Return |dq/dt| / |qd| over the file, with q and time as written (deg) and time in s."""
    time = next((rule for rule in rules if rule.target == "time"), None)
    speed = next(rule for rule in rules if group_of(rule.target) == kind)
    twin = speed.target.replace("qd", "q", 1)
    position = next((rule for rule in rules if rule.target == twin), None)
    if time is None or position is None:
        return 0.0
    t = table.columns[time.source].astype(float) * time.factor
    q, qd = table.columns[position.source], table.columns[speed.source]
    with np.errstate(all="ignore"):
        slope, turning = np.nansum(np.abs(np.diff(q))), np.nansum(np.abs(qd[1:] * np.diff(t)))
    return float(slope / turning) if turning > 0 else 0.0


def _settle_lengths(rules: list[Rule], table: RawTable) -> list[Rule]:
    """Settle positions: millimetres where a coordinate passes 20 m, which no arm reaches."""
    for kind in _groups(rules, {"position"}):
        members = [rule for rule in rules if group_of(rule.target) == kind and not rule.unit]
        reach = _reach(members, table)
        if reach.size and reach.max() > FARTHEST_REACH:
            why = f"values up to {reach.max():.4g}"
            rules = [rule.in_unit("mm", why) if rule in members else rule for rule in rules]
    return rules


def _groups(rules: Iterable[Rule], kinds: set[str]) -> list[str]:
    found = dict.fromkeys(group_of(rule.target) for rule in rules)
    return [group for group in found if group.removeprefix(TARGET) in kinds]


def _reach(rules: Iterable[Rule], table: RawTable) -> Array:
    """Return the largest size in every column, leaving out columns without a value."""
    columns = [table.columns[rule.source] for rule in rules]
    reach = [max(np.fmax.reduce(values), -np.fmin.reduce(values)) for values in columns]
    for index in np.flatnonzero(np.isinf(reach)):
        finite = columns[index][np.isfinite(columns[index])]
        reach[index] = np.abs(finite).max(initial=0.0)
    return np.array([value for value in reach if not np.isnan(value)])
