"""Every model as an FMU gives what the Python library gives."""

import dataclasses

import numpy as np
import pytest
from fmu_files import MODELS, fmu
from scipy.integrate import solve_ivp
from synthetic_arms import random_arm

import armtwin
from armtwin.compile.kernel import kernel
from armtwin.equations.dynamics import plant as plant_equations
from armtwin.equations.parameters import symbolic
from armtwin.fmu.check.trial import columns, trial_inputs, vectors
from armtwin.fmu.check.truth import expected, rounding
from armtwin.fmu.export.export import export_fmu
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals
from armtwin.model.arm import Drive, Friction
from armtwin.spatial import rotation_from_rpy

SAME = 1e-12
CASES = [(model, fmi) for model in MODELS for fmi in (2, 3) if model != "forward-dynamics"]


def largest_difference(run, truth):
    """Return the largest difference relative to the signals' size; NaN in the truth is unknown."""
    worst = 0.0
    for name, theirs in truth.items():
        known = np.isfinite(theirs)
        assert known.any()
        scale = max(1.0, np.abs(theirs[known]).max())
        worst = max(worst, np.abs(run.signals.columns[name] - theirs)[known].max() / scale)
    return worst


@pytest.mark.parametrize(("model", "fmi"), CASES)
def test_thousand_random_states(model, fmi):
    """The FMU equals the Python model to 1e-12 when run over 1,000 random states."""
    arm = armtwin.load("ur10e")
    inputs = trial_inputs(arm, model, 1000, seed=fmi)
    run = run_fmu(fmu(model, fmi), inputs)
    assert largest_difference(run, expected(arm, model, inputs)) < SAME


def test_motor_outputs():
    """Friction, current and power equal the library's when the arm's motors are known."""
    arm = armtwin.load("ur5e-energy")
    inputs = trial_inputs(arm, "inverse-dynamics", 1000)
    run = run_fmu(fmu("inverse-dynamics", 2, "ur5e-energy"), inputs)
    truth = expected(arm, "inverse-dynamics", inputs)
    assert {"tau1", "friction1", "current1", "power1"} <= set(run.signals.columns) & set(truth)
    assert largest_difference(run, truth) < SAME


def test_no_motor_outputs_without_motors():
    """Currents and power are left out when the arm file has no motors."""
    run = run_fmu(
        fmu("inverse-dynamics"), trial_inputs(armtwin.load("ur10e"), "inverse-dynamics", 2)
    )
    assert not any(name.startswith(("current", "power")) for name in run.signals.columns)


@pytest.mark.parametrize("name", ["desktop5", "desktop5-mdh", "ur3e-screws"])
def test_other_conventions(name):
    """Forward kinematics agrees when the arm is 5-axis, modified DH or given by screws."""
    arm = armtwin.load(name)
    inputs = trial_inputs(arm, "fk", 200)
    assert (
        largest_difference(run_fmu(fmu("fk", 2, name), inputs), expected(arm, "fk", inputs)) < SAME
    )


def test_sliding_joints(tmp_path):
    """Torques agree when an arm has sliding, fixed and reversed joints."""
    arm = random_arm(5)
    for model in ("fk", "inverse-dynamics"):
        file = export_fmu(arm, tmp_path / f"{model}.fmu", model=model).path
        inputs = trial_inputs(arm, model, 200)
        assert largest_difference(run_fmu(file, inputs), expected(arm, model, inputs)) < SAME


def rubbing(arm):
    """Return the arm with friction in every joint."""
    numbers = (("viscous", 8.0), ("coulomb", 4.0), ("smoothing", 0.1))
    drive = Drive(motor_inertia=0.05, friction=Friction("viscous-coulomb", numbers))
    return arm.with_(joints=tuple(dataclasses.replace(j, drive=drive) for j in arm.joints))


