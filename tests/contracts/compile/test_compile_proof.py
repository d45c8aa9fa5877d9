"""Compiled code is used only after it has computed what NumPy computes, to rounding."""

import functools
import inspect
import os
import re
import warnings

import numpy as np
import pytest
from moving_arms import moving_arm

import armtwin as at
from armtwin.compile import kernel
from armtwin.compile.kernel import limits_of, program_for
from armtwin.compile.native import bridge, toolchain, verdicts
from armtwin.compile.native import library as native
from armtwin.compile.native import self_check as proof
from armtwin.compile.program import Port, Program
from armtwin.compile.targets import c as c_target
from armtwin.equations.control import observer as observer_equations
from armtwin.equations.drives import drive as drive_equations
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.equations.kinematics import pose_error as pose_error_equations
from armtwin.equations.kinematics import tcp as tcp_equations
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from armtwin.errors import CompileWarning
from armtwin.files import cache_folder
from armtwin.model.arm import Joint

Q = np.random.default_rng(3).uniform(-2, 2, (20, 6))
needs_compiler = pytest.mark.skipif(
    toolchain.find_compiler() is None, reason="no C compiler: install gcc or clang, or ziglang"
)


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """Use an empty cache and forget past warnings."""
    bridge.load_bridge()  # kept by the process, so built in the usual cache
    monkeypatch.setenv("ARMTWIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(verdicts, "_WARNED", [])


@pytest.fixture(scope="module")
def expected():
    """Return gravity torques by the arm's own numbers, from the NumPy target."""
    before = os.environ.get("ARMTWIN_TARGET")
    os.environ["ARMTWIN_TARGET"] = "numpy"
    try:
        return at.gravity(at.load("ur5e").with_(), Q)
    finally:
        os.environ.pop("ARMTWIN_TARGET")
        if before is not None:
            os.environ["ARMTWIN_TARGET"] = before


def gravity_with_warnings():
    """Return gravity torques of a new arm for a batch and one state, and the warnings given.

    Kernels of arms before it are forgotten, as in a new process.
    """
    kernel._RECENT.clear()
    arm = at.load("ur5e").with_()
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("always")
        values = at.gravity(arm, Q), at.gravity(arm, Q[7])
        at.mass_matrix(arm, Q[0])
    return values, reported


def spoiled(source):
    """Return C code whose batches are wrong by 1e-9 in one entry, in every second state."""
    wrong = "for (long k = 0; k + 1 < rows; k += 2) y[0][k * 6 + 2] += 1e-9;\n}\n"
    assert source.endswith("}\n")
    return source[: -len("}\n")] + wrong


def plant(change):
    """Put a library of changed code into the cache where the right one of gravity belongs."""
    program = program_for(at.load("ur5e"), rigid_body_equations.gravity)
    source = c_target.function_source(program, toolchain.lanes())
    wrong = toolchain.shared_library(change(source), name="wrong")
    right = toolchain.shared_library(source, name=program.name)
    note = next(p for p in cache_folder().glob("gravity-*.sha") if p.read_text() == right.stem)
    right.unlink()
    note.write_text(wrong.stem)
    return wrong


@needs_compiler
def test_wrong_library_in_the_cache_is_rejected(fresh, expected):
    """Safer code runs, with one warning, when the cache holds a library with wrong batches."""
    wrong = plant(spoiled)
    (batch, single), reported = gravity_with_warnings()
    np.testing.assert_allclose(batch, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(single, expected[7], rtol=0, atol=1e-12)
    assert [w.category for w in reported] == [CompileWarning]
    assert re.search(r"wrong numbers.* -O1 .*gravity: g\[2\] is", str(reported[0].message))
    verdicts = [p.read_text() for p in cache_folder().glob(f"{wrong.stem[:32]}-*.proof")]
    assert [v.split(":")[0] for v in verdicts] == ["wrong"]


@needs_compiler
def test_verdict_is_kept_with_the_library(fresh, expected, monkeypatch):
    """Nothing is run or built again when a library was proved, right or wrong, before."""
    plant(spoiled)
    gravity_with_warnings()
    monkeypatch.setattr(proof, "expectation", lambda *_: pytest.fail("proved again"))
    monkeypatch.setattr(toolchain, "compile_source", lambda *_: pytest.fail("built again"))
    monkeypatch.setattr(verdicts, "_WARNED", [])
    (batch, _), reported = gravity_with_warnings()
    np.testing.assert_allclose(batch, expected, rtol=0, atol=1e-12)
    assert len(reported) == 1


@needs_compiler
def test_verdict_counts_for_one_processor(fresh, monkeypatch):
    """A library is proved again when the cache came to a machine with another processor."""
    gravity_with_warnings()
    count = len(list(cache_folder().glob("*.proof")))
    features = toolchain.processor()
    monkeypatch.setattr(toolchain, "processor", lambda: features + " newer")
    gravity_with_warnings()
    assert len(list(cache_folder().glob("*.proof"))) == 2 * count


@needs_compiler
def test_numpy_serves_when_all_code_is_wrong(fresh, expected, monkeypatch):
    """NumPy serves, with one warning that names the entry, when every compiled form is wrong."""
    compiled = toolchain.compile_source
    monkeypatch.setattr(
        toolchain,
        "compile_source",
        lambda compiler, flags, source: compiled(compiler, flags, spoiled_states(source)),
    )
    (batch, single), reported = gravity_with_warnings()
    np.testing.assert_allclose(batch, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(single, expected[7], rtol=0, atol=1e-12)
    assert [w.category for w in reported] == [CompileWarning]
    assert re.search(r"running the slower NumPy target.*gravity: g\[0\]", str(reported[0].message))


def spoiled_states(source):
    """Return C code that adds 1e-9 to the first entry of every row."""
    return source[: -len("}\n")] + "for (long k = 0; k < rows; k++) y[0][k * 6] += 1e-9;\n}\n"


def sample(rounded_to):
    """Return the program ``y = (a - b, atan2(z, -1), 1 / z, a)`` where z is zero to rounding."""
    steps = [("input", 0, 0), ("input", 1, 0), ("sub", 0, 1), ("mul", 0, 1), ("mul", 1, 0)]
    steps += [("const", rounded_to), ("mul", 3, 5), ("mul", 4, 5), ("sub", 6, 7), ("const", -1.0)]
    steps += [("atan2", 8, 9), ("inv", 8)]
    ports = (Port("a", (1,)), Port("b", (1,)))
    return Program("sample", ports, (Port("y", (4,)),), tuple(steps), ((2, 10, 11, 0),))


def test_what_rounding_decides_is_not_compared():
    """Any value passes at an angle's cut and beside a pole, none elsewhere, when code is proved."""
    program = sample(1.0 / 3.0)
    expected = proof.expectation(program, ([-np.inf], [np.inf]))
    for entry, passes in enumerate((False, True, True, False)):
        changed = expected.values[0].copy()
        changed[:, entry] = -changed[:, entry] if entry in (1, 2) else changed[:, entry] + 1e-12
        assert (proof.difference(program, expected, lambda _, y=changed: [y]) is None) is passes


def test_nan_must_meet_nan():
    """A number where NumPy has none is a difference, and the other way round."""
    steps = (("input", 0, 0), ("sqrt", 0), ("const", -1.0), ("fmin", 0, 2), ("sqrt", 3))
    program = Program("roots", (Port("a", (1,)),), (Port("y", (2,)),), steps, ((1, 4),))
    expected = proof.expectation(program, ([-np.inf], [np.inf]))
    values = expected.values[0]
    assert np.isnan(values[:, 1]).all() and np.isfinite(values[:, 0]).sum() > 10
    assert proof.difference(program, expected, lambda _: [values]) is None
    for wrong in (np.where(np.isnan(values), 0.0, values), np.full_like(values, np.nan)):
        assert proof.difference(program, expected, lambda _, y=wrong: [y]) is not None


EQUATIONS = [
    tool_pose_equations.coordinates,
    rigid_body_equations.forward_dynamics,
    rigid_body_equations.regressor,
    observer_equations.momentum_step,
    drive_equations.friction,
    tcp_equations.state,
]


@needs_compiler
@pytest.mark.parametrize("equation", EQUATIONS)
def test_proof_is_passed_with_room_and_not_empty(equation):
    """Right code uses less than a quarter of its bound, which is below 1e-9, when it is proved."""
    arm = moving_arm("ur5e-energy")
    program = program_for(arm, equation)
    bounds = limits_of(arm, program)
    found = native.Native(program, bounds, native.variants()[0])
    for seed in range(5):
        expected = proof.expectation(program, bounds, seed)
        quarter = [bound / 4 for bound in expected.bounds]
        tight = proof.Expectation(expected.inputs, expected.values, quarter)
        for run in (found.by_batch, found.by_state, found.by_stream):
            assert proof.difference(program, tight, functools.partial(run, program)) is None
        for value, bound in zip(expected.values, expected.bounds, strict=True):
            assert np.isfinite(value).mean() > 0.9
            assert np.median(bound) <= 1e-12 * np.nanmax(np.abs(value))
            assert (bound > 1e-9 * np.nanmax(np.abs(value))).mean() < 0.01


@needs_compiler
def test_streaming_code_is_proved(fresh, monkeypatch):
    """Code that is wrong only with streaming stores is found when a regressor is proved."""
    arm = moving_arm("ur5e-energy")
    program = program_for(arm, rigid_body_equations.regressor)
    compiled = toolchain.compile_source
    monkeypatch.setattr(
        toolchain,
        "compile_source",
        lambda compiler, flags, source: compiled(
            compiler, flags, source.replace("return i; }", "y[0][7] += 1e-9; return i; }", 1)
        ),
    )
    found = native.Native(program, limits_of(arm, program), native.variants()[0])
    expected = proof.expectation(program, limits_of(arm, program))
    assert proof.difference(program, expected, functools.partial(found.by_batch, program)) is None
    flaw = proof.difference(program, expected, functools.partial(found.by_stream, program))
    assert flaw is not None and "Y[7]" in flaw


def wrong_branch(program, seldom):
    """Return a program's first output where 1e-9 is added in seldom states, as compiled code."""

    def run(inputs):
        outputs = proof.numpy_outputs(program, inputs)
        outputs[0][seldom(inputs, outputs)] += 1e-9
        return outputs

    return run


def at_rest(inputs, outputs):
    """Return the joints that are slower than 1e-3 rad/s."""
    return np.abs(inputs[0]) < 1e-3


def equal_poses(inputs, outputs):
    """Return the states in which two orientations are nearly equal."""
    return np.linalg.norm(outputs[0][:, 3:], axis=1) < 1e-3


def half_a_turn(inputs, outputs):
    """Return the states in which two orientations are nearly half a turn apart."""
    return np.linalg.norm(outputs[0][:, 3:], axis=1) > np.pi - 1e-3


def no_rotation(inputs, outputs):
    """Return the states with a rotation vector of zero."""
    return ~inputs[0][:, 3:].any(axis=1)


SELDOM = [
    (drive_equations.friction, at_rest),
    (pose_error_equations.error_and_jacobian, equal_poses),
    (pose_error_equations.error_and_jacobian, half_a_turn),
    (tcp_equations.error, equal_poses),
    (tcp_equations.error, half_a_turn),
    (tcp_equations.as_vector, half_a_turn),
    (tcp_equations.as_pose, no_rotation),
]


@pytest.mark.parametrize(("equation", "seldom"), SELDOM)
def test_wrong_code_of_rare_branches_is_found(equation, seldom):
    """A difference is reported when code is wrong only at rest, or near equal or opposite poses."""
    arm = moving_arm("ur5e-energy") if inspect.signature(equation).parameters else None
    program = program_for(arm, equation)
    expected = proof.expectation(program, limits_of(arm, program))
    never = wrong_branch(program, lambda inputs, outputs: np.zeros(len(inputs[0]), bool))
    assert proof.difference(program, expected, never) is None
    assert proof.difference(program, expected, wrong_branch(program, seldom)) is not None


def test_arm_that_cannot_turn_has_numbers():
    """States and outputs are finite when all joints of an arm are prismatic."""
    joints = tuple(Joint(name=f"axis_{number}", kind="prismatic") for number in range(3))
    arm = at.Arm(name="lift", convention="standard-dh", joints=joints)
    program = program_for(arm, pose_error_equations.error_and_jacobian)
    expected = proof.expectation(program, limits_of(arm, program))
    for numbers in (*expected.inputs, *expected.values, *expected.bounds):
        assert np.isfinite(numbers).all()


@needs_compiler
def test_library_with_a_wrong_branch_is_rejected(fresh, monkeypatch):
    """Safer code runs, with one warning, when code is wrong only for poses half a turn apart."""
    compiled = toolchain.compile_source
    border = pose_error_equations.HALF_TURN_COSINE.hex()

    def compile_wrongly(compiler, flags, source):
        changed = source if "-O1" in flags else source.replace(border, "-2.0")
        return compiled(compiler, flags, changed)

    monkeypatch.setattr(toolchain, "compile_source", compile_wrongly)
    arm = at.load("ur5e")
    program = program_for(arm, pose_error_equations.error_and_jacobian)
    with pytest.warns(CompileWarning, match="wrong numbers.* -O1 .*pose_error: ") as reported:
        native.native(program, limits_of(arm, program))
    assert len(reported) == 1


def test_constant_vectors_are_hidden_from_the_optimiser():
    """A row of constants is stored as an opaque vector: gcc 12.2 stores {1, 1, 1, 0} as ones."""
    steps = [("const", 1.0), ("const", 0.0), ("input", 0, 0)]
    ports = [Port("q", (1,)), Port("y", (1, 4))]
    program = Program("row", (ports[0],), (ports[1],), tuple(steps), ((0, 0, 0, 1),))
    source = c_target.function_source(program, 4)
    constants = re.findall(r"const V4 c = (\S+?)\(", source)
    assert constants and set(constants) == {"opaque4"}


def test_cancelled_terms_may_leave_their_rounding_error():
    """Zero is compared with the output's size when a fused product rounds differently."""
    copies = np.zeros((4, 5, 2))
    copies[..., 1] = 3.0
    bound = proof._bound(copies)
    assert (bound > 4e-16).all() and (bound < 1e-12).all()
