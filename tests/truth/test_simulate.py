"""The simulated arm: the same run from the same seed, and the truth about what touched it."""

import dataclasses

import numpy as np
import pytest

import armtwin as at
from armtwin.control.controller import ComputedTorque, GravityPD
from armtwin.errors import InputError, UnstableError
from armtwin.model.drive import torque_per_ampere
from armtwin.motion.motion import Motion
from armtwin.motion.waypoints import Waypoints
from armtwin.simulation.options import Clock
from armtwin.simulation.simulate import Simulation
from armtwin.simulation.typical_drives import real_sensors, with_real_drives

ARM = at.load("ur10e")
SHORT = at.Circle(seconds=3.0)
STILL = Waypoints([[0.3, -1.4, 1.8, -1.9, -1.5, 0], [0.3, -1.4, 1.8, -1.9, -1.5, 0]], dwell=1.0)


def external(run):
    """Return the true external torques (n, 6)."""
    return np.stack([run[f"tau_ext{j}"] for j in range(1, 7)], axis=1)


def off_path(run):
    """Return how far the true tool is from where it should be (n,) [m]."""
    return np.linalg.norm([run[f"true_{axis}"] - run[f"target_{axis}"] for axis in "xyz"], axis=0)


def balance(arm, run):
    """Return what momentum says acted from outside in every period (n - 1, 6) [Nm]."""
    found, h = at.momentum(arm, run.q, run.qd), np.diff(run.time)[:, None]
    beta = (found.beta[1:] + found.beta[:-1]) / 2
    return np.diff(found.p, axis=0) / h - beta - run.tau[1:]


def test_same_seed_same_run_bit_for_bit():
    """Every column is equal in every bit when a run is repeated with its seed."""
    push = [at.Push(joint=3, torque=-5, start=1.0, duration=0.3)]
    first, again, other = (at.simulate(ARM, SHORT, pushes=push, seed=s) for s in (7, 7, 8))
    assert first.columns == again.columns
    for name in first.columns:
        np.testing.assert_array_equal(first[name], again[name])
    assert (first["q1"] != other["q1"]).any()


def test_recording_says_that_it_is_simulated():
    """Origin, arm, notes and units are set when a run is recorded."""
    run = at.simulate(ARM, SHORT)
    assert (run.origin, run.arm, run.rate) == ("simulated", "ur10e", pytest.approx(500))
    assert run.units["tau_ext1"] == "Nm"
    assert any("seed 0" in line for line in run.notes)
    for group in ("q", "qd", "tau", "target_q", "target_qd", "target_qdd", "target_tau"):
        assert run.group(group).shape == (len(run), 6)


def test_exact_model_tracks():
    """The tool stays within 0.1 mm RMS when the controller knows the arm, noise included."""
    assert np.sqrt(np.mean(off_path(at.simulate(ARM, SHORT)) ** 2)) < 1e-4


def test_plant_obeys_our_own_dynamics():
    """Momentum balances within the integrator's floor when nothing touches a perfect run."""
    run = at.simulate(ARM, SHORT, sensors=at.Sensors.perfect())
    kernel = np.ones(50) / 50
    left = [np.convolve(x, kernel, "valid") for x in balance(ARM, run).T]
    assert np.abs(left).max() < 0.01


def test_push_is_in_the_truth_and_in_the_momentum():
    """The torque stands in tau_ext and is what momentum shows when a joint is pushed."""
    push = at.Push(joint=2, torque=20.0, start=1.0, duration=0.5)
    run = at.simulate(ARM, SHORT, pushes=[push], sensors=at.Sensors.perfect())
    truth = external(run)
    during = (run.time > 1.0 + 1e-9) & (run.time <= 1.5 + 1e-9)
    np.testing.assert_allclose(truth[during, 1], 20.0)
    assert not truth[~during].any()
    assert balance(ARM, run)[during[1:], 1].mean() == pytest.approx(20.0, abs=0.05)


def test_push_between_samples_keeps_its_impulse():
    """Torque times time is kept when a push begins and ends between two samples."""
    push = at.Push(joint=1, torque=10.0, start=1.0007, duration=0.1005)
    run = at.simulate(ARM, SHORT, pushes=[push])
    assert external(run)[:, 0].sum() * 0.002 == pytest.approx(10.0 * 0.1005)


