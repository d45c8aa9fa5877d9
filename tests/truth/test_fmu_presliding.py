"""Plants with presliding friction as FMUs: they hold, and move as simulation and CVODE say."""

import ctypes

import numpy as np
import pytest
from fmu_files import folder
from presliding_arms import HOME, with_presliding

import armtwin as at
from armtwin.fmu.check.trial import columns, vectors
from armtwin.fmu.export.export import export_fmu
from armtwin.fmu.loading.fmu_library import Library
from armtwin.fmu.loading.instance import Instance
from armtwin.fmu.loading.package import Package
from armtwin.fmu.run.core import RunFmuOptions
from armtwin.fmu.run.run import run_fmu
from armtwin.fmu.run.signals import Signals
from armtwin.simulation.plant import Plant

STEP, FIRST = 0.002, np.arange(6) == 0


@pytest.fixture(scope="module")
def arm():
    """Return the UR5e whose joints slide fully after 2 mrad."""
    return with_presliding(2e-3)


@pytest.fixture(scope="module")
def plant(arm):
    """Return its FMU."""
    return export_fmu(arm, folder() / "presliding.fmu", model="forward-dynamics").path


def moved(file, time, tau, **values):
    """Return q and qd (rows, 12) under torques (rows, 6), from HOME at rest."""
    begin = {f"q{k}": float(x) for k, x in enumerate(HOME, 1)} | values
    options = RunFmuOptions(mode="cs", start=begin, defaults=True)
    done = run_fmu(file, Signals(time, columns(tau=tau)), options=options).signals
    return np.hstack([vectors(done, name, 6) for name in ("q", "qd")])


def holding(arm):
    """Return the torques that carry the arm's weight at HOME."""
    return at.inverse_dynamics(arm, HOME, np.zeros(6), np.zeros(6))


def swing(arm, rows, step=STEP):
    """Return time and torques that move every joint to and fro."""
    time = step * np.arange(rows)
    size = 1.5 * np.abs(at.friction(arm, np.full(6, 0.3), np.zeros(6))) + 8.0
    waves = np.sin(np.outer(time, 2 * np.pi * (3.0 + np.arange(6))))
    return time, holding(arm) + size * waves


def test_a_standing_arm_holds_for_a_minute(arm, plant):
    """Nothing creeps or chatters in 60 s when joint 1 is pushed by less than its friction."""
    time = 0.1 * np.arange(601)
    found = moved(plant, time, np.tile(holding(arm) + 2.0 * FIRST, (601, 1)))
    assert 1e-5 < found[-1, 0] - HOME[0] < 2e-3
    assert np.ptp(found[500:, :6], axis=0).max() < 1e-9
    assert np.abs(found[500:, 6:]).max() < 1e-6


def test_it_slides_beyond_its_friction(arm, plant):
    """Joint 1 accelerates when its torque exceeds all of its friction."""
    time = STEP * np.arange(200)
    found = moved(plant, time, np.tile(holding(arm) + 25.0 * FIRST, (200, 1)))
    assert found[-1, 0] - HOME[0] > 0.05


def test_it_moves_as_the_simulated_plant(arm, plant):
    """Motions approach that of MuJoCo's plant, in proportion to its step, when joints reverse."""
    time, tau = swing(arm, 120)
    found, off = moved(plant, time, tau), []
    assert (np.diff(np.sign(found[2:, 6:]), axis=0) != 0).sum() > 5
    for steps in (4, 16):
        simulated = Plant(arm, STEP / steps)
        simulated.reset(HOME, np.zeros(6))
        states = [np.concatenate([simulated.q, simulated.qd])]
        for row in tau[:-1]:
            simulated.advance(row, (), steps)
            states.append(np.concatenate([simulated.q, simulated.qd]))
        off.append(np.abs(np.array(states) - found).max())
    assert off[1] < 3e-3
    assert off[1] < 0.4 * off[0]


def test_communication_steps_hardly_matter(arm, plant):
    """Motions agree to 3e-5 rad and 2e-4 rad/s when steps of 0.1 s become steps of 0.1 ms."""
    tau = holding(arm) + np.array([30.0, 20.0, 12.0, 6.0, 5.0, 5.0])
    ends = []
    for step in (0.1, 0.01, 1e-3, 1e-4):
        rows = round(0.2 / step) + 1
        ends.append(moved(plant, step * np.arange(rows), np.tile(tau, (rows, 1)))[-1])
    assert np.abs(ends[0][6:]).min() > 0.01
    assert np.ptp(ends, axis=0)[:6].max() < 3e-5
    assert np.ptp(ends, axis=0)[6:].max() < 2e-4


