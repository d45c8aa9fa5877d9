"""An arm's constants as a document prints them, beside those of the arm file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

import numpy as np

from armtwin.model.arm import Arm, Joint
from armtwin.reproduce.figure import Figure, table

INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")


def half_digit(printed: str) -> float:
    """Return half a unit of the last printed digit: 0.00005 for "0.0064"."""
    exponent = Decimal(printed).as_tuple().exponent
    return 0.5 * 10.0 ** int(exponent)


def constants(
    arm: Arm, file: str, errata: Mapping[tuple[str, int, str], str] | None = None
) -> Iterator[Figure]:
    """Yield a transcribed table's constants beside the arm's.

    Args:
        arm: the arm made from the document.
        file: the transcribed table: place, joint, name, unit, printed.
        errata: why the arm has another number, by place, joint and name.
    """
    known = errata or {}
    for row in table(file):
        joint, name, printed = int(row["joint"]), row["name"], row["printed"]
        label = f"{name.replace('_', ' ')} of joint {joint} {row['unit']}".strip()
        yield Figure(
            row["place"],
            label,
            float(printed),
            number_of(arm.driven[joint - 1], name),
            half_digit(printed),
            known.get((row["place"], joint, name), ""),
            basis="constant",
        )


def number_of(joint: Joint, name: str) -> float:
    """Return a joint's number by its name in the transcribed tables; NaN where there is none."""
    kind, _, part = name.partition(" ")
    if kind == "com":
        return _entry(joint.link.com, "xyz".index(part))
    if kind == "inertia":
        return _entry(joint.link.inertia, INERTIA.index(part))
    if name == "alpha":
        return joint.alpha / (np.pi / 2)
    friction = joint.drive.friction if joint.drive else None
    parameters = dict(friction.parameters) if friction else {}
    if name in parameters:
        return parameters[name]
    for owner in (joint, joint.link, joint.limits, joint.drive):
        value = getattr(owner, name, None)
        if value is not None:
            return float(value)
    return np.nan


def _entry(values: tuple[float, ...] | None, index: int) -> float:
    return np.nan if values is None else values[index]
