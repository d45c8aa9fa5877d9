"""What the electro-mechanical model says of random cycles, rule by rule."""

import numpy as np
import pytest
from energy_arms import ARM

from armtwin.dynamics.regeneration import RULES
from armtwin.energy.ledger import ledger
from armtwin.motion.excitation.random_waypoints import random_cycle
from armtwin.motion.waypoints import Waypoints

EXPECTED = {"ideal": 713.0, "lossy": 728.0, "shared-bus": 736.0, "brake": 781.0}
"""Mean energies of 60 random six-waypoint cycles [J], from a prototype with cycles of its own."""


@pytest.fixture(scope="module")
def books():
    """Return the ledgers of 60 random cycles under every rule."""
    rng = np.random.default_rng(0)
    motions = [Waypoints(random_cycle(ARM, rng), 3.0, 6.0).motion(ARM, 200) for _ in range(60)]
    return {name: [ledger(ARM, motion, rule=name) for motion in motions] for name in RULES}


@pytest.mark.parametrize("rule", EXPECTED)
def test_mean_energy_of_a_cycle(books, rule):
    """The mean of 60 random cycles is the prototype's within 5 % when the rule is the same."""
    assert abs(np.mean([b.motors for b in books[rule]]) / EXPECTED[rule] - 1) < 0.05


def test_rules_stand_to_each_other_as_expected(books):
    """Rules cost more than ideal by the prototype's share within 1 % of all, on the same cycles."""
    mean = {rule: np.mean([b.motors for b in books[rule]]) for rule in EXPECTED}
    for rule, expected in EXPECTED.items():
        assert abs(mean[rule] / mean["ideal"] - expected / EXPECTED["ideal"]) < 0.01


def test_efficiency_and_time(books):
    """Efficiency is 0.834 and a cycle takes 9 s on average when cycles are random."""
    assert abs(np.mean([b.efficiency for b in books["ideal"]]) - 0.834) < 0.005
    assert abs(np.mean([b.duration for b in books["ideal"]]) - 9.0) < 0.7


def test_nearly_all_shaft_work_is_friction(books):
    """The work on links over a cycle is below 0.5 % of the shaft's when the cycle is closed."""
    for book in books["ideal"]:
        assert abs(book.links.sum()) < 0.005 * book.friction.sum()
