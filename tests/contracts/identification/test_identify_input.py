"""What identify refuses, what it warns of, and what it says about the data."""

import contextlib
import dataclasses

import numpy as np
import pytest
from benchmarks.planted import fourier, planted, true_arm, without_drives

import armtwin as at
from armtwin.errors import (
    InputError,
    MissingColumnError,
    MissingDataError,
    ModelWarning,
    OutputExistsError,
    UnitWarning,
)
from armtwin.identification.data.runs import clipped
from armtwin.identification.data.sources import split_runs
from armtwin.identification.options import IdentifyOptions

TRUTH = true_arm()
START = without_drives(TRUTH)
RUN = planted(TRUTH, 21, seconds=20.0, rate=100.0)
OTHER = planted(TRUTH, 22, seconds=8.0, rate=100.0)
FAST = IdentifyOptions(friction="power-flow")


def with_current(current):
    """Return the run with other currents."""
    return RUN.with_columns({"current": current})


def held(recording, joint):
    """Return a recording in which one joint stands still all the time."""
    q = recording.q.copy()
    q[:, joint] = q[0, joint]
    return recording.select("q", "current").with_columns({"q": q})


def test_no_motion_is_refused():
    """An error that says what motion helps when no joint moves."""
    still = at.Recording.of(
        RUN.time, {"q": np.tile(RUN.q[0], (len(RUN), 1)), "current": RUN.current}
    )
    with pytest.raises(InputError, match="reverses every joint several times at several speeds"):
        at.identify(START, still)


def test_a_standing_joint_is_named():
    """Its name and what would help among the gaps when one joint hardly moves."""
    fit = at.identify(START, held(RUN, 3), method="staged", options=FAST)
    gap = next(gap for gap in fit.unidentifiable if gap.name == "joint 4")
    assert "0.0 s only" in gap.text and "several speeds" in gap.advice
    assert not gap.exact


def test_constant_speed_without_noise_is_fitted_exactly():
    """No warning of a negative square when a friction law fits a constant speed exactly."""
    time = np.arange(2000) / 100
    q = np.array([0, -1.2, 1.3, -0.6, 0.4, 0.2]) + 0.05 * time[:, None]
    qd = np.full_like(q, 0.05)
    friction = 4 * np.tanh(qd / 0.02) + 5 * qd
    tau = at.inverse_dynamics("ur10e", q, qd, 0 * q) + friction
    run = at.Recording.of(time, {"q": q, "qd": qd, "tau": tau})
    fit = at.identify("ur10e", run, friction="viscous-coulomb")
    assert min(fit.r2("train")) > 0.999


def test_slow_motion_leaves_inertias_untold():
    """Inertias named with advice to move faster when the arm only creeps."""
    slow = planted(TRUTH, 23, seconds=20.0, rate=100.0, target=False, speed=0.15, acceleration=0.1)
    fit = at.identify(START, slow, options=FAST)
    untold = [gap for gap in fit.unidentifiable if gap.name.startswith(("J", "I", "rotor"))]
    assert len(untold) > 10
    assert any("reverse joint" in gap.advice or "faster" in gap.advice for gap in untold)


@pytest.mark.parametrize(
    ("order", "reported"),
    [
        ([0, 2, 1, 3, 4, 5], "current2 -> joint 3, current3 -> joint 2 the motion"),
        ([0, 1, 2, 3, 5, 4], "current5 -> joint 6, current6 -> joint 5 the motion"),
        ([0, 1, 2, 4, 5, 3], "current4 -> joint 5, current5 -> joint 6, current6 -> joint 4 the"),
        ([1, 0, 2, 3, 5, 4], "current1 -> joint 2, current2 -> joint 1, current5 -> joint 6, cur"),
    ],
    ids=["two of the arm", "two of the wrist", "three", "two pairs"],
)
def test_currents_in_another_order_are_noticed(order, reported):
    """The right order suggested when columns are exchanged."""
    with pytest.raises(InputError, match=reported):
        at.identify(START, with_current(RUN.current[:, order]))


def test_order_is_not_judged_without_motion():
    """No order suggested when a joint stands still and its channel follows another's motion."""
    q, current = RUN.q.copy(), RUN.current.copy()
    q[:, 4] = q[0, 4]
    current[:, 4] = 0.5 * current[:, 5]
    current[:, 5] = np.random.default_rng(0).standard_normal(len(RUN))
    recorded = RUN.select("q", "current").with_columns({"q": q, "current": current})
    fit = at.identify(START, recorded, method="staged", options=FAST)
    assert any(gap.name == "joint 5" and "0.0 s only" in gap.text for gap in fit.unidentifiable)


