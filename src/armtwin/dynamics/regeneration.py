"""What becomes of the power that a braking motor gives back: rules by name.

A rule has two parts, which the names below combine:

* how the motor converts (``conversion``): ``ideal`` is eq. 23 of the electro-mechanical model in
  all four quadrants, which gives back ``k_b / k_t`` = 112 % of what the shaft delivers; ``lossy``
  loses the same share while it generates as while it drives;
* where the power goes (``sink``): back to the ``supply`` and off the bill; to the other motors on
  one shared ``bus``, the rest burnt; or into a ``brake`` resistor of its own.
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
    """A rule for generated power: its name, the motor's conversion and where the power goes."""

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
        """Return what the supply gives (n,) [W] for motors that take ``terminal`` (n, dof) [W]."""
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
"""Losses both ways and nothing back to the mains: how most arms on a DC bus are built."""


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
