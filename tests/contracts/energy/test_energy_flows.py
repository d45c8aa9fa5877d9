"""The energy ledger as a Sankey diagram balances, whatever the rule and the motion."""

import numpy as np
import pytest

import armtwin as at
from armtwin.dynamics.regeneration import RULES
from armtwin.energy.flows import MOTORS, REST, SUPPLY, energy_flows

ARM = at.load("ur5e-energy")
TIME = np.arange(0, 2.001, 0.02)
BEGIN = np.array([0.0, -1.5, 1.2, -1.0, -1.5, 0.3])


def ramp(lift):
    """Return a recording whose shoulder turns by ``lift`` [rad], smoothly from rest to rest."""
    share = (1 - np.cos(np.pi * TIME / TIME[-1])) / 2
    q = BEGIN + share[:, None] * np.array([0.5, lift, 0.0, 0.3, 0.0, 0.0])
    return at.Recording.of(TIME, {"q": q}, arm=ARM.name, origin="a test")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("lift", [0.8, -0.8])
def test_what_enters_leaves(rule, lift):
    """Nodes balance and the supply gives the ledger's total when an arm is lifted or lowered."""
    book = at.ledger(ARM, ramp(lift), rule=rule, idle=30.0)
    diagram = energy_flows(book)
    flows = {(flow.source, flow.target): flow.amount for flow in diagram.flows}
    enters, leaves = diagram.through(MOTORS)
    assert enters == pytest.approx(leaves, rel=1e-9)
    assert flows[SUPPLY, REST] == pytest.approx(30.0 * book.duration)
    given = diagram.through(SUPPLY)[1] - flows.get((MOTORS, "back to the supply"), 0.0)
    assert given == pytest.approx(book.total, rel=1e-9)
    sources = sum(f.amount for f in diagram.flows if diagram.through(f.source)[0] == 0)
    sinks = sum(f.amount for f in diagram.flows if diagram.through(f.target)[1] == 0)
    assert sources == pytest.approx(sinks, rel=1e-9)
    assert flows[MOTORS, "friction"] == pytest.approx(book.friction.sum())


def test_lowered_links_give_energy():
    """Links are a source when lowering them returns more than they take."""
    lifted, lowered = (at.ledger(ARM, ramp(lift)) for lift in (0.8, -0.8))
    signs = {float(np.sign(book.links.sum())) for book in (lifted, lowered)}
    assert signs == {1.0, -1.0}
    for book in (lifted, lowered):
        names = {(flow.source, flow.target) for flow in energy_flows(book).flows}
        gives = ("links and rotors (given)", MOTORS) in names
        assert gives == (book.links.sum() < 0)
        assert ((MOTORS, "links and rotors") in names) != gives


def test_page_begins_with_the_answer():
    """The page says how much energy it was, and shows the diagram first, when it is made."""
    page = at.ledger(ARM, ramp(0.8), idle=30.0).page()
    assert page.finding.startswith("The supply gives ") and " J in 2 s" in page.finding
    assert type(page.sections[0].parts[0]).__name__ == "Sankey"