def test_circle_with_a_standing_wrist_is_fitted():
    """The standing joint is named, and no order suggested, when the tool goes round a circle."""
    path = at.Circle(seconds=6.0)
    run = at.simulate("ur10e", path)
    fit = at.identify("ur10e", run, method="staged", options=FAST)
    assert any(gap.name == "joint 5" for gap in fit.unidentifiable)
    assert fit.not_judged[5] == "too little motion"
    assert "joint 5 (too little motion)" in fit.verdict


@pytest.mark.parametrize("arm", [START, TRUTH], ids=["drives unknown", "drives known"])
def test_currents_in_milliamperes_are_noticed(arm):
    """The unit suggested when currents are a thousand times too large."""
    with pytest.raises(InputError, match="look like mA"):
        at.identify(arm, with_current(1000 * RUN.current))


def test_currents_of_the_wrong_sign_are_noticed():
    """The column named when a current points against its joint's torque."""
    turned = RUN.current * [1, -1, 1, 1, 1, 1]
    with pytest.raises(InputError, match="current2 points against the torque"):
        at.identify(START, with_current(turned))


def test_currents_called_torques_are_noticed():
    """Amperes suggested when a column of torques is ten times too small."""
    amperes = at.Recording.of(RUN.time, {"q": RUN.q, "tau": RUN.current})
    with pytest.raises(InputError, match="it looks like amperes"):
        at.identify(START, amperes)


def test_missing_acceleration_is_differentiated_and_said():
    """A line in the notes when no qdd is recorded."""
    fit = at.identify(START, RUN, method="staged", options=FAST)
    assert any("no qdd is recorded" in line and "low-passed" in line for line in fit.notes)


def test_clipped_currents_are_left_out():
    """A warning, and the torque constant still within 1 %, when a current is cut at 4 A."""
    cut = RUN.current.copy()
    cut[:, 1] = np.clip(cut[:, 1], -4.0, 4.0)
    assert (np.abs(RUN.current[:, 1]) > 4).mean() > 0.1
    with pytest.warns(ModelWarning, match="current2 is clipped at 4 in"):
        fit = at.identify(START, with_current(cut), method="staged", options=FAST)
    true = TRUTH.joints[1].drive.torque_constant
    assert fit.estimate("torque_constant2").value == pytest.approx(true, rel=0.01)


def test_a_noisy_signal_is_not_called_clipped():
    """Nothing found when a signal only touches its highest value."""
    assert not clipped(np.random.default_rng(0).standard_normal((5000, 3))).any()
    assert not clipped(np.zeros((100, 1))).any()


def test_recordings_of_two_arms_are_refused():
    """An error that names both when recordings are of arms with other geometry."""
    foreign = dataclasses.replace(OTHER, arm="ur10e")
    with pytest.raises(InputError, match="is of arm 'ur10e', not of 'ur5e-energy'"):
        at.identify(START, [RUN, foreign])
    with pytest.raises(InputError, match="is of arm 'ur10e'"):
        at.identify(START, RUN, test=foreign)


def test_foreign_tool_poses_are_refused():
    """Another arm suspected when recorded tool poses are not those of the arm with any tool."""
    seen = at.tool_coordinates(at.load("ur5"), RUN.q, ignore_limits=True)
    foreign = RUN.with_columns({"position": seen.position, "quaternion": seen.quaternion})
    with pytest.raises(InputError, match="mm from those of 'ur5e-energy' with any tool"):
        at.identify(START, foreign)
    tool = at.load("ur5e").with_(tool=at.pose((0.1, 0.0, 0.2)))
    own = at.tool_coordinates(tool, RUN.q, ignore_limits=True)
    right = RUN.with_columns({"position": own.position, "quaternion": own.quaternion})
    assert at.identify(START, right, method="staged", options=FAST).r2("train")[1] > 0.99


def test_an_arm_with_other_joints_is_refused():
    """An error that counts both when the recording has fewer joints than the arm."""
    short = at.Recording.of(RUN.time, {"q": RUN.q[:, :5], "current": RUN.current[:, :5]})
    with pytest.raises(InputError, match="5 columns of q, but arm 'ur5e-energy' has 6 joints"):
        at.identify(START, short)


def test_training_data_are_no_test():
    """Refused when a test recording is the training data, or half of it."""
    with pytest.raises(InputError, match="repeats 100 % of the training data"):
        at.identify(START, RUN, test=RUN)
    part = RUN.slice(0.0, 5.0)
    with pytest.raises(InputError, match="proves nothing"):
        at.identify(START, RUN, test=[OTHER, part])


