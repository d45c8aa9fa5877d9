"""The page of a fleet's history."""

import numpy as np
import pytest
from history_rows import fleet

ARMS, DAYS, WORN = 6, 60, 2


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of a fleet in which joint 3 of one arm wears by 20 % within ten days."""
    drift = np.zeros((ARMS, DAYS, 6))
    drift[WORN, 30:, 2] = np.minimum(np.arange(DAYS - 30) / 10, 1.0) * 0.2
    return fleet(tmp_path_factory.mktemp("fleet") / "h", ARMS, DAYS, drift=drift).fleet().page()


def test_page_names_the_arm_that_drifts(page):
    """Verdict, facts and the first section name the one arm when one of six drifts."""
    facts = dict(page.facts)
    assert page.title == "History of 6 arms"
    assert not page.verdict.passed
    assert (facts["Arms"], facts["Rows"], facts["Drifting arms"]) == ("6", str(ARMS * DAYS), "1")
    drift = page.sections[0]
    assert drift.title == "Drift"
    table, *sentences = drift.parts
    assert table.heads[0] == "serial" and {row[0] for row in table.rows} == {f"A{WORN:05}"}
    assert any("What to do:" in part.text for part in sentences)


def test_page_lists_every_arm(page):
    """Each arm has a row, and changes of all are drawn, when a fleet is shown."""
    changes, arms = page.sections[1:]
    assert changes.parts
    (table,) = arms.parts
    assert len(table.rows) == ARMS


def test_page_of_a_sound_fleet(tmp_path):
    """One sentence stands in place of alarms when nothing drifts."""
    shown = fleet(tmp_path / "h", 3, 40, seed=4).fleet().page()
    assert shown.verdict.passed
    (part,) = shown.sections[0].parts
    assert part.text.startswith("No figure of any arm changed")
