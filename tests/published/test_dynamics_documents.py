"""``armtwin reproduce observer-model`` and ``energy-model``: constants, sums and errata."""

import dataclasses
import json

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.reproduce.constants import half_digit, number_of
from armtwin.reproduce.energy import constants_check as energy_model
from armtwin.reproduce.observer import document_model as observer_model


def errata(done):
    """Return place and name of every figure that an erratum explains."""
    return {(f.place, f.name) for f in done.figures if f.verdict == "erratum"}


def heavier(arm):
    """Return the arm with link 3 heavier by one unit of the last printed digit."""
    joints = list(arm.joints)
    link = dataclasses.replace(joints[2].link, mass=joints[2].link.mass + 0.01)
    joints[2] = dataclasses.replace(joints[2], link=link)
    return arm.with_(joints=tuple(joints))


def test_observer_model_constants_and_errata():
    """Constants agree, and only the older UR10's lengths do not, when Tables 2 to 4 are read."""
    done = observer_model.reproduce()
    assert done.passed
    assert len(done.figures) == 57
    assert errata(done) == {("Table 2", f"d{n} of the UR10e m") for n in (4, 5, 6)}


def test_observer_model_statements_hold():
    """Every statement about M, C and G keeps its bound when checked on random states."""
    bound = [r for r in observer_model.reproduce().results if r.bound is not None]
    assert len(bound) == 5
    assert all(result.holds for result in bound)


def test_observer_model_sample_is_ours():
    """M, C qd and G of the sample state are the library's when printed."""
    arm = at.load("ur10e-observer")
    values = {r.name: r.value for r in observer_model.reproduce().results}
    M = at.mass_matrix(arm, observer_model.SAMPLE_Q)
    g = at.gravity(arm, observer_model.SAMPLE_Q)
    for i in range(6):
        assert values[f"G{i + 1} at q = (.1 .2 .3 .4 .5 .6)"] == pytest.approx(g[i], abs=1e-12)
        for j in range(i, 6):
            assert values[f"M{i + 1}{j + 1} at q = (.1 .2 .3 .4 .5 .6)"] == M[i, j]


def test_energy_model_constants_and_errata():
    """All constants agree but one misprint, and four statements fail, when tables are added up."""
    done = energy_model.reproduce()
    assert done.passed
    assert len(done.figures) == 159
    assert errata(done) == {
        ("Table III", "inertia zz of joint 5 kg m2"),
        ("below eq. 18", "coefficients of Table VI"),
        ("section 4", "largest RMS current error, joints 1-3 A"),
        ("Table VIII, test A", "electrical energy, overall J"),
        ("Table VIII, test B", "electrical energy, overall J"),
    }


def test_energy_model_quantities():
    """Rotor inertia, holding torque and friction are those of the constants when computed."""
    values = {r.name: r.value for r in energy_model.reproduce().results}
    expected = (6.6119e-5 + 10.7e-5) * 1e4
    assert values["rotor inertia at joint 1, (Jm + Jr) 100^2"] == pytest.approx(expected, rel=1e-12)
    assert values["gravity torque of joint 2 at q = 0"] == pytest.approx(59.76, abs=0.01)
    driving = 100 * (1.073e-3 * 100 + 0.0973)
    name = "friction at joint 2 at 1 rad/s, the motor drives"
    assert values[name] == pytest.approx(driving, rel=1e-12)


@pytest.mark.parametrize("module", [observer_model, energy_model])
def test_wrong_constant_is_found(monkeypatch, module):
    """The reproduction fails when the arm has another mass than the document."""
    document = {observer_model: "ur10e-observer", energy_model: "ur5e-energy"}[module]
    changed = heavier(at.load(document))
    load = at.load
    monkeypatch.setattr(module, "load", lambda name: changed if name == document else load(name))
    done = module.reproduce()
    assert not done.passed
    assert "mass of joint 3 kg" in {f.name for f in done.figures if f.verdict == "off"}


def test_centres_of_mass_in_other_frames_are_found(monkeypatch):
    """The holding torque's bound breaks when centres of mass are read in proximal frames."""
    arm = at.load("ur5e-energy")
    joints = [
        dataclasses.replace(
            j,
            link=dataclasses.replace(j.link, com=tuple(np.add(j.link.com, (-j.a, 0, 0)).tolist())),
        )
        for j in arm.joints
    ]
    monkeypatch.setattr(energy_model, "load", lambda name: arm.with_(joints=tuple(joints)))
    assert not all(result.holds for result in energy_model.reproduce().results)


@pytest.mark.parametrize("name", ["observer-model", "energy-model"])
def test_verbs(capsys, name):
    """Exit code 0, JSON with every figure, and a readable table when the verb runs."""
    assert run(["reproduce", name, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["passed"]
    assert run(["reproduce", name]) == 0
    text = capsys.readouterr().out
    assert f"{len(answer['figures'])} figures:" in text
    assert "reproduced" in text.splitlines()[-1]


def test_half_digit():
    """Half a unit of the last digit is returned when numbers are written in any way."""
    assert half_digit("0.0064") == pytest.approx(5e-5)
    assert half_digit("6.6119e-5") == pytest.approx(5e-10)
    assert half_digit("150") == 0.5


def test_number_that_the_arm_lacks():
    """NaN, which agrees with nothing, is returned when an arm has no such number."""
    assert np.isnan(number_of(at.load("desktop5").joints[0], "com x"))
    assert np.isnan(number_of(at.load("ur10e").joints[0], "gear"))
