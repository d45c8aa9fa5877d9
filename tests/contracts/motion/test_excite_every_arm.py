"""Excitations of every kind of catalogue arm that has masses, with the default limits."""

import importlib
import json

import numpy as np
import pytest
from catalogue_arms import REPRESENTATIVE, has_masses

import armtwin as at
from armtwin.cli.main import run
from armtwin.motion.excitation.excitation import ExcitationProblem

waypoints = importlib.import_module("armtwin.motion.excitation.trapezoids")


ARMS = [name for name in REPRESENTATIVE if has_masses(name)]


@pytest.mark.parametrize("name", ARMS)
def test_default_command(name, capsys, monkeypatch):
    """A motion within every joint's own limits when the command names an arm and no limits."""
    monkeypatch.setattr(waypoints, "RANDOM", 2)
    monkeypatch.setitem(waypoints.excite_waypoints.__kwdefaults__, "tries", 10)
    words = f"excite {name} --kind waypoints --points 6 --rate 50"
    assert run([*words.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["duration"] > 1


@pytest.mark.parametrize("name", ARMS)
def test_default_limits(name):
    """Limits at most the joints' own when none are given, as in at.excite(arm)."""
    arm = at.load(name)
    speed, acceleration, _ = ExcitationProblem(arm).limits.values(arm)
    own = np.array([joint.limits.speed or np.inf for joint in arm.driven])
    np.testing.assert_array_equal(speed, np.minimum(own, 3.0))
    assert (acceleration <= 6.0).all()


@pytest.mark.parametrize(("name", "seed"), [("fr3", 0), ("fr3", 8), ("panda", 5)])
def test_series_of_seven_joints(name, seed):
    """A series with a margin and small errors when the first one brings links 3 and 5 together."""
    found = at.excite(name, seed=seed, rate=100.0)
    assert found.clearance >= 0.01
    assert found.deviation < 0.15
    assert found.condition < 30


def test_series_where_every_improvement_collides(monkeypatch):
    """A random series within the limits when no improved one can be shrunk to keep them."""
    search = importlib.import_module("armtwin.motion.excitation.fourier")
    monkeypatch.setattr(search._Search, "_repaired", lambda self, x: iter(()))
    monkeypatch.setattr(search, "STEPS", 1)
    assert at.excite("fr3", rate=100.0).clearance >= 0.01
