"""Identification on recordings of real arms, judged on data that were not fitted to."""

import numpy as np
import pytest
from data_folder import recording_file

import armtwin as at
from armtwin.errors import InputError
from armtwin.identification.data.runs import make_run
from armtwin.identification.data.sources import split_runs
from armtwin.identification.joint_test.joint_comparison import compare_joint_test
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.result.accuracy import SignalAccuracy, accuracies
from armtwin.identification.result.prediction_checks import reason_not_judged

GEAR = 100
QUINTIC = "ur3e_quintic/ur3e_nimar13_quintic24_100hz.csv.gz"


@pytest.fixture(scope="module")
def quintic():
    """The UR3e's 24 runs: fitted to 18, predicting 6, with the unknown tool it carries."""
    arm = at.load("ur3e")
    runs = at.read_recordings(recording_file(QUINTIC), arm)
    return at.identify(arm, runs[:18], test=runs[18:], payload=True)


@pytest.fixture(scope="module")
def joint_test():
    """The maker's test of a UR5e's joints."""
    return at.read_joint_test(recording_file("ur5e_joint_test/ur5e_robot_calibration_summary.txt"))


def test_ur3e_currents_of_unseen_runs(quintic):
    """R2 of at least 0.985 (joints 1-5) and 0.94 (joint 6) when six runs are held out."""
    r2 = quintic.r2("test")
    assert min(r2[:5]) >= 0.985 and r2[5] >= 0.94, r2
    assert quintic.passed and not quintic.not_judged
    raw = [row.raw_r2 for row in quintic.accuracy if row.part == "test"]
    assert min(raw[:5]) >= 0.985, raw


def test_ur3e_tool_is_weighed_and_masses_stay(quintic):
    """About a kilogram at the flange and masses as in the datasheet when a tool is allowed."""
    mass = quintic.estimate("payload_mass")
    assert 0.5 < mass.value < 1.6 and mass.low > 0
    assert quintic.conflict < 1
    for joint, before in zip(quintic.arm.joints[:5], quintic.before.joints[:5], strict=True):
        assert joint.link.mass == pytest.approx(before.link.mass, rel=0.15)


def test_ur3e_without_a_tool_contradicts_the_datasheet():
    """A note that asks for a payload when the arm carries one that the file does not know."""
    arm = at.load("ur3e")
    runs = at.read_recordings(recording_file(QUINTIC), arm)
    fit = at.identify(arm, runs[:6])
    assert fit.conflict > 4
    assert any("payload=True" in line for line in fit.notes)


@pytest.mark.parametrize(
    ("arm", "file"),
    [
        ("ur10", "ur10_ros2_bag/ur10_exciting_trajectory.db3"),
        ("ur3e", "ur3e_power/fig9.xlsx"),
        ("ur5", "ur5_force/ur5_kkufieta_No1.csv.gz"),
        ("ur5", "ur5_force/ur5_kkufieta_No9_NoDist.csv.gz"),
    ],
)
def test_real_joints_stand_out_from_their_noise(arm, file):
    """Variances of 4 times the noise or more, and so judged, when a model predicts nothing."""
    run = make_run(at.load(arm), at.read_recording(recording_file(file), arm), IdentifyOptions())
    block = run.effort
    nothing = np.zeros_like(block.signal)
    signal = SignalAccuracy(
        file, "test", block.kind, run.rate, run.time, block.signal, nothing, block.used
    )
    for row in accuracies([signal], IdentifyOptions().band):
        assert reason_not_judged(row) == "" and row.measured_std**2 > 4 * row.noise_std**2, row


@pytest.mark.parametrize("part", [0, 1])
def test_ur10_efforts_of_the_other_half(part):
    """R2 of at least 0.9 on every joint when half of a ROS 2 bag predicts the other."""
    arm = at.load("ur10")
    bag = at.read_recording(recording_file("ur10_ros2_bag/ur10_exciting_trajectory.db3"), arm)
    halves = split_runs([bag], 0.5)
    fit = at.identify(arm, halves[part], test=halves[1 - part])
    assert min(fit.r2("test")) >= 0.9, fit.r2("test")
    raw = [row.raw_r2 for row in fit.accuracy if row.part == "test"]
    assert min(raw) >= 0.9, raw