def test_force_on_a_link_is_its_jacobian_transposed():
    """The true torque is J^T F of that point when a force acts on a link of a still arm."""
    point, force = np.array([-0.2, 0.05, 0.1]), np.array([10.0, -20.0, 5.0])
    push = at.Push(link=3, point=point, force=force, start=0.2, duration=0.1)
    run = at.simulate(ARM, STILL, pushes=[push], sensors=at.Sensors.perfect())
    row = int(np.argmax(run.time > 0.202))
    q, d = run.q[row - 1], 1e-6
    where = lambda q: (at.link_poses(ARM, q)[2] @ np.append(point, 1.0))[:3]  # noqa: E731
    J = np.stack([(where(q + d * e) - where(q - d * e)) / (2 * d) for e in np.eye(6)], axis=1)
    np.testing.assert_allclose(external(run)[row], J.T @ force, rtol=0, atol=1e-3)
    assert not external(run)[row, 3:].any()


def test_post_stops_the_arm_and_its_force_is_the_truth():
    """The contact's torques close the momentum balance when the arm runs into a post."""
    free = at.simulate(ARM, SHORT, sensors=at.Sensors.perfect())
    middle = int(np.argmax(free.time > 1.5))
    spot = free.group("position")[middle] + [0.0, 0.06, 0.0]
    post = at.Post(position=spot, radius=0.03, height=0.3, softness=0.02)
    run = at.simulate(ARM, SHORT, posts=[post], sensors=at.Sensors.perfect())
    truth = external(run)
    touched = np.abs(truth).max(axis=1) > 1e-9
    assert touched.any()
    assert not touched[run.time < 0.5].any()
    assert np.abs([run[f"contact_{axis}"] for axis in "xyz"]).max() > 20
    left = balance(ARM, run) - truth[1:]
    kernel = np.ones(25) / 25
    smooth = np.array([np.convolve(x, kernel, "valid") for x in left.T])
    assert np.abs(smooth).max() < 0.03 * np.abs(truth).max()
    assert off_path(run).max() > 5 * off_path(free).max()


def test_friction_rotor_and_payload_take_effect():
    """Torques grow as the added physics says when friction, rotors or a payload are there."""
    plain = at.simulate(ARM, SHORT, sensors=at.Sensors.perfect())
    rubbed = with_real_drives(ARM)
    run = at.simulate(rubbed, SHORT, sensors=at.Sensors.perfect())
    moving = np.abs(plain.qd[:, 0]) > 0.3
    extra = (run.tau - plain.tau)[moving, 0] * np.sign(plain.qd[moving, 0])
    expected = 17.0 + 22.0 * np.abs(plain.qd[moving, 0])
    np.testing.assert_allclose(extra, expected, rtol=0.4)
    loaded = at.with_payload(ARM, 5.0)
    held = at.simulate(loaded, STILL, sensors=at.Sensors.perfect())
    more = at.gravity(loaded, held.q[0]) - at.gravity(ARM, held.q[0])
    bare = at.simulate(ARM, STILL, sensors=at.Sensors.perfect())
    np.testing.assert_allclose(held.tau[-1] - bare.tau[-1], more, rtol=0, atol=0.02)


@pytest.mark.parametrize("law", ["stribeck", "load-dependent", "power-flow"])
def test_friction_laws_beyond_mujocos_own(law):
    """The law's torque is needed when the loaded shoulder turns evenly under such a friction."""
    from armtwin.model.arm import Drive, Friction

    numbers = {
        "stribeck": {"viscous": 5, "coulomb": 6, "static": 9, "stribeck_speed": 0.05},
        "load-dependent": {"viscous": 5, "coulomb": 6, "load": 0.05},
        "power-flow": {"viscous": 5, "coulomb_direct": 8, "coulomb_reverse": 4},
    }[law]
    drive = Drive(friction=Friction(law, tuple(numbers.items()), "joint"))
    arm = ARM.with_(joints=tuple(dataclasses.replace(j, drive=drive) for j in ARM.joints))
    path = Waypoints([[0, -1.4, 1.8, -1.9, -1.5, 0], [0, -0.4, 1.8, -1.9, -1.5, 0]], 0.6, 3.0)
    run = at.simulate(arm, path, sensors=at.Sensors.perfect())
    even = (np.abs(run.group("target_qdd")[:, 1]) < 1e-9) & (run.qd[:, 1] > 0.55)
    rigid = at.inverse_dynamics(ARM, run.q, run.qd, np.zeros_like(run.q))
    expected = at.friction(arm, run.qd, rigid)[even, 1]
    got = (run.tau - rigid)[even, 1]
    assert got.mean() == pytest.approx(expected.mean(), rel=0.1)


