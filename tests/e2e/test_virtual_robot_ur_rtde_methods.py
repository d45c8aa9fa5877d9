"""Every public method of ur_rtde does what docs/virtual_robot.md says, on both bodies."""

import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from ur_rtde_calls import CLASSES
from ur_rtde_methods import BODIES, FAULT, REFUSED, WORKS, documented, methods, table, verdicts
from virtual_robots import needs_mujoco, needs_ur_rtde

pytestmark = needs_ur_rtde


@pytest.mark.parametrize("name", CLASSES)
def test_no_method_is_forgotten(name):
    """Every public method of a class is called once."""
    called = [call.method for call in CLASSES[name][1]]
    assert len(called) == len(set(called))
    assert set(called) == methods(name)


def reported(body):
    """Return what the page says about every method on a body."""
    found, column = {}, 2 + BODIES.index(body)
    for line in documented().splitlines()[2:]:
        cells = [cell.strip() for cell in line.split("|")]
        name, _, names = cells[1].partition(": ")
        found |= {(name, method): cells[column] for method in re.split(", ", names)}
    return found


@needs_mujoco
def test_methods_do_what_the_page_says():
    """Every call has the effect that the page states, on both bodies.

    The calls mostly wait for the arm and for ur_rtde, so that both bodies run at the same time.
    """
    with ProcessPoolExecutor(len(BODIES), get_context("spawn")) as pool:
        found = dict(zip(BODIES, pool.map(verdicts, BODIES), strict=True))
    for body in BODIES:
        said = reported(body)
        wrong = {call: got for call, got in found[body].items() if got != said[call]}
        assert not wrong, (body, wrong)
        assert found[body].keys() == said.keys()


def test_reasons_stand_beside_what_does_not_work():
    """Every method that does not work is listed with a reason."""
    for line in documented().splitlines()[2:]:
        cells = [cell.strip() for cell in line.split("|")]
        assert set(cells[2:4]) <= {WORKS, REFUSED, FAULT}
        assert cells[4] or set(cells[2:4]) == {WORKS}


def test_page_is_made_by_the_script():
    """The page has the table that the script makes of what it says."""
    assert table({body: reported(body) for body in BODIES}) == documented()