def test_forward_dynamics_against_scipy(tmp_path):
    """Motion under held torques equals SciPy's to 1e-6 over 2 s when friction acts."""
    arm, rows = rubbing(armtwin.load("ur10e")), 201
    file = export_fmu(arm, tmp_path / "plant.fmu", model="forward-dynamics").path
    time = 0.01 * np.arange(rows)
    start = np.array([0.3, -1.4, 1.8, -1.9, -1.5, 0.0])
    hold = armtwin.gravity(arm, start)
    swing = np.sin(np.outer(time, np.arange(1, 7))) * np.array([30, 30, 20, 5, 5, 5])
    inputs = Signals(time, columns(tau=hold + swing, tau_ext=np.zeros((rows, 6))))
    options = RunFmuOptions(start={f"q{i + 1}": x for i, x in enumerate(start)}, defaults=True)
    run = run_fmu(file, inputs, options=options)
    plant, state = kernel(arm, plant_equations.plant), np.concatenate([start, np.zeros(6)])
    worst, tau = 0.0, vectors(inputs, "tau", 6)
    found = np.hstack([vectors(run.signals, name, 6) for name in ("q", "qd")])
    for k in range(rows - 1):
        rates = lambda t, x, k=k: np.concatenate([x[6:], plant(x[:6], x[6:], tau[k])[0]])  # noqa: E731
        done = solve_ivp(rates, time[k : k + 2], state, "DOP853", rtol=1e-11, atol=1e-12)
        state = done.y[:, -1]
        worst = max(worst, np.abs(found[k + 1] - state).max())
    assert np.ptp(found[:, 1]) > 0.1
    assert worst < 1e-6


def test_model_exchange_plant():
    """Model exchange gives the motion of co-simulation when torques are constant."""
    arm = armtwin.load("ur10e")
    inputs = trial_inputs(arm, "forward-dynamics", 50)
    held = Signals(inputs.time, {name: 0 * x + x[0] for name, x in inputs.columns.items()})
    runs = [
        run_fmu(fmu("forward-dynamics", fmi), held, options=RunFmuOptions(mode=m))
        for fmi in (2, 3)
        for m in ("cs", "me")
    ]
    assert np.abs(runs[0].values).max() > 1e-3
    for run in runs[1:]:
        assert np.abs(run.values - runs[0].values).max() < 1e-10


def test_parameters_serve_another_arm():
    """One file serves a calibrated arm when its numbers are set as parameters."""
    arm = armtwin.load("ur10e")
    joints = list(arm.joints)
    joints[1] = dataclasses.replace(joints[1], a=-0.61, d=0.002, offset=0.01)
    tool = armtwin.pose([0.01, 0.02, 0.1], rpy=[0.1, 0.2, 0.3])
    other = arm.with_(joints=tuple(joints), tool=tool)
    inputs = trial_inputs(arm, "fk", 100)
    set_to = {
        "a2": -0.61, "d2": 0.002, "offset2": 0.01, "tool_x": 0.01, "tool_y": 0.02, "tool_z": 0.1,
        "tool_roll": 0.1, "tool_pitch": 0.2, "tool_yaw": 0.3,
    }  # fmt: skip
    run = run_fmu(fmu(), inputs, options=RunFmuOptions(start=set_to))
    assert largest_difference(run, expected(other, "fk", inputs)) < SAME
    assert largest_difference(run_fmu(fmu(), inputs), expected(other, "fk", inputs)) > 1e-3


def test_frames_near_gimbal_lock_are_exact():
    """Frame parameters give the frame back to rounding when pitch is 5e-12 rad from 90 degrees."""
    almost = armtwin.pose((0.1, 0.2, 0.3), (0.3, 1.57079632679, -0.4))
    made = symbolic(armtwin.load("ur10e").with_(tool=almost), ("tool",))
    values = {parameter.name: parameter.value for parameter in made.parameters}
    R = rotation_from_rpy(*[values[f"tool_{name}"] for name in ("roll", "pitch", "yaw")])
    np.testing.assert_allclose(R, almost[:3, :3], rtol=0, atol=1e-15)


def test_rounding_is_allowed_where_it_is_amplified():
    """Yaw may differ by more than 1e-10, and x by less than 1e-12, near a pitch of 90 degrees."""
    arm, q = armtwin.load("ur10e"), np.array([0.3, -1.2, 1.4, -1.6, -1.5, 0.4])
    goal = armtwin.pose((0.5, 0.2, 0.3), (0.2, np.pi / 2 - 1e-7, 0.1))
    arm = arm.with_(tool=np.linalg.inv(armtwin.fk(arm, q)) @ goal)
    inputs = Signals(0.002 * np.arange(20), columns(q=np.tile(q, (20, 1))))
    allowed = rounding(arm, "fk", inputs, expected(arm, "fk", inputs))
    assert np.median(allowed["yaw"]) > 1e-10
    assert max(allowed["x"].max(), allowed["qx"].max()) < 1e-12
