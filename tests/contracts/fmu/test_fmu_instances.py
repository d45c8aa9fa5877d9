"""What instances of our FMUs promise their hosts: own state, small size, exact derivatives."""

import ctypes
import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fmu_files import MODELS, fmu

import armtwin
from armtwin.errors import FmuError
from armtwin.fmu.loading.fmu_library import Library
from armtwin.fmu.loading.instance import Instance
from armtwin.fmu.loading.package import Package

P, SIZE, REAL = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double
MODES = [("cs", 2), ("me", 2), ("cs", 3), ("me", 3)]


def memory():
    """Return the resident memory of this process [bytes]."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


def started(library, **values):
    """Return an instance past its initialization, with start values."""
    instance = Instance(library)
    instance.initialize(0.0, 1.0, values)
    instance.call("ExitInitializationMode")
    return instance


def stop(instance):
    """Free an instance."""
    instance.__exit__(None, None, None)


def scalar(instance, name):
    """Return a variable by name."""
    return next(s for s in instance.interface.scalars if s.name == name)


def get(instance, *names):
    """Return real variables by name."""
    references = (ctypes.c_uint32 * len(names))(*[scalar(instance, n).reference for n in names])
    values = (REAL * len(names))()
    sizes = (SIZE(len(names)),) if instance.interface.fmi == 3 else ()
    call = "GetReal" if instance.interface.fmi == 2 else "GetFloat64"
    instance.call(call, references, SIZE(len(names)), values, *sizes)
    return np.array(values)


def put(instance, **values):
    """Set real variables by name."""
    for name, value in values.items():
        instance.set(scalar(instance, name), value)


def step(instance, time, length=0.002):
    """Take one co-simulation step."""
    if instance.interface.fmi == 2:
        instance.call("DoStep", REAL(time), REAL(length), 1)
        return
    flags = [ctypes.byref(ctypes.c_bool()) for _ in range(3)]
    last = ctypes.byref(REAL())
    instance.call("DoStep", REAL(time), REAL(length), ctypes.c_bool(True), *flags, last)


@pytest.mark.parametrize("fmi", [2, 3])
def test_instances_do_not_share_state(fmi):
    """Two instances answer with their own inputs and parameters when used in turns."""
    with Library(Package(fmu("fk", fmi)), "cs") as library:
        one, two = started(library), started(library, d1=1.1807)
        put(one, q1=0.5)
        put(two, q1=-0.5)
        for k in range(3):
            for instance in (one, two):
                step(instance, 0.002 * k)
        difference = get(two, "x", "y", "z") - get(one, "x", "y", "z")
        stop(one), stop(two)
    fk = armtwin.fk
    arm = armtwin.load("ur10e")
    a, b = (fk(arm, [s, 0, 0, 0, 0, 0])[:3, 3] for s in (0.5, -0.5))
    assert np.allclose(difference, b - a + np.array([0, 0, 1.0]), atol=1e-12)


@pytest.mark.parametrize("model", MODELS)
def test_a_thousand_instances_are_small(model):
    """An instance costs at most 0.1 MB when there are a thousand in one process."""
    with Library(Package(fmu(model)), "cs") as library:
        gc.collect()
        before = memory()
        instances = [Instance(library) for _ in range(1000)]
        each = (memory() - before) / 1000
        for instance in instances:
            stop(instance)
    assert each < 100_000


def growth(fmi, times):
    """Return how much memory this process grows by per loading of an FMU [bytes]."""
    package = Package(fmu("fk", fmi))

    def cycle(times):
        for _ in range(times):
            with Library(package, "cs") as library, Instance(library) as instance:
                instance.initialize(0.0, 1.0)
                instance.call("ExitInitializationMode")
                step(instance, 0.0)

    cycle(100)
    gc.collect()
    before = memory()
    cycle(times)
    gc.collect()
    return (memory() - before) / times


@pytest.mark.parametrize(("fmi", "times"), [(2, 1000), (3, 1500)])
def test_loading_leaks_nothing(fmi, times):
    """Memory stays level when a process loads, runs and unloads the FMU a thousand times.

    Python 3.13 takes 0.5 MB once, whether it is loaded 300 or 1,000 times.
    """
    code = f"import contracts.fmu.test_fmu_instances as t; print(t.growth({fmi}, {times}))"
    tests = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tests, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 1_000


@pytest.mark.parametrize("fmi", [2, 3])
def test_state_is_stored_and_restored(fmi):
    """A plant repeats its motion exactly when its state is set back, also through bytes."""
    case = "FMUstate" if fmi == 2 else "FMUState"
    with Library(Package(fmu("forward-dynamics", fmi)), "cs") as library:
        instance = started(library, q2=-1.0)
        step(instance, 0.0)
        state = P()
        instance.call(f"Get{case}", ctypes.byref(state))
        size = SIZE()
        instance.call(f"Serialized{case}Size", state, ctypes.byref(size))
        saved = ctypes.create_string_buffer(size.value)
        instance.call(f"Serialize{case}", state, saved, size)
        runs = []
        for _ in range(2):
            for k in range(1, 6):
                step(instance, 0.002 * k)
            runs.append(get(instance, "q1", "q2", "qd3"))
            instance.call(f"Set{case}", state)
        again = P()
        name = "DeSerialize" if fmi == 2 else "Deserialize"
        instance.call(f"{name}{case}", saved, size, ctypes.byref(again))
        other = started(library)
        other.call(f"Set{case}", again)
        for k in range(1, 6):
            step(other, 0.002 * k)
        runs.append(get(other, "q1", "q2", "qd3"))
        for s in (state, again):
            instance.call(f"Free{case}", ctypes.byref(s))
        stop(instance), stop(other)
    assert np.abs(runs[0]).max() > 1e-3
    assert (runs[0] == runs[1]).all()
    assert (runs[0] == runs[2]).all()


@pytest.mark.parametrize("fmi", [2, 3])
def test_reset_is_a_new_start(fmi):
    """An instance gives its first answer again when it was reset."""
    with Library(Package(fmu("forward-dynamics", fmi)), "cs") as library:
        instance = started(library, q2=-1.0)
        for k in range(3):
            step(instance, 0.002 * k)
        instance.call("Reset")
        instance.initialize(0.0, 1.0)
        instance.call("ExitInitializationMode")
        fresh = started(library)
        for one in (instance, fresh):
            step(one, 0.0)
        assert (get(instance, "q1", "q2", "qd2") == get(fresh, "q1", "q2", "qd2")).all()
        stop(instance), stop(fresh)


def derivative(instance, unknowns, known):
    """Return the directional derivatives of some variables along one known."""
    n = len(unknowns)
    rows = (ctypes.c_uint32 * n)(*[scalar(instance, name).reference for name in unknowns])
    column, seed, found = (
        ctypes.c_uint32(scalar(instance, known).reference),
        REAL(1.0),
        (REAL * n)(),
    )
    sizes = ((SIZE(1),), (SIZE(n),)) if instance.interface.fmi == 3 else ((), ())
    instance.call(
        "GetDirectionalDerivative", rows, SIZE(n), ctypes.byref(column), SIZE(1),
        ctypes.byref(seed), *sizes[0], found, *sizes[1],
    )  # fmt: skip
    return np.array(found)


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize(
    ("model", "unknowns", "knowns"),
    [
        ("fk", ("x", "y", "z", "roll", "qw"), ("q1", "q3", "q6", "a2", "alpha4", "tool_yaw")),
        ("inverse-dynamics", ("tau1", "tau2", "tau5"), ("q2", "qd3", "qdd4", "m3", "Ixx2", "gz")),
        ("forward-dynamics", ("der(q1)", "der(qd2)", "der(qd6)"), ("tau2", "tau_ext1", "m2")),
        ("computed-torque", ("tau1", "tau2"), ("q2", "qd_ref3", "kp2")),
    ],
)
def test_directional_derivatives(model, unknowns, knowns, fmi):
    """Derivatives by inputs and parameters equal differences when taken at a generic state."""
    with Library(Package(fmu(model, fmi)), "me") as library:
        instance = Instance(library)
        instance.initialize(0.0, 1.0)
        names = [s.name for s in instance.interface.with_causality("input")]
        put(instance, **{name: 0.1 + 0.07 * k for k, name in enumerate(names)})
        if model == "forward-dynamics":
            put(instance, q2=-1.0, q3=0.7, qd1=0.3, qd4=-0.2)
        for known in knowns:
            found = derivative(instance, unknowns, known)
            at, h = get(instance, known)[0], 1e-5
            sides = []
            for sign in (1, -1):
                put(instance, **{known: at + sign * h})
                sides.append(get(instance, *unknowns))
            put(instance, **{known: at})
            differences = (sides[0] - sides[1]) / (2 * h)
            rounding = 1e-14 * np.abs(sides[0]).max() / h
            allowed = 1e-7 * max(1.0, np.abs(differences).max()) + rounding
            assert np.abs(found - differences).max() < allowed, known
        stop(instance)


@pytest.mark.parametrize(("mode", "fmi"), MODES)
def test_numbers_that_are_none(mode, fmi):
    """A call returns an error and says why when an input is set to NaN or infinity."""
    with Library(Package(fmu("fk", fmi)), mode) as library:
        instance = started(library)
        for bad in (float("nan"), float("inf"), -float("inf")):
            with pytest.raises(FmuError, match=r"error.*q3 is set to no number"):
                put(instance, q3=bad)
        put(instance, q3=0.25)
        assert np.isfinite(get(instance, "x")).all()
        stop(instance)


@pytest.mark.parametrize(("mode", "fmi"), MODES)
def test_what_may_not_be_set(mode, fmi):
    """A call returns an error when it sets an output, or a fixed parameter too late."""
    with Library(Package(fmu("fk", fmi)), mode) as library:
        instance = started(library)
        with pytest.raises(FmuError, match="x cannot be set"):
            put(instance, x=1.0)
        with pytest.raises(FmuError, match="a2 cannot be set in this state"):
            put(instance, a2=-0.6)
        stop(instance)


@pytest.mark.parametrize("fmi", [2, 3])
def test_order_of_calls(fmi):
    """A call returns an error when it comes before initialization or after the end."""
    with Library(Package(fmu("fk", fmi)), "cs") as library:
        instance = Instance(library)
        with pytest.raises(FmuError, match="not allowed in this state"):
            step(instance, 0.0)
        instance.initialize(0.0, 1.0)
        instance.call("ExitInitializationMode")
        instance.call("Terminate")
        with pytest.raises(FmuError, match="not allowed in this state"):
            step(instance, 0.0)
        stop(instance)


@pytest.mark.parametrize("fmi", [2, 3])
def test_inputs_too_large_to_turn(fmi):
    """A step fails with the output's name when an input is beyond what its sine is known for."""
    with Library(Package(fmu("fk", fmi)), "cs") as library:
        instance = started(library)
        put(instance, q1=1e9)
        with pytest.raises(FmuError, match="no number after the step"):
            step(instance, 0.0)
        stop(instance)


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("model", ["fk", "forward-dynamics", "momentum-observer"])
def test_steps_begin_at_the_current_time(model, fmi):
    """A step fails and says why when it begins before or after the current time."""
    with Library(Package(fmu(model, fmi)), "cs") as library:
        instance = started(library)
        step(instance, 0.0)
        for wrong in (0.0, 0.001, 0.0021, 1.0):
            with pytest.raises(FmuError, match="does not begin at the current time"):
                step(instance, wrong)
        step(instance, 0.002 * (1 + 1e-12))
        stop(instance)


def test_many_rounded_steps():
    """Steps are accepted when a master adds up a time that is not exact in binary."""
    with Library(Package(fmu("fk")), "cs") as library:
        instance, time = started(library), 0.0
        for k in range(20_000):
            step(instance, time if k % 2 else k * 1e-4, 1e-4)
            time += 1e-4
        stop(instance)


def test_another_token_is_refused():
    """Instantiation fails when the library belongs to another description."""
    import dataclasses

    package = Package(fmu())
    package.interface = dataclasses.replace(package.interface, token="{other}")
    with Library(package, "cs") as library, pytest.raises(FmuError, match="not instantiate"):
        Instance(library)
