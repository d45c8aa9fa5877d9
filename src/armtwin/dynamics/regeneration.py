"""Regeneration: rules for the power of a braking motor, by name.

A rule has two parts, which the names below combine:

* the conversion of the motor (``conversion``): ``ideal`` is eq. 23 of the electro-mechanical model
  in all four quadrants, which returns ``k_b / k_t`` = 112 % of the shaft power; ``lossy`` loses the
  same fraction while generating as while motoring;
* the destination of the power (``sink``): back to the ``supply``; to the other motors on a shared
  ``bus``, the rest dissipated; or into a ``brake`` resistor per motor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from armtwin.errors import InputError
from armtwin.spatial import Array

Conversion = Literal["ideal", "lossy"]
Sink = Literal["supply", "bus", "brake"]


@dataclass(frozen=True)
class Regeneration:
    """A rule for generated power: name, conversion of the motor and destination of the power."""

    name: str
    conversion: Conversion
    sink: Sink

    @property
    def meaning(self) -> str:
        """The rule in words."""
        convert = {
            "ideal": "motors by eq. 23 in all four quadrants",
            "lossy": "motors lose k_b / k_t both ways",
        }[self.conversion]
        go = {
            "supply": "generated power goes back to the supply and off the bill",
            "bus": "generated power feeds the other motors at that moment; the rest is burnt",
            "brake": "generated power is burnt in a brake resistor",
        }[self.sink]
        return f"{convert}; {go}"

    def drawn(self, terminal: Array) -> Array:
        """Return the supply's power (n,) [W] for terminal powers of the motors (n, dof) [W]."""
        if self.sink == "supply":
            return np.asarray(terminal.sum(axis=-1))
        if self.sink == "bus":
            return np.maximum(terminal.sum(axis=-1), 0.0)
        return np.asarray(np.maximum(terminal, 0.0).sum(axis=-1))


RULES = {
    rule.name: rule
    for rule in (
        Regeneration("ideal", "ideal", "supply"),
        Regeneration("lossy", "lossy", "supply"),
        Regeneration("shared-bus", "ideal", "bus"),
        Regeneration("brake", "ideal", "brake"),
        Regeneration("lossy-shared-bus", "lossy", "bus"),
        Regeneration("lossy-brake", "lossy", "brake"),
    )
}
"""The first four are those of the electro-mechanical model's discussion; the last two combine."""

DEFAULT = "lossy-shared-bus"
"""Losses in both directions and no feedback to the mains, as in most arms with a DC bus."""


def regeneration(rule: str | Regeneration) -> Regeneration:
    """Return a rule by its name.

    Raises:
        InputError: no rule of that name; those that exist are listed.
    """
    if isinstance(rule, Regeneration):
        return rule
    if rule not in RULES:
        raise InputError(f"no regeneration rule {rule!r}; there are {', '.join(RULES)}")
    return RULES[rule]