def test_sensor_noise_steps_and_delays():
    """Noise has its size, steps their width and delays their length when sensors are imperfect."""
    noisy = at.simulate(ARM, STILL, sensors=at.Sensors(1e-4, 1e-3, 0.5))
    assert (noisy.q - noisy.q.mean(axis=0)).std() == pytest.approx(1e-4, rel=0.2)
    assert noisy.qd.std() == pytest.approx(1e-3, rel=0.2)
    stepped = at.Sensors(0, 0, 0, position_step=1e-3, speed_step=0.01, torque_step=0.5)
    run = at.simulate(ARM, SHORT, sensors=stepped)
    np.testing.assert_allclose(run.q / 1e-3, np.round(run.q / 1e-3), rtol=0, atol=1e-6)
    np.testing.assert_allclose(run.tau / 0.5, np.round(run.tau / 0.5), rtol=0, atol=1e-6)
    late = dataclasses.replace(at.Sensors.perfect(), command_delay=3)
    run = at.simulate(ARM, SHORT, sensors=late)
    np.testing.assert_allclose(run.tau[4:], run.group("target_tau")[:-4], rtol=0, atol=1e-12)


def test_current_noise_needs_constants():
    """Currents are recorded with their noise when the arm's motors are known."""
    arm = with_real_drives(ARM)
    run = at.simulate(arm, STILL, sensors=real_sensors(arm))
    np.testing.assert_allclose(run.current * torque_per_ampere(arm), run.tau)
    spread = (run.current - run.group("target_tau") / torque_per_ampere(arm)).std(axis=0)
    np.testing.assert_allclose(spread, real_sensors(arm).current_noise, rtol=0.25)
    assert not at.simulate(ARM, STILL).has("current")


def test_one_kilohertz():
    """The rate is kept and tracking holds when the loop runs at 1 kHz."""
    run = at.simulate(ARM, at.Circle(seconds=1.5), clock=Clock(1000.0, 2.5e-4))
    assert run.rate == pytest.approx(1000)
    assert np.sqrt(np.mean(off_path(run) ** 2)) < 1e-4


def test_gravity_pd_follows_with_lag():
    """The arm follows, but worse than with computed torque, when PD with gravity controls it."""
    run = at.simulate(ARM, SHORT, controller=GravityPD(ARM))
    exact = at.simulate(ARM, SHORT)
    assert 5 * off_path(exact).max() < off_path(run).max() < 0.05


def test_unstable_gains_stop_with_time_state_and_recording():
    """Time, state and the rows so far are kept when gains make the arm run away."""
    with pytest.raises(UnstableError, match=r"at t = [\d.]+ s: q = \(.*qd = \(") as error:
        at.simulate(ARM, SHORT, controller=ComputedTorque(ARM, kp=4e6, kv=5.0))
    kept = error.value.recording
    assert 0 < len(kept) < 1500
    assert kept.origin == "simulated"


def test_long_delays_are_noticed():
    """The run stops when a delay makes the loop unstable."""
    late = dataclasses.replace(at.Sensors(), delay=60)
    with pytest.raises(UnstableError):
        at.simulate(ARM, at.Circle(seconds=8), sensors=late)


@pytest.mark.parametrize(
    "make",
    [
        lambda: at.simulate(ARM, SHORT, pushes=[at.Push(joint=7, torque=1.0)]),
        lambda: at.simulate(ARM, SHORT, pushes=[at.Push(link=9, force=(0, 0, 1))]),
        lambda: at.Push(joint=2),
        lambda: at.Push(joint=2, torque=1.0, link=3, force=(1, 0, 0)),
        lambda: at.Push(joint=2, torque=float("nan")),
        lambda: at.Push(joint=2, torque=1.0, duration=0.0),
        lambda: at.Push(link=2, force=(1, 2)),
        lambda: at.Post(position=(0, 0)),
        lambda: at.Post(position=(0, 0, 0), radius=-1),
        lambda: at.simulate(ARM, SHORT, sensors=at.Sensors(position_noise=-1)),
        lambda: at.simulate(ARM, SHORT, sensors=at.Sensors(delay=-1)),
        lambda: Clock(rate=0).steps,
        lambda: Simulation(ARM, Motion(np.arange(2.0), *np.zeros((3, 2, 5)))),
    ],
)  # fmt: skip
def test_bad_input(make):
    """An InputError says what is wrong when a scenario makes no sense."""
    with pytest.raises(InputError):
        make()


def test_push_on_joint_seven_says_what_exists():
    """The arm's joints are named when a push asks for one that it does not have."""
    with pytest.raises(InputError, match="joints 1 to 6"):
        at.simulate(ARM, SHORT, pushes=[at.Push(joint=7, torque=1.0)])