def test_model_exchange_is_the_same_model(arm, plant):
    """CVODE over model exchange gives the motion of co-simulation when joints stick and slide."""
    fmpy = pytest.importorskip("fmpy")
    time, tau = swing(arm, 40)
    found = moved(plant, time, tau)
    names = [f"tau{k}" for k in range(1, 7)]
    rows = np.zeros(2 * len(time) - 2, [("time", float)] + [(name, float) for name in names])
    rows["time"][0::2], rows["time"][1::2] = time[:-1], time[1:]
    for k, name in enumerate(names):
        rows[name] = np.repeat(tau[:-1, k], 2)
    result = fmpy.simulate_fmu(
        str(plant), fmi_type="ModelExchange", stop_time=float(time[-1]), output_interval=STEP,
        relative_tolerance=1e-8, input=rows, output=[f"q{k}" for k in range(1, 7)],
        start_values={f"q{k}": float(x) for k, x in enumerate(HOME, 1)},
    )  # fmt: skip
    times, at_rows = np.unique(np.round(result["time"], 9), return_index=True)
    theirs = np.column_stack([result[f"q{k}"] for k in range(1, 7)])[at_rows]
    assert np.allclose(times, time)
    assert np.abs(theirs - found[:, :6]).max() < 1e-5


def variable(instance, name):
    """Return the value reference of a variable."""
    found = next(s for s in instance.interface.scalars if s.name == name)
    return ctypes.c_uint32(found.reference)


def get(instance, name, count=1):
    """Return a variable of FMI 3."""
    values, size = (ctypes.c_double * count)(), ctypes.c_size_t
    instance.call(
        "GetFloat64", ctypes.byref(variable(instance, name)), size(1), values, size(count)
    )
    return np.array(values)


def test_elements_are_states_of_arrays(arm):
    """Elements are arrays of six with exact derivatives, and slip or stick by their rates."""
    file = folder() / "presliding_arrays.fmu"
    export_fmu(arm, file, model="forward-dynamics", fmi="3-arrays")
    size, widths = ctypes.c_size_t, 2e-3 * (np.arange(1, 7) / 6) ** 2
    with Library(Package(file), "me") as library, Instance(library) as instance:
        instance.initialize(0.0, 1.0)
        for name, values in (("z1", (1.0, 0.5, 0.0, 0.0, -0.5, -1.0)), ("qd", (0.5, *[0.0] * 5))):
            given = (ctypes.c_double * 6)(*values)
            reference = ctypes.byref(variable(instance, name))
            instance.call("SetFloat64", reference, size(1), given, size(6))
        rates = get(instance, "der(z1)", 6)
        assert rates == pytest.approx(0.5 / widths * np.array([0, 1, 1, 1, 1, 1]))
        known = ctypes.byref(variable(instance, "z1"))
        unknown = ctypes.byref(variable(instance, "der(qd)"))
        seed, found = (ctypes.c_double * 6)(0, 1, 0, 0, 0, 0), (ctypes.c_double * 6)()
        call = (unknown, size(1), known, size(1), seed, size(6), found, size(6))
        instance.call("GetDirectionalDerivative", *call)
        before = get(instance, "der(qd)", 6)
        moved = (ctypes.c_double * 6)(1.0, 0.5 + 1e-6, 0.0, 0.0, -0.5, -1.0)
        instance.call("SetFloat64", known, size(1), moved, size(6))
        difference = (get(instance, "der(qd)", 6) - before) / 1e-6
    assert np.abs(difference).max() > 0.01
    assert np.array(found) == pytest.approx(difference, rel=1e-5, abs=1e-7)


def test_state_with_elements_is_restored(arm, plant):
    """A motion out of presliding is repeated bitwise when the state is set back."""
    runs, size, push = [], ctypes.c_size_t, 20.0
    with Library(Package(plant), "cs") as library, Instance(library) as instance:
        instance.initialize(0.0, 1.0, {"tau1": push})
        instance.call("ExitInitializationMode")
        state = ctypes.c_void_p()
        for k in range(8):
            if k == 3:
                instance.call("GetFMUstate", ctypes.byref(state))
            instance.call("DoStep", ctypes.c_double(STEP * k), ctypes.c_double(STEP), 1)
        for _ in range(2):
            values, names = (ctypes.c_double * 3)(), ("z1_1", "z1_6", "q1")
            references = (ctypes.c_uint32 * 3)(*[variable(instance, n).value for n in names])
            instance.call("GetReal", references, size(3), values)
            runs.append(list(values))
            instance.call("SetFMUstate", state)
            for k in range(3, 8):
                instance.call("DoStep", ctypes.c_double(STEP * k), ctypes.c_double(STEP), 1)
        instance.call("FreeFMUstate", ctypes.byref(state))
    assert runs[0][0] == 1.0
    assert 0 < runs[0][1] < 1.0
    assert runs[0] == runs[1]
