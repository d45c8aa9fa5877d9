"""Target torques that contain friction are noticed, and those that do not are used."""

import numpy as np
import pytest
from benchmarks.planted import misprinted, planted, true_arm, without_drives

import armtwin as at
from armtwin.identification.data.runs import make_run
from armtwin.identification.data.target_friction import friction_in_targets
from armtwin.identification.estimation.problem import file_vector
from armtwin.simulation.typical_drives import with_real_drives

OPTIONS = {"method": "staged", "friction": "viscous-coulomb"}
DRY, VISCOUS = np.array([8, 8, 6, 1.5, 1.5, 1.0]), np.array([5, 5, 3, 1, 1, 1])


@pytest.fixture(scope="module")
def recorded():
    """Return the arm as its file has it, and a recording with a UR controller's targets."""
    truth = true_arm()
    return without_drives(misprinted(truth, 5)), planted(truth, 3, seconds=24.0, rate=50.0)


def with_friction(recording):
    """Return the recording with the commanded torque, friction included, as target torque."""
    qd, tau = recording.group("target_qd"), recording.group("target_tau")
    return recording.with_columns({"target_tau": tau + DRY * np.sign(qd) + VISCOUS * qd})


def test_targets_with_friction_are_not_used(recorded):
    """The fit is that without targets, and a note says so, when these contain friction."""
    arm, recording = recorded
    found = at.identify(arm, with_friction(recording), **OPTIONS)
    plain = at.identify(arm, recording, use_target=False, **OPTIONS)
    assert any("target_tau contains friction (joint 1, 2, 3, 4, 5, 6)" in n for n in found.notes)
    assert not any("first from target_tau" in note for note in found.notes)
    values = [[one.value for one in fit.estimates] for fit in (found, plain)]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-6, atol=1e-9)


def test_targets_without_friction_are_used(recorded):
    """Links and rotors come from the targets when these are those of rigid bodies."""
    found = at.identify(*recorded, **OPTIONS)
    assert not any("contains friction" in note for note in found.notes)
    assert any("first from target_tau" in note for note in found.notes)


@pytest.mark.parametrize("drives", [False, True])
def test_simulated_commands_contain_friction(drives):
    """Friction is found in the commands of a simulated arm when its drives have some, only then."""
    arm, options = at.load("ur5e"), at.IdentifyOptions()
    plant = with_real_drives(arm) if drives else arm
    run = make_run(arm, at.simulate(plant, at.Circle(seconds=4), seed=1), options)
    contained, judged = friction_in_targets([run.target], *file_vector(arm, options))
    assert judged.sum() >= 5
    assert contained[judged].tolist() == [drives] * int(judged.sum())
