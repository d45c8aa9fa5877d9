"""What the detector finds of planted pushes, and that it finds nothing where there are none."""

import functools

import numpy as np
import pytest

import armtwin as at
from armtwin.control.controller import ComputedTorque
from armtwin.control.controller_models import controller_model
from armtwin.detection.detect import calibrate_detector, detect
from armtwin.detection.detection_signals import detection_signals
from armtwin.recording.recording import Recording
from armtwin.simulation.typical_drives import real_sensors, with_real_drives

ARM = at.load("ur10e")
GAP = 1.5


def pushes_on(joints, torques, duration=0.3):
    """Return pushes one after another, at times that do not fall on samples."""
    pairs = [(joint, torque) for joint in joints for torque in torques]
    return [
        at.Push(joint=j, torque=t, start=1.5137 + GAP * k + 0.0007 * k, duration=duration)
        for k, (j, t) in enumerate(pairs)
    ]


def found(alarms, push):
    """Return the alarm of a push, or None."""
    hits = [a for a in alarms if push.start <= a.time <= push.start + push.duration]
    return hits[0] if hits else None


class Case:
    """A plant, what is believed of it, and runs of both kinds."""

    def __init__(self, plant, model, pushes, *, clean=30.0, sensors=None):
        lasting = 2.5 + GAP * len(pushes)
        self.model, self.pushes = model, pushes

        def run(seconds, seed, acting=()):
            return at.simulate(
                plant,
                at.Circle(seconds=seconds),
                controller=ComputedTorque(model),
                pushes=acting,
                sensors=sensors,
                seed=seed,
            )

        self.clean, self.pushed = run(clean, 1), run(lasting, 2, pushes)
        self.held = run(20.0, 3)
        self.learned = calibrate_detector(model, self.clean)
        self.found = detect(model, self.pushed, clean=self.learned)

    @functools.cached_property
    def alone(self):
        """What is found in the pushed run without a clean one."""
        return detect(self.model, self.pushed)


@pytest.fixture(scope="module")
def exact():
    """Return the case of a model that is right, with sensor noise."""
    large = pushes_on((1, 2, 3), (20.0, -20.0, 1.0, -1.0))
    return Case(ARM, ARM, [*large])


@pytest.fixture(scope="module")
def rubbed():
    """Return the case of datasheet masses against a plant with friction and rotors."""
    plant = with_real_drives(ARM)
    pushes = pushes_on((1, 2, 3), (20.0, -20.0))
    case = Case(
        plant, controller_model(plant, "datasheet"), pushes, clean=40.0, sensors=real_sensors(plant)
    )
    return case


def test_exact_model_finds_everything_at_once(exact):
    """20 Nm are found within 6 ms and 1 Nm always when the model is right, noise included."""
    delays = []
    for push in exact.pushes:
        alarm = found(exact.found.alarms, push)
        assert alarm is not None, push
        if abs(push.torque) == 20:
            delays.append(alarm.time - push.start)
    assert np.median(delays) <= 0.004
    assert max(delays) <= 0.006


def test_exact_model_reads_20_nm_as_20(exact):
    """Joint, torque, sign and end are right when 20 Nm act for 0.3 s."""
    for push in exact.pushes:
        if abs(push.torque) == 20:
            alarm = found(exact.found.alarms, push)
            assert alarm.joint == push.joint
            assert alarm.torque == pytest.approx(push.torque, abs=0.3)
            assert alarm.end == pytest.approx(push.start + push.duration, abs=0.02)
            assert alarm.torques[push.joint - 1] == alarm.torque
            assert alarm.link >= alarm.joint


def test_no_false_alarm_on_held_out_motion(exact, rubbed):
    """Nothing is detected when other clean runs are tested."""
    for case in (exact, rubbed):
        assert detect(case.model, case.held, clean=case.learned).alarms == ()


def test_one_alarm_a_push(exact, rubbed):
    """As many alarms as pushes are raised, each ending after it began, when pushes follow."""
    for case in (exact, rubbed):
        assert len(case.found.alarms) == len(case.pushes)
        assert all(alarm.time <= alarm.end for alarm in case.found.alarms)


