"""Loops of inverse kinematics and calls of one state are checked before they are used."""

import warnings

import numpy as np
import pytest

import armtwin as at
from armtwin.compile import kernel
from armtwin.compile.native import bridge, loops, toolchain, verdicts
from armtwin.errors import CompileWarning, JointLimitError
from armtwin.kinematics.inverse.numeric.converge import converge
from armtwin.kinematics.joint_limits import Bounds

Q = np.array([0.3, -1.2, 1.1, -0.7, 0.9, 0.4])
WRONG = {
    "solutions": ("kept[k] = q[k];", "kept[k] = q[k] + 1e-3;"),
    "number of solutions": ("return (double)found;\n}", "return (double)(found > 1);\n}"),
    "order of solutions": ("b->distance[order[place - 1]] > ", "b->distance[order[place - 1]] < "),
    "batches": ("if (!valid[k])", "q[k * c->joints] += 1e-3;\n    if (!valid[k])"),
    "descents": ("y[0][row * n + k] = s.q[k];", "y[0][row * n + k] = s.q[k] + 1e-3;"),
    "searches": ("y[0][k] = best.q[k];", "y[0][k] = best.q[k] + 1e-3;"),
}
pytestmark = pytest.mark.skipif(
    toolchain.find_compiler() is None or bridge.load_bridge() is None,
    reason="no C compiler: install gcc or clang, or ziglang",
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Return a folder for compiled code; kernels in it serve all tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def plant(cache, monkeypatch):
    """Return a function that changes the C text that is compiled from now on."""
    compiled = toolchain.compile_source
    monkeypatch.setenv("ARMTWIN_CACHE", str(cache))
    monkeypatch.setenv("ARMTWIN_LANES", "1")

    def change(old, new, careful=True):
        def compile_changed(compiler, flags, source):
            changed = source.replace(old, new) if careful or "-O1" not in flags else source
            return compiled(compiler, flags, changed)

        monkeypatch.setattr(toolchain, "compile_source", compile_changed)
        forget()

    def forget():
        for name in ("inverse", "bridge", "gravity"):
            for path in cache.glob(f"{name}-*.sha"):
                path.unlink()
        monkeypatch.setattr(verdicts, "_WARNED", [])
        monkeypatch.setattr(kernel, "_WITHOUT_ARM", {})
        kernel._RECENT.clear()
        loops._library.cache_clear()
        bridge.load_bridge.cache_clear()

    forget()
    yield change
    monkeypatch.undo()
    forget()


def solved():
    """Return the errors of joint vectors that every call finds for a new arm, and warnings."""
    arm = at.load("ur5e").with_()
    T = at.fk(arm, Q)
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("always")
        at.ik(arm, T, seed=Q)  # the first call prepares the compiled one
        solutions = at.ik(arm, T, seed=Q)
        many, valid = at.ik_batch(arm, np.stack([T] * 3), seed=Q)
        descended, _ = converge(arm, T.ravel(), Q[None] + 0.1, Bounds.of(arm))
        found = [solutions.q, many[valid], descended, at.ik_one(arm, T, seed=Q + 0.1)[None]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARMTWIN_TARGET", "numpy")
        errors = [np.abs(at.fk(arm.with_(), q) - T).max() for q in found]
    assert len(solutions.q) == 8 and valid.sum() == 24
    assert np.allclose(solutions.q[0], Q, atol=1e-9)
    return max(errors), [w for w in reported if w.category is CompileWarning]


CASES = [*((what, True) for what in WRONG), ("solutions", False), ("descents", False)]


@pytest.mark.parametrize(("what", "careful"), CASES)
def test_wrong_loops_are_rejected(plant, what, careful):
    """Solutions are right, with one warning, when loops of inverse.c are compiled wrongly."""
    old, new = WRONG[what]
    assert old in loops.inverse_source()
    plant(old, new, careful)
    error, reported = solved()
    assert error < 1e-9
    assert len(reported) == 1 and "wrong numbers" in str(reported[0].message)
    assert "inverse.c" in str(reported[0].message)


@pytest.mark.parametrize("name", ["ur5e", "ur10e"])
def test_half_a_turn_from_the_seed_is_no_fault(plant, monkeypatch, name):
    """No warning is given when solutions lie half a turn from the seed, in many lanes."""
    monkeypatch.delenv("ARMTWIN_LANES")
    arm = at.load(name).with_()
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileWarning)
        at.ik(arm, at.fk(arm, Q), seed=Q)


def test_verdicts_on_loops_are_kept(plant, cache, monkeypatch):
    """Loops are not run again for a check when a library was found right before."""
    error, reported = solved()
    assert error < 1e-9 and not reported
    kept = {path.name for path in cache.glob("*.proof")}
    module = "armtwin.kinematics.inverse.numeric.compiled_descent.check_states"
    monkeypatch.setattr(module, lambda arm: pytest.fail("checked again"))
    assert solved()[0] < 1e-9
    assert {path.name for path in cache.glob("*.proof")} == kept


def test_wrong_bridge_is_rejected_in_spite_of_old_verdicts(plant):
    """One state is right, with one warning, when bridge.c is built anew and wrong."""
    arm = at.load("ur5e").with_()
    right = at.fk(arm, Q)
    plant("p->call(1, x, y);", "p->call(1, x, y), y[0][0] += 1;")
    with pytest.warns(CompileWarning, match="NumPy gives"):
        values = at.fk(arm.with_(), Q)
    assert np.abs(values - right).max() < 1e-12


def test_wrong_bounds_of_the_bridge_are_noticed(plant):
    """Joints beyond their limits are refused when bridge.c takes every row for right."""
    plant("return PyBool_FromLong(!outside);", "return PyBool_FromLong(1);")
    with pytest.warns(CompileWarning, match="inside accepts"), pytest.raises(JointLimitError):
        at.fk(at.load("ur5e").with_(), np.tile([50.0, 0, 0, 0, 0, 0], (3, 1)))


def test_file_that_is_no_library_is_passed_over(plant):
    """Other code is built when a library of the cache lacks the function."""
    plant('__attribute__((visibility("default"))) void kernel(', "void other(", careful=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompileWarning)
        values = at.gravity(at.load("ur5e").with_(), Q)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARMTWIN_TARGET", "numpy")
        expected = at.gravity(at.load("ur5e").with_(), Q)
    assert np.abs(values - expected).max() < 1e-12