def test_ur3e_payload_in_the_controllers_model():
    """The 1.07 kg that were set on the controller when its target torques are explained."""
    arm = at.load("ur3e")
    run = at.read_recording(recording_file("ur3e_power/fig9.xlsx"), arm)
    train, test = split_runs([run], 0.5)
    fit = at.identify(arm, train, test=test, payload=True)
    mass = fit.estimate("payload_mass")
    assert mass.low < run["payload"][0] < mass.high
    assert min(fit.r2("test", "target")) > 0.999
    assert min(fit.r2("test", "current")) > 0.9


def test_joint_test_is_read(joint_test):
    """Constants and eight speeds of six joints when the maker's summary is read."""
    assert [test.joint for test in joint_test] == [1, 2, 3, 4, 5, 6]
    first = joint_test[0]
    assert first.torque_constant == 0.1005 and first.stiction == (-0.05894, 0.05545)
    assert first.speed.tolist() == [-3.2, -1.5, -0.5, -0.01, 0.01, 0.5, 1.5, 3.2]
    assert first.voltage[0] == 23.862 and first.current[-1] == 1.732
    np.testing.assert_allclose(first.torque, first.current * first.torque_constant, atol=6e-4)


def test_joint_test_tells_windings(joint_test):
    """R, k_e and k_t/k_b near the document's 0.89 when voltage and current are amplitudes."""
    resistance = [test.winding[0] for test in joint_test]
    assert resistance[:3] == pytest.approx([0.18] * 3, rel=0.08)
    assert resistance[3:] == pytest.approx([1.03] * 3, rel=0.03)
    assert [test.winding[1] for test in joint_test[:3]] == pytest.approx([7.33] * 3, rel=0.005)
    ratios = [test.constant_ratio(GEAR) for test in joint_test]
    assert all(0.89 <= ratio <= 0.97 for ratio in ratios)
    assert all((test.efficiency(GEAR)[[0, -1]] < 1).all() for test in joint_test)


def test_joint_test_beside_the_documents_arm(joint_test):
    """k_t within 9 % and friction within 15 %, or explained, beside a loaded arm's model."""
    compared = compare_joint_test(at.load("ur5e-energy"), joint_test)
    for row in compared:
        assert row.torque_constant == pytest.approx(row.test.torque_constant, rel=0.09)
        middle = np.isin(np.abs(row.test.speed), (0.5, 1.5))
        if row.test.joint in (1, 3, 5):
            assert np.abs(row.current_ratio[middle] - 1).max() < 0.15
        else:
            assert any("loaded arm" in note for note in row.notes)
        assert any("resistance" in note for note in row.notes)
    straight = [row for row in compared if any("ever more slowly" in n for n in row.notes)]
    assert {1, 2, 4, 6} <= {row.test.joint for row in straight}


def test_joint_test_agrees_with_the_identified_joint(quintic, joint_test):
    """The same constant and friction when joints of one size are compared.

    The UR3e's elbow and the UR5e's wrists are the maker's size 1.
    """
    elbow = quintic.estimate("torque_constant3")
    arm, wrists = quintic.arm, joint_test[3:]
    for test in wrists:
        assert elbow.low < GEAR * test.torque_constant < elbow.high
    speeds = np.zeros((2, 6))
    speeds[:, 2] = (0.5, 1.5)
    ours = at.friction(arm, speeds)[:, 2]
    theirs = np.mean([GEAR * test.torque[[5, 6]] for test in wrists], axis=0)
    np.testing.assert_allclose(ours, theirs, rtol=0.2)


def test_currents_named_tau_are_noticed():
    """Amperes suggested when a real file calls its currents torques."""
    arm = at.load("ur3e")
    path = recording_file("ur3e_quintic/quintic_trayectoria_137_result.csv")
    run = at.prepare(path, arm=arm, mapping=None, rate=500).recording
    with pytest.raises(InputError, match="amperes"):
        at.identify(arm, run)
    named = at.prepare(path, arm=arm, mapping="current-as-tau", rate=500).recording
    assert named.has("current")


def test_ur3e_power_of_the_other_half():
    """R2 of at least 0.9 and about 36 W idle when half a recording predicts the other's power."""
    from armtwin.energy.supply import fit_supply

    arm = at.load("ur3e")
    run = at.read_recording(recording_file("ur3e_power/fig9.xlsx"), arm)
    first, second = (part[0] for part in split_runs([run], 0.5))
    for train, test in ((first, second), (second, first)):
        supply = fit_supply(arm, train)
        assert supply.r_squared(test) >= 0.9
        assert 33 < supply.idle < 39