def test_release_is_no_contact(rubbed):
    """One alarm is raised when a push ends and other joints feel it; none when the arm stops."""
    plant = with_real_drives(ARM)
    pushes = pushes_on((3,), (40.0, -40.0, 10.0, -5.0), duration=0.4)
    run = at.simulate(
        plant,
        at.Circle(seconds=9.0),
        controller=ComputedTorque(rubbed.model),
        sensors=real_sensors(plant),
        pushes=pushes,
        seed=5,
    )
    alarms = detect(rubbed.model, run, clean=rubbed.learned).alarms
    assert [alarm.joint for alarm in alarms] == [3, 3, 3, 3]


def test_friction_and_bias_learned_from_clean_runs(rubbed):
    """Every 20 Nm push is found, with its joint, when friction was learned from a clean run."""
    hits = [found(rubbed.found.alarms, push) for push in rubbed.pushes]
    assert all(hit is not None for hit in hits)
    assert [hit.joint for hit in hits] == [push.joint for push in rubbed.pushes]
    off = [hit.torque - push.torque for hit, push in zip(hits, rubbed.pushes, strict=True)]
    assert np.sqrt(np.mean(np.square(off))) < 3.0


def test_learning_is_what_finds_them(rubbed):
    """Fewer pushes are found when nothing was learned from the same clean run."""
    plain = calibrate_detector(rubbed.model, rubbed.clean, learn=False)
    alarms = detect(rubbed.model, rubbed.pushed, clean=plain).alarms
    hits = [found(alarms, push) for push in rubbed.pushes]
    assert sum(hit is not None for hit in hits) <= len(hits) // 2


def test_learned_friction_is_near_the_planted(rubbed):
    """Rotors and friction of moving joints come out within a tenth when a clean run teaches."""
    rotor, coulomb, viscous = rubbed.learned.model.at_joints[:3, :3].T
    np.testing.assert_allclose(rotor, [4.75, 4.75, 1.6], rtol=0.1)
    np.testing.assert_allclose(coulomb, [17.0, 17.6, 6.8], rtol=0.1)
    np.testing.assert_allclose(viscous, [22.0, 17.0, 10.0], rtol=0.1)


def test_without_a_clean_run(exact, rubbed):
    """Every push is found and the source is reported when there is no clean recording."""
    for case in (exact, rubbed):
        alone = case.alone
        assert all(found(alone.alarms, push) for push in case.pushes)
        assert len(alone.alarms) == len(case.pushes)
        assert any("no clean recording" in note for note in alone.notes)


def test_clean_run_alone_is_silent(exact, rubbed):
    """Nothing is detected when a clean run is observed and there is no other."""
    for case in (exact, rubbed):
        assert detect(case.model, case.held).alarms == ()


def test_contact_does_not_spoil_the_thresholds(exact):
    """Thresholds are less than twice a clean run's when the pushed run itself teaches them."""
    alone = exact.alone.thresholds.joints
    assert (alone < 2 * exact.learned.thresholds.joints).all()


def test_live_is_batch(exact):
    """The same alarms, scores and estimates come out when samples are fed one by one."""
    live, run = exact.learned.detector(), detection_signals(exact.model, exact.pushed)
    scores, estimates = [], []
    for row, time in enumerate(run.time.tolist()):
        scores.append(live.step(time, run.q[row], run.qd[row], run.tau[row]).score)
        estimates.append(live.estimate.copy())
    np.testing.assert_array_equal(scores, exact.found.score)
    np.testing.assert_array_equal(estimates, exact.found.residual)
    assert tuple(live.alarms) == exact.found.alarms


def test_reading_while_touched(exact):
    """Contact, joint and torque are reported live when a push acts."""
    live, run = exact.learned.detector(), detection_signals(exact.model, exact.pushed)
    push = exact.pushes[4]
    for row, time in enumerate(run.time.tolist()):
        reading = live.step(time, run.q[row], run.qd[row], run.tau[row])
        if time > push.start + 0.2:
            break
    assert reading.contact
    assert reading.joint == push.joint
    assert reading.torque == pytest.approx(push.torque, abs=0.5)


