"""The diagnosis of a validation in one sentence."""

from __future__ import annotations

import re

from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load
from armtwin.report.numbers import with_unit
from armtwin.validation.metrics import Metrics
from armtwin.validation.result import Check

MAKER = "Universal Robots "
"""Left out of names: people say UR5e."""


def diagnosis(check: Check) -> str:
    """Return how well the twin follows the recording or, where it does not, why most likely."""
    if not check.table:
        return "Nothing of this recording can be compared with the twin."
    other = proposed_arm(check)
    if other:
        best = load(other)
        return f"This looks like {_named(best, check.arm)}, not {_named(check.arm, best)}."
    if check.is_judged and not check.passed and check.causes:
        return f"The twin does not follow this recording: {check.causes[0].text}."
    return _distance(check)


def proposed_arm(check: Check) -> str:
    """Return the catalogue's arm that the recording fits much better; empty without one."""
    return (check.causes[0].arm or "") if check.causes else ""


def _distance(check: Check) -> str:
    """Return how far the twin is from the recording: by the tool's position, else by one signal."""
    rows = {row.signal: row for row in check.table}
    if "position" in rows and rows["position"].max == 0:
        return "The twin's tool is exactly where the recorded one is, in every row."
    if "position" in rows:
        return f"The twin's tool follows the recorded one within {_figures(rows['position'])}."
    worst = min(check.table, key=lambda row: 1.0 if row.r2 is None else row.r2)
    if worst.r2 is None:
        return f"The twin's {worst.signal} follows the recorded one within {_figures(worst)}."
    return (
        f"The twin explains at least {worst.r2:.1%} of the recorded signals' variance "
        f"(least of {worst.signal}: {with_unit(worst.rmse, worst.unit, 3)} RMS)."
    )


def _figures(row: Metrics) -> str:
    return f"{with_unit(row.max, row.unit, 3)} ({with_unit(row.rmse, row.unit, 3)} RMS)"


def _named(arm: Arm, other: Arm) -> str:
    """Return an arm as people call it, with its article; by its catalogue name where both agree."""
    name, beside = (_short(one) for one in (arm, other))
    shown = arm.name if name == beside else name
    return f"an {shown}" if shown[0] in "AEIO" else f"a {shown}"


def _short(arm: Arm) -> str:
    """Return the first words of an arm's title: ``UR5e`` of "UR5e with motors, gears ..."."""
    return re.split(" with | as |,", arm.title.removeprefix(MAKER))[0] or arm.name
