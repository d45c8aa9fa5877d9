"""Payloads and mountings that the controller does not know are found and named from currents."""

import numpy as np
import pytest

import armtwin as at
from armtwin.identification.data.model_mismatch import check_model
from armtwin.identification.data.runs import make_run
from armtwin.identification.options import IdentifyOptions
from armtwin.recording.recording import Recording
from armtwin.reproduce.energy import test_trajectories as energy_trials

MASS, COM = 2.6, (0.02, 0.0, 0.07)
TRUE = energy_trials.true_arm()
FILE = energy_trials.without_drives(TRUE)
SETTINGS = IdentifyOptions(friction="power-flow")
TILT = 0.2


def recorded(truth, controller):
    """Return a test of an arm at 125 Hz whose target torques come from another model."""
    full = energy_trials.trial("A", truth, controller=controller).recording
    groups = ("q", "current", "target_q", "target_qd", "target_qdd", "target_tau")
    return Recording.of(full.time[::4], {name: full.group(name)[::4] for name in groups})


def checked(truth, controller, **options):
    """Return what is said of a recording before any fit."""
    chosen = IdentifyOptions(**options)
    run = make_run(FILE, recorded(truth, controller), chosen)
    return check_model(FILE, chosen, [run], [])


def holds(estimate, truth):
    """Return whether an interval holds the truth."""
    return estimate.low <= truth <= estimate.high


@pytest.fixture(scope="module")
def loaded():
    """Return the arm with a payload of 2.6 kg that its controller does not know."""
    return at.with_payload(TRUE, MASS, com=COM)


@pytest.fixture(scope="module")
def weighed(loaded):
    """Return the identification of that arm with payload=True and nothing else chosen."""
    return at.identify(FILE, recorded(loaded, TRUE), payload=True, options=SETTINGS)


def test_payload_unknown_to_the_controller_is_weighed(weighed):
    """Mass and centre within their intervals when target_tau knows no payload."""
    mass = weighed.estimate("payload_mass")
    assert holds(mass, MASS) and mass.low > 0.5
    assert mass.value == pytest.approx(MASS, rel=0.05)
    for axis, truth in zip("xyz", COM, strict=True):
        assert holds(weighed.estimate(f"payload_{axis}"), truth)


def test_payload_unknown_to_the_controller_is_named(weighed):
    """The notes name a payload and leave target_tau out when currents contradict it."""
    line = next(line for line in weighed.notes if "contradict" in line)
    assert "a payload or tool of 2." in line and "target_tau is not used" in line
    assert not any(row.kind == "target" for row in weighed.accuracy)


def test_staged_is_the_default_with_a_payload(weighed):
    """Links stay as in the file when a payload is asked for without a method."""
    assert "links" not in weighed.options.unknown


def test_tilted_base_is_estimated_with_the_payload(loaded):
    """Tilt and mass within their intervals when neither is known to the controller."""
    truth = at.with_mounting(loaded, roll=TILT)
    fit = at.identify(FILE, recorded(truth, TRUE), payload=True, options=SETTINGS)
    assert holds(fit.estimate("tilt"), TILT)
    assert holds(fit.estimate("payload_mass"), MASS)
    text = "\n".join(fit.notes)
    assert "base is tilted by" in text and "payload or tool of" in text


@pytest.mark.parametrize(("mass", "angle"), [(1.0, 0.1), (2.6, np.pi / 4), (1.5, np.pi / 2)])
def test_payload_and_tilt_are_named_together(mass, angle):
    """Both causes within their intervals when the controller knows neither, up to a wall mount."""
    truth = at.with_mounting(at.with_payload(TRUE, mass, com=COM), pitch=angle)
    found = checked(truth, TRUE)
    causes = {cause.cause: cause for cause in found.mismatches}
    assert set(causes) == {"payload", "mounting"}
    assert holds(causes["payload"], mass) and holds(causes["mounting"], angle)
    assert found.runs[0].target is None


def test_payload_and_tilt_are_named_without_target_torques():
    """Payload and tilt contradict the file when only currents are recorded."""
    truth = at.with_mounting(at.with_payload(TRUE, MASS, com=COM), pitch=TILT)
    found = checked(truth, TRUE, use_target=False)
    assert {cause.cause for cause in found.mismatches} == {"payload", "mounting"}
    assert all("together with the other one named" in line for line in found.notes)


@pytest.mark.parametrize("angle", [0.1, 0.5, np.pi / 2, np.pi])
def test_tilt_is_named(angle):
    """The tilt within half a degree when only the base stands otherwise, up to the ceiling."""
    found = checked(at.with_mounting(TRUE, roll=angle), TRUE)
    assert [cause.cause for cause in found.mismatches] == ["mounting"]
    cause = found.mismatches[0]
    assert cause.low - 0.01 <= angle <= cause.high + 0.01
    assert "mounting" in found.options.unknown and found.runs[0].target is None


def test_tilt_is_named_without_target_torques():
    """The file is contradicted by name when only currents are recorded."""
    found = checked(at.with_mounting(TRUE, pitch=TILT), TRUE, use_target=False)
    assert [cause.cause for cause in found.mismatches] == ["mounting"]
    assert "contradict the arm's file" in found.notes[0]


def test_payload_that_is_not_there_is_named(loaded):
    """A lighter payload is named when the controller was told one that is not mounted."""
    found = checked(TRUE, loaded)
    assert [cause.cause for cause in found.mismatches] == ["payload"]
    assert found.mismatches[0].low <= -MASS <= found.mismatches[0].high
    assert "lighter" in found.notes[0]


@pytest.mark.parametrize("carried", [False, True])
def test_controller_that_is_right_is_believed(loaded, carried):
    """Nothing is suspected when the controller knows payload and mounting."""
    truth = loaded if carried else TRUE
    found = checked(truth, truth)
    assert not found.mismatches and found.runs[0].target is not None
