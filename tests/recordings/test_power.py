"""A real UR3e's electrical power, predicted on the half that was not fitted to."""

import numpy as np
import pytest
from data_folder import recording_file

import armtwin as at
from armtwin.energy.supply import fit_supply


@pytest.fixture(scope="module")
def run():
    """Return the recording with supply voltage and current."""
    return at.read_recording(recording_file("ur3e_power") / "fig9.xlsx", "ur3e")


def halves(run):
    """Return ``(train, test)`` row masks: halves in time, and alternating blocks of two seconds."""
    first = run.time < run.time[0] + run.duration / 2
    blocks = ((run.time - run.time[0]) // 2).astype(int) % 2 == 0
    return [(first, ~first), (~first, first), (blocks, ~blocks), (~blocks, blocks)]


def part(run, rows):
    """Return the rows of a recording."""
    groups = {name: run.group(name)[rows] for name in ("qd", "current")}
    return at.Recording.of(np.arange(rows.sum()) / 25.0, groups | {"power": run["power"][rows]})


@pytest.mark.parametrize("split", range(4))
def test_power_on_the_held_out_half(run, split):
    """R2 is 0.90 or more when one half is fitted and the other predicted, however it is split."""
    train, test = (part(run, rows) for rows in halves(run)[split])
    supply = fit_supply(at.load("ur3e"), train)
    assert supply.r_squared(test) >= 0.90
    assert 34.0 < supply.idle < 38.0


def test_resistance_of_the_elbow_is_that_of_its_size(run):
    """The elbow's resistance agrees with the maker's 1.03 Ohm of a size-1 motor within 20 %."""
    supply = fit_supply(at.load("ur3e"), run)
    assert abs(supply.resistance[1] / 1.03 - 1) < 0.2
