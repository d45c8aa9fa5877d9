"""The energy ledger as a Sankey diagram: from the supply to where the energy went."""

from __future__ import annotations

from armtwin.energy.ledger import ENTRIES, Ledger
from armtwin.report.diagrams import Flow, Sankey
from armtwin.report.numbers import rounded

NAMES = {
    "links": "links and rotors",
    "friction": "friction",
    "joule": "heat of windings",
    "loss": "loss in motors",
    "regenerated": "regenerated",
}
"""Entries of the ledger as people read them."""
SUPPLY, MOTORS, REST = "supply", "motors", "electronics (idle)"
SMALL = 1e-9
"""Flows below this share of the largest come of rounding, and are left out."""


def energy_flows(book: Ledger) -> Sankey:
    """Return the flows of a ledger [J].

    Motors get what the supply gives and what is used again of regenerated energy; they pass on the
    ledger's entries. An entry below 0 enters the motors instead: lowered links give energy.
    """
    reused, burnt = max(book.reused, 0.0), max(book.burnt, 0.0)
    flows = [Flow(SUPPLY, MOTORS, max(book.motors, 0.0)), Flow("used again", MOTORS, reused)]
    spent = {NAMES[name]: float(getattr(book, name).sum()) for name in ENTRIES}
    flows += [Flow(f"{name} (given)", MOTORS, -x) for name, x in spent.items() if x < 0]
    flows.append(Flow(SUPPLY, REST, book.idle * book.duration))
    flows += [Flow(MOTORS, name, x) for name, x in spent.items() if x >= 0]
    flows.append(Flow(MOTORS, "back to the supply", max(-book.motors, 0.0)))
    flows.append(Flow(NAMES["regenerated"], "used by motors", reused))
    flows.append(Flow(NAMES["regenerated"], "brake resistor", burnt))
    least = SMALL * max(flow.amount for flow in flows)
    shown = tuple(flow for flow in flows if flow.amount > least) or (Flow(SUPPLY, MOTORS, 0.0),)
    return Sankey("Where the energy went", "J", shown, _caption(book, reused))


def _caption(book: Ledger, reused: float) -> str:
    text = f"{rounded(book.total)} J from the supply in {rounded(book.duration)} s."
    if reused > 0:
        text += (
            " Regenerated energy that motors use again is drawn twice: where it arises, on the "
            "right, and where it enters the motors, on the left."
        )
    return text
