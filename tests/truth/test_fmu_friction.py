"""Plants with stiff friction: they follow the equations, hold, slide and do not stall."""

import ctypes
import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
from fmu_files import fmu
from scipy.integrate import solve_ivp

import armtwin as at
from armtwin.compile.kernel import kernel
from armtwin.compile.native import toolchain
from armtwin.equations.dynamics import plant as plant_equations
from armtwin.errors import ModelWarning
from armtwin.fmu.check.trial import columns, vectors
from armtwin.fmu.export.c_text import elimination
from armtwin.fmu.export.export import export_fmu
from armtwin.fmu.export.models import explicit_step
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals
from armtwin.model.arm import Drive, Friction

STEP = 0.002


def swing(arm, start, rows, size):
    """Return torques that hold the arm at a start and swing around that, as inputs."""
    time = STEP * np.arange(rows)
    waves = np.sin(np.outer(time, 2 * np.pi * (3.0 + np.arange(arm.dof))))
    tau = at.gravity(arm, start, ignore_limits=True) + size * waves
    return Signals(time, columns(tau=tau))


def moved(file, inputs, start, **values):
    """Return q and qd (rows, 2 dof) of a plant's FMU in co-simulation."""
    begin = {f"q{k}": float(x) for k, x in enumerate(start, 1)} | values
    options = RunFmuOptions(mode="cs", start=begin, defaults=True)
    signals = run_fmu(file, inputs, options=options).signals
    return np.hstack([vectors(signals, name, len(start)) for name in ("q", "qd")])


def solved(arm, inputs, start):
    """Return q and qd (rows, 2 dof) by SciPy's stiff solver, inputs held from row to row."""
    n, plant = arm.dof, kernel(arm, plant_equations.plant)
    tau, state = vectors(inputs, "tau", n), np.concatenate([start, np.zeros(n)])
    found = [state]
    for k in range(len(tau) - 1):
        rates = lambda t, x, k=k: np.concatenate([x[n:], plant(x[:n], x[n:], tau[k])[0]])  # noqa: E731
        between = inputs.time[k : k + 2]
        done = solve_ivp(rates, between, state, "LSODA", rtol=1e-7, atol=1e-9)
        state = done.y[:, -1]
        found.append(state)
    return np.array(found)


def rubbing(arm, **numbers):
    """Return the arm with the same viscous and Coulomb friction in every joint."""
    law = Friction("viscous-coulomb", tuple(numbers.items()))
    joints = [dataclasses.replace(joint, drive=Drive(friction=law)) for joint in arm.joints]
    return arm.with_(joints=tuple(joints))


@pytest.mark.parametrize("n", [1, 2, 9])
def test_elimination_solves(n):
    """The generated elimination solves as NumPy does, and refuses an indefinite matrix."""
    text = "\n".join(elimination(n)).replace("static __attribute__((noinline, unused)) ", "")
    library = ctypes.CDLL(str(toolchain.shared_library(text, name="elimination")))
    rng = np.random.default_rng(n)
    root, x = rng.normal(size=(n, n)), rng.normal(size=n)
    matrix = root @ root.T + np.diag(10.0 ** rng.uniform(-3, 3, n))
    lower, found = matrix[np.tril_indices(n)], x.copy()
    at_lower, at_found = (ctypes.c_void_p(v.ctypes.data) for v in (lower, found))
    assert library.model_factor(at_lower) == 1
    library.model_solve(at_lower, at_found)
    assert found == pytest.approx(np.linalg.solve(matrix, x), rel=1e-9)
    matrix[-1, -1] = -1.0
    lower[:] = matrix[np.tril_indices(n)]
    assert library.model_factor(at_lower) == 0


def test_stiff_friction_follows_the_equations():
    """Motion equals SciPy's to 1e-5 rad, 1e-4 rad/s when friction changes sign in 1e-5 rad/s."""
    arm, start = at.load("ur5e-energy"), np.array([0.3, -1.4, 1.8, -1.9, -1.5, 0.0])
    assert explicit_step(arm) < 1e-5
    still = np.full(6, 0.3), np.zeros(6)
    inputs = swing(arm, start, 60, 1.5 * np.abs(at.friction(arm, *still)) + 8.0)
    found = moved(fmu("forward-dynamics", 2, "ur5e-energy"), inputs, start)
    truth = solved(arm, inputs, start)
    assert np.abs(truth[:, 6:]).max() > 0.2
    assert (np.diff(np.sign(truth[2:, 6:]), axis=0) != 0).any()
    assert np.abs(found - truth)[:, :6].max() < 1e-5
    assert np.abs(found - truth)[:, 6:].max() < 1e-4