def test_nothing_negative_is_returned():
    """Friction, inertias and intervals at zero or above when currents ask for negative ones."""
    t, q, qd, qdd = fourier(TRUTH, 20.0, 100.0, 24)
    bare = TRUTH.with_(joints=tuple(_rotorless(joint) for joint in TRUTH.joints))
    tau = at.inverse_dynamics(bare, q, qd, qdd, ignore_limits=True) - 0.3 * qdd
    current = 0.1 * tau - 0.4 * np.sign(qd) - 0.2 * qd
    recording = at.Recording.of(t, {"q": q, "current": current})
    fit = at.identify(START, recording, friction="viscous-coulomb")
    named = ("torque_constant", "rotor", "viscous", "coulomb")
    rows = [e for e in fit.estimates if e.name.startswith(named)]
    assert len(rows) == 24
    assert all(e.value >= 0 and e.low >= 0 for e in rows)
    assert any(e.source == "bound" for e in rows)


def _rotorless(joint):
    drive = dataclasses.replace(joint.drive, motor_inertia=0.0, reducer_inertia=0.0)
    return dataclasses.replace(joint, drive=drive)


def test_missing_columns_are_named():
    """What is needed and what there is when no motor signal is recorded."""
    with pytest.raises(MissingColumnError, match="positions and current or tau; it has q1..q6"):
        at.identify(START, at.Recording.of(RUN.time, {"q": RUN.q}))


def test_an_arm_without_masses_is_refused():
    """The missing numbers named when an arm's file has no masses."""
    with pytest.raises(MissingDataError, match="lacks numbers that dynamics needs"):
        at.identify(at.load("desktop5"), RUN)


def test_a_payload_needs_known_drives():
    """Missing torque constants named when currents are to weigh a payload."""
    with pytest.raises(MissingDataError, match="no torque constant for shoulder_pan_joint"):
        at.identify(START, RUN.select("q", "current"), method=("payload",))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "magic"}, "no method 'magic'; there are joint, staged"),
        ({"method": ("links", "luck")}, "name one or more of links"),
        ({"train": []}, "no training data"),
    ],
)
def test_senseless_requests_are_refused(change, message):
    """A sentence that lists what exists when a request has no meaning."""
    with pytest.raises(InputError, match=message):
        at.identify(START, change.pop("train", RUN), **change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"friction": "magic"}, "no friction law 'magic'; known: viscous-coulomb"),
        ({"signal": "voltage"}, "signal is 'current' or 'tau'"),
        ({"rest_speed": -1.0}, "rest_speed is -1"),
        ({"gear": float("nan")}, "gear is nan"),
    ],
)
def test_senseless_settings_are_refused(change, message):
    """A sentence that says what is expected when a setting has no meaning."""
    with pytest.raises(InputError, match=message):
        IdentifyOptions(**change)


def test_degrees_are_noticed():
    """A warning when joint positions look like degrees."""
    turned = RUN.select("q", "current").with_columns({"q": np.degrees(RUN.q)})
    with pytest.warns(UnitWarning, match="deg"), contextlib.suppress(InputError):
        at.identify(START, turned, method="staged", options=FAST)


def test_split_keeps_whole_runs_or_cuts_one_in_time():
    """No row in both parts when data are split."""
    fitted, tested = split_runs([RUN], 0.5)
    assert fitted[0].time[-1] < tested[0].time[0]
    assert len(fitted[0]) + len(tested[0]) == len(RUN)
    assert [len(part) for part in split_runs([RUN, OTHER, OTHER, RUN], 0.75)] == [3, 1]
    for share in (0.0, 1.0, 1.5):
        with pytest.raises(InputError, match="between 0 and 1"):
            split_runs([RUN], share)


def test_gaps_in_a_recording_are_closed_and_said():
    """The same estimate within its interval when a hundred rows are missing."""
    keep = np.ones(len(RUN), dtype=bool)
    keep[500:600] = False
    data = {name: values[keep] for name, values in RUN.data.items()}
    holed = dataclasses.replace(RUN, time=RUN.time[keep], data=data)
    fit = at.identify(START, holed, method="staged", options=FAST)
    assert any("even clock" in line for line in fit.notes)
    true = TRUTH.joints[1].drive.torque_constant
    assert fit.estimate("torque_constant2").value == pytest.approx(true, rel=0.01)


def test_an_existing_arm_file_is_kept(tmp_path):
    """Refused when the improved arm would overwrite a file without permission."""
    fit = at.identify(START, RUN, method="staged", options=FAST)
    path = fit.save(tmp_path / "arm.toml")
    with pytest.raises(OutputExistsError):
        fit.save(path)
    assert at.load(str(fit.save(path, force=True))).name == "ur5e-energy-identified"
    with pytest.raises(KeyError, match="torque_constant1"):
        fit.estimate("nonsense")
