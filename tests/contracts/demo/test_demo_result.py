"""The demo's result, its failures, and what its command writes.

``tests/repo/test_wheel.py`` runs the whole demo.
"""

import dataclasses
import json

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.cli.verbs.setup import demo
from armtwin.demo import demo_page, scenario, self_check
from armtwin.errors import InputError
from armtwin.reproduce.figure import DocumentResult


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    """The demo's result, computed once."""
    arm = at.load("ur10e")
    plant = scenario.built(arm)
    runs = [demo._run(plant, pushed=pushed) for pushed in (True, False)]
    return scenario.finish(arm, plant, *runs, tmp_path_factory.mktemp("demo") / "demo.fmu")


@pytest.fixture
def quick(monkeypatch, result):
    """Let the demo take that result and write nothing."""
    monkeypatch.setattr(demo, "_run", lambda plant, pushed: None)
    monkeypatch.setattr(demo, "_write", lambda result, out: [])
    monkeypatch.setattr(scenario, "finish", lambda *given: result)


def with_alarms(result, *alarms):
    """Return the result with other alarms."""
    detection = dataclasses.replace(result.detection, alarms=alarms)
    return dataclasses.replace(result, detection=detection)


def test_demo_fails_when_the_push_is_not_detected(monkeypatch, quick, result, tmp_path, capsys):
    """The exit code is 1 and the reason is printed when no contact is detected."""
    assert result.failures == []
    blind = with_alarms(result)
    monkeypatch.setattr(scenario, "finish", lambda *given: blind)
    monkeypatch.setattr(demo, "_checks", lambda arm: True)
    assert run(["demo", "--out", str(tmp_path)]) == 1
    assert "FAILED: the push was not detected in time" in capsys.readouterr().out


def test_demo_fails_with_a_broken_law(monkeypatch, quick, tmp_path, capsys):
    """The exit code is 1 when a self-check does not hold."""
    monkeypatch.setattr(self_check, "self_check", lambda arm: [DocumentResult("law", 2.0, "", 1.0)])
    assert run(["demo", "--out", str(tmp_path)]) == 1
    assert "FAILED: a self-check" in capsys.readouterr().out


def test_every_failure_is_named(result):
    """One sentence says what failed when alarms, the twin or the FMU are not as they should be."""
    (alarm,) = result.detection.alarms
    late = dataclasses.replace(alarm, time=scenario.PUSH.start + 2 * scenario.SOON)
    assert with_alarms(result, late).failures == ["the push was not detected in time"]
    elsewhere = dataclasses.replace(alarm, joint=scenario.PUSH.joint + 1)
    for alarms in ((elsewhere,), (alarm, alarm)):
        failures = with_alarms(result, *alarms).failures
        assert failures == ["a false alarm, or an alarm on the wrong joint"]
    for gap in (1e-6, np.nan):
        (failure,) = dataclasses.replace(result, fmu_gap=gap).failures
        assert failure == f"the FMU is {gap:.1e} m off Python"
    wrong = dataclasses.replace(result.check, failures=("position is off",))
    assert dataclasses.replace(result, check=wrong).failures == [wrong.verdict]


def test_result_is_frozen_and_one_line(result):
    """A result cannot be changed and shows its verdict in one line when it is printed."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.fmu_gap = 0.0
    assert repr(result).startswith("<DemoResult PASSED: the push was detected")
    assert repr(with_alarms(result)) == "<DemoResult NOT PASSED: the push was not detected in time>"
    assert "\n" not in repr(result)


def test_result_is_plain_data(result):
    """Verdict and figures survive JSON when a result becomes a dictionary."""
    data = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert (data["arm"], data["passed"], data["failures"]) == ("ur10e", True, [])
    assert 0 <= data["delay"] <= scenario.SOON
    assert data["tracking"]["rms_before"] < data["tracking"]["max_after"]
    assert data["detection"]["verdict"] == "contact"
    assert json.loads(json.dumps(with_alarms(result).to_dict()))["delay"] is None


def test_page_says_what_was_found(result):
    """The page has the push, the alarm and the FMU among its facts when it is made."""
    facts = dict(demo_page.facts(result))
    assert facts["Push"] == "20 Nm on joint 2 at 6 s"
    assert facts["Detected"].endswith(f"on joint 2, {result.delay * 1e3:.0f} ms later")
    assert dict(demo_page.facts(with_alarms(result)))["Detected"] == "not at all"
    assert result.page().facts == tuple(facts.items())


def test_same_seed_same_plant():
    """The same planted errors when a seed is used again, other ones when it is another seed."""
    arm = at.load("ur10e")
    assert scenario.built(arm, 3) == scenario.built(arm, 3) != scenario.built(arm, 4)
    assert scenario.built(arm, 3) != arm
    for seed in (-1, None, "x"):
        with pytest.raises(InputError, match=f"seed is {seed!r}; give a whole number, 0 or more"):
            scenario.built(arm, seed)


def test_laws_hold_and_say_how_well(numpy_target, monkeypatch):
    """Every law and document has a name and a figure, within its bound where nothing is off."""
    documents = {"sound": lambda: ["agrees", "erratum"], "wrong": lambda: ["off", "agrees", "off"]}
    monkeypatch.setattr(self_check, "DOCUMENTS", documents)
    *sound, wrong = self_check.self_check(at.load("ur10e"), states=20)
    assert len({row.name for row in sound}) == len(sound) == 5
    assert all(row.holds and 0 <= row.value <= row.bound for row in sound)
    assert sound[-1].name == "figures of 'sound' not reproduced"
    assert (wrong.value, wrong.holds) == (2, False)


def test_wrong_kinematics_are_noticed(numpy_target, monkeypatch):
    """The law that a function breaks does not hold when Jacobian or batches are wrong."""
    monkeypatch.setattr(self_check, "DOCUMENTS", {})
    assert broken_laws() == []
    jacobian, fk = self_check.jacobian, self_check.fk
    with monkeypatch.context() as patch:
        patch.setattr(self_check, "jacobian", lambda *given: 1.001 * jacobian(*given))
        assert broken_laws() == ["Jacobian equals the differences of poses"]
    monkeypatch.setattr(self_check, "fk", lambda arm, q, **more: shifted(fk(arm, q, **more)))
    assert broken_laws() == ["batch equals one call at a time"]


def broken_laws():
    """Return the names of the laws that do not hold on an arm."""
    rows = self_check.self_check(at.load("ur10e"), states=5)
    return [row.name for row in rows if not row.holds]


def shifted(T):
    """Return poses moved by a micrometre where they come as a batch."""
    moved = T.copy()
    moved[..., 0, 3] += 1e-6 * (T.ndim > 2)
    return moved