def test_friction_set_at_run_time_is_stiff_too():
    """Motion equals SciPy's when stiff friction is set as parameters of a frictionless arm."""
    start = np.array([0.3, -1.4, 1.8, -1.9, -1.5, 0.0])
    numbers = {"viscous": 5.0, "coulomb": 10.0, "smoothing": 1e-5}
    arm = rubbing(at.load("ur10e"), **numbers)
    inputs = swing(arm, start, 12, 25.0)
    values = {f"{name}{k}": x for name, x in numbers.items() for k in range(1, 7)}
    found = moved(fmu("forward-dynamics"), inputs, start, **values)
    truth = solved(arm, inputs, start)
    assert np.abs(truth[:, 6:]).max() > 0.2
    assert np.abs(found - truth).max() < 1e-4


def test_resting_arm_stays_and_a_pushed_one_breaks_free():
    """Joints creep by less than the smoothing speed below Coulomb friction, and move above it."""
    arm = rubbing(at.load("ur10e"), viscous=5.0, coulomb=10.0, smoothing=1e-5)
    start = np.array([0.3, -1.4, 1.8, -1.9, -1.5, 0.0])
    values = {"viscous": 5.0, "coulomb": 10.0, "smoothing": 1e-5}
    numbers = {f"{name}{k}": x for name, x in values.items() for k in range(1, 7)}
    time, hold = STEP * np.arange(100), at.gravity(arm, start)
    ends = []
    for push in (7.0, 13.0):
        tau = np.tile(hold + push * np.eye(6)[0], (100, 1))
        inputs = Signals(time, columns(tau=tau))
        ends.append(moved(fmu("forward-dynamics"), inputs, start, **numbers)[-1])
    assert np.abs(ends[0][6:]).max() < 1e-5
    assert np.abs(ends[0][:6] - start).max() < 1e-5 * time[-1]
    assert ends[1][6] > 0.01


def test_tighter_tolerance_is_more_accurate():
    """The error falls when the parameter tolerance does."""
    arm, start = at.load("ur5e-energy"), np.array([0.3, -1.4, 1.8, -1.9, -1.5, 0.0])
    rng, rows = np.random.default_rng(0), 12
    still = np.full(6, 0.3), np.zeros(6)
    size = 2.0 * np.abs(at.friction(arm, *still))
    tau = at.gravity(arm, start) + size * rng.uniform(-1, 1, (rows, 6))
    inputs = Signals(STEP * np.arange(rows), columns(tau=tau))
    truth, file = solved(arm, inputs, start), fmu("forward-dynamics", 2, "ur5e-energy")
    off = [np.abs(moved(file, inputs, start, tolerance=x) - truth).max() for x in (1e-2, 1e-6)]
    assert off[1] < 0.1 * off[0]


def test_light_links_with_dry_friction(tmp_path):
    """TIAGo's arm moves as SciPy says when an explicit solver would need steps of microseconds."""
    path = "cmeel.prefix/share/example-robot-data/robots/tiago_description/robots/tiago.urdf"
    found = [Path(place, path) for place in sys.path if Path(place, path).is_file()]
    if not found:
        pytest.skip("example-robot-data is not installed: TIAGo's URDF is there")
    with pytest.warns(ModelWarning, match="held at zero"):
        arm = at.load(found[0], tip="hand_tool_link")
    assert explicit_step(arm) < 1e-5
    start = np.clip(np.zeros(arm.dof), arm.lower + 0.1, arm.upper - 0.1)
    inputs = swing(arm, start, 30, 2.5)
    file = export_fmu(arm, tmp_path / "tiago.fmu", model="forward-dynamics").path
    found, truth = moved(file, inputs, start), solved(arm, inputs, start)
    n = arm.dof
    assert np.abs(truth[:, n:]).max() > 0.1
    assert np.abs(found - truth)[:, :n].max() < 1e-5
    assert np.abs(found - truth)[:, n:].max() < 2e-4