def test_nan_raises_no_alarm_and_is_counted(exact):
    """No alarm comes of it and the count is reported when samples hold NaN."""
    data = {name: values.copy() for name, values in exact.held.data.items()}
    for row in (1000, 1001, 5000):
        data["tau2"][row] = np.nan
    broken = Recording(exact.held.time, data, arm="ur10e", origin="broken")
    result = detect(exact.model, broken, clean=exact.learned)
    assert result.alarms == ()
    assert np.isnan(result.score[[1000, 1001, 5000]]).all()
    assert any(note.startswith("3 samples held NaN") for note in result.notes)


def test_gaps_are_bridged_or_restarted_and_reported(exact):
    """No alarm is drawn from gaps, and what was done is reported, when rows are missing."""
    keep = np.ones(len(exact.held), bool)
    keep[2000:2002] = keep[4000:4200] = False
    data = {name: values[keep] for name, values in exact.held.data.items()}
    gappy = Recording(exact.held.time[keep], data, arm="ur10e", origin="gappy")
    result = detect(exact.model, gappy, clean=exact.learned)
    assert result.alarms == ()
    assert any("1 short gaps were bridged" in note for note in result.notes)
    assert any("1 longer gaps" in note for note in result.notes)


def drifting(case, factors):
    """Return samples of runs one after another, the plant's friction growing from run to run."""
    runs, begin = [], 0.0
    for k, factor in enumerate(factors):
        plant = with_real_drives(ARM, friction=factor)
        run = at.simulate(
            plant,
            at.Circle(seconds=20.0),
            controller=ComputedTorque(case.model),
            sensors=real_sensors(plant),
            seed=20 + k,
        )
        found = detection_signals(case.model, run)
        runs.append((found.time + begin, found))
        begin = runs[-1][0][-1] + 1.0
    return runs


def alarms_over(live, runs):
    """Return how many alarms a live detector raises over runs."""
    for times, run in runs:
        for row, time in enumerate(times.tolist()):
            live.step(time, run.q[row], run.qd[row], run.tau[row])
    return len(live.alarms)


def test_friction_drift_is_followed(rubbed):
    """Thresholds stay honest when friction creeps up by 9 percent and is followed, only then."""
    runs = drifting(rubbed, (1.015, 1.03, 1.045, 1.06, 1.075, 1.09))
    assert alarms_over(rubbed.learned.detector(), runs) == 0
    assert alarms_over(rubbed.learned.detector(adaptation=np.inf), runs[-1:]) > 0


@pytest.fixture(scope="module")
def circle():
    """Return 12 s of a clean circle."""
    return at.simulate(ARM, at.Circle(seconds=12), seed=1)


def test_link_contact_names_joint_and_link(circle):
    """Joints beyond the touched link show nothing when a force acts on a link."""
    push = at.Push(link=3, force=(0.0, 0.0, -60.0), start=2.0, duration=0.4)
    run = at.simulate(ARM, at.Circle(seconds=4), pushes=[push], seed=2)
    (alarm,) = detect(ARM, run, clean=circle).alarms
    row = int(np.argmax(run.time > 2.3))
    true = [run[f"tau_ext{j}"][row] for j in range(1, 7)]
    np.testing.assert_allclose(alarm.torques, true, rtol=0, atol=1.5)
    assert alarm.link <= 3


def test_running_into_a_post_is_detected(circle):
    """The alarm comes within a few samples of the first touch when the arm hits a post."""
    spot = circle.group("position")[750] + [0.0, 0.06, 0.0]
    post = at.Post(position=spot, radius=0.03, height=0.3, softness=0.02)
    run = at.simulate(ARM, at.Circle(seconds=3), posts=[post], seed=2)
    truth = np.abs([run[f"tau_ext{j}"] for j in range(1, 7)]).max(axis=0)
    touched = run.time[np.argmax(truth > 0)]
    first = detect(ARM, run, clean=circle).alarms[0]
    assert 0 <= first.time - touched < 0.03
