"""Results that prove nothing are refused, or end with exit code 1."""

import json

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.detection.learning.ridge import Normal
from armtwin.errors import InputError

ARM = at.load("ur5e-energy")
TIME = np.arange(2000) / 100


def recorded(path, arm, phase, unit="Nm"):
    """Write a recording of an arm's torques, or of its currents under the same name."""
    speeds = 0.7 + 0.3 * np.arange(6)
    swing = np.outer(TIME, speeds) + phase
    q, qd, qdd = np.sin(swing), speeds * np.cos(swing), -(speeds**2) * np.sin(swing)
    tau = at.inverse_dynamics(arm, q, qd, qdd)
    current = at.motor_current(arm, qd, tau)
    signal = current if unit == "A" else tau + at.friction(arm, qd, tau)
    noise = 0.02 * np.random.default_rng(int(10 * phase)).standard_normal(q.shape)
    at.Recording.of(TIME, {"q": q, "tau": signal + noise}).save(path)
    return str(path)


@pytest.fixture(scope="module")
def train(tmp_path_factory):
    """Return a file of torques to fit to."""
    return recorded(tmp_path_factory.mktemp("train") / "train.csv", ARM, 0.0)


def identified(train, test, *more):
    """Return the exit code of an identification with one friction law."""
    words = ["identify", "ur5e-energy", train, "--test", test, "--friction", "viscous-coulomb"]
    return run([*words, "--method", "staged", *more])


def test_test_data_in_amperes_are_refused(train, tmp_path, capsys):
    """Exit 2 with the unit named when the test file's tau holds amperes."""
    test = recorded(tmp_path / "test.csv", ARM, 0.5, unit="A")
    assert identified(train, test) == 2
    assert "looks like amperes" in capsys.readouterr().err


def test_result_that_predicts_nothing_exits_with_1(train, tmp_path, capsys):
    """Exit 1 and no arm file when the test data are predicted worse than by their mean."""
    hung = at.with_mounting(ARM, roll=np.pi)
    test = recorded(tmp_path / "test.csv", hung, 0.5)
    out = tmp_path / "found.toml"
    assert identified(train, test, "--out", str(out), "--json") == 1
    answer = json.loads(capsys.readouterr().out)
    assert any("worse than its mean" in line for line in answer["failures"])
    assert not out.exists() and answer["files"] == []


def test_good_test_data_pass(train, tmp_path, capsys):
    """Exit 0 and an arm file when the test data are of the same arm and unit."""
    out = tmp_path / "found.toml"
    test = recorded(tmp_path / "test.csv", ARM, 0.5)
    assert identified(train, test, "--out", str(out)) == 0
    assert out.exists()


def test_currents_of_nothing_are_refused():
    """An error says so when every current is zero."""
    q = np.sin(np.outer(TIME, np.arange(1, 7)))
    with pytest.raises(InputError, match="nothing was measured"):
        at.identify(ARM, at.Recording.of(TIME, {"q": q, "current": np.zeros_like(q)}))


def test_supply_of_a_still_arm_is_refused(tmp_path, capsys):
    """Exit 2 with the reason when the arm stands still in a recording with power."""
    rng = np.random.default_rng(0)
    q = np.tile([0, -1.5, 1, -0.5, 1, 0.0], (500, 1))
    groups = {"q": q, "qd": 1e-9 * rng.standard_normal(q.shape), "current": 1 + 0 * q,
              "power": 80 + rng.standard_normal(500)}  # fmt: skip
    path = tmp_path / "still.csv"
    at.Recording.of(TIME[:500], groups).save(path)
    assert run(["energy", "ur5e-energy", str(path)]) == 2
    assert "not identifiable" in capsys.readouterr().err


def test_singular_clean_run_gives_the_smallest_correction():
    """The correction is finite and shared when a clean run cannot distinguish two features."""
    singular = Normal(1e20 * np.ones((2, 2)), np.ones(2), 1.0)
    np.testing.assert_allclose(singular.solved(np.ones(2)), 5e-21, rtol=1e-9)


def test_clean_run_that_is_too_large_is_refused():
    """An InputError gives the reason when a clean run's normal equations are not finite."""
    with pytest.raises(InputError, match="clean run cannot be learned from"):
        Normal(np.full((2, 2), np.inf), np.ones(2), 1.0).solved(np.ones(2))
