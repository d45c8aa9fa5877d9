"""The CUDA target's text, compiled as C++ for the processor, computes what NumPy computes."""

import numpy as np
import pytest
from cuda_on_cpu import run
from moving_arms import moving_arm

import armtwin as at
from armtwin.compile.kernel import program_for
from armtwin.compile.native import self_check
from armtwin.compile.program import Port, Program
from armtwin.compile.targets import cuda as cuda_target
from armtwin.equations.dynamics import rigid_body
from armtwin.equations.kinematics import tool_pose
from armtwin.equations.kinematics.inverse.judged import judged
from armtwin.kinematics.inverse.structure.forms import exact_form
from armtwin.kinematics.joint_limits import Bounds
from armtwin.kinematics.tensor_inverse import THRESHOLDS

NO_FAULT = 2**64 - 1
BATCH_FUNCTIONS = (
    tool_pose.tool_pose, tool_pose.link_poses, tool_pose.jacobian, tool_pose.coordinates,
    rigid_body.inverse_dynamics, rigid_body.mass_matrix, rigid_body.coriolis, rigid_body.gravity,
    rigid_body.forward_dynamics, rigid_body.regressor, rigid_body.energies,
)  # fmt: skip


def free(program):
    """Return bounds of the first input that nothing crosses."""
    size = program.inputs[0].size
    return [-np.inf] * size, [np.inf] * size


@pytest.mark.parametrize("equation", BATCH_FUNCTIONS, ids=lambda e: e.__name__)
def test_float64_equals_numpy(equation):
    """All outputs agree within rounding when a batch runs through the CUDA text in float64."""
    program = program_for(moving_arm("ur10e"), equation)
    expected = self_check.expectation(program, free(program))
    assert self_check.difference(program, expected, lambda x: run(program, x)[0]) is None


@pytest.mark.parametrize("equation", [tool_pose.tool_pose, rigid_body.inverse_dynamics])
def test_float32_is_close(equation):
    """Outputs agree to 1e-5 of their size when a batch runs through the CUDA text in float32."""
    program = program_for(moving_arm("ur10e"), equation)
    expected = self_check.expectation(program, free(program))
    for y, reference in zip(
        run(program, expected.inputs, "float")[0], expected.values, strict=True
    ):
        assert y.dtype == np.float32
        np.testing.assert_allclose(y, reference, atol=1e-5 * max(1, np.abs(reference).max()))


@pytest.mark.parametrize("name", ["ur10e", "kr16"])
def test_closed_form_judges_branches(name):
    """Every branch and its verdict equal ik_batch's when poses are regular or out of reach."""
    arm = at.load(name)
    form = exact_form(arm)
    q = np.random.default_rng(3).uniform(-2, 2, (100, 6)).clip(arm.lower, arm.upper)
    T = at.fk(arm, q)
    T[:5, :3, 3] *= 5
    bounds = Bounds.of(arm)
    shared = [form.numbers, bounds.lower, bounds.upper, np.zeros(6), THRESHOLDS]
    (found, valid, care), _ = run(
        program_for(None, judged(form.regular)), [T.reshape(-1, 16), *shared]
    )
    clear = care[:, 0] == 0
    assert clear.sum() > 90
    expected, solved = at.ik_batch(arm, T)
    np.testing.assert_array_equal(valid[clear] != 0, solved[clear])
    np.testing.assert_allclose(found.reshape(-1, 8, 6)[clear], expected[clear], atol=1e-9)


def test_rows_fill_several_blocks():
    """Every row is written when the batch ends within a block."""
    arm = at.load("ur10e")
    program = program_for(arm, tool_pose.tool_pose)
    q = np.random.default_rng(1).uniform(-3, 3, (2 * 64 + 5, 6))
    (T,), fault = run(program, [q])
    np.testing.assert_allclose(T.reshape(-1, 4, 4), at.fk(arm, q), atol=1e-14)
    assert fault == NO_FAULT


def test_shared_row_serves_all_states():
    """One row serves every state when an input has no batch dimension."""
    arm = at.load("ur10e")
    program = program_for(arm, rigid_body.inverse_dynamics)
    q, still = np.random.default_rng(2).uniform(-3, 3, (9, 6)), np.zeros(6)
    (tau,), _ = run(program, [q, still, still])
    np.testing.assert_allclose(tau, at.gravity(arm, q), atol=1e-12)


def test_sine_and_quotient_of_special_numbers():
    """Zeros, infinities, NaN and whole turns give NumPy's results in the GPU's own functions."""
    x = np.array([0.0, -0.0, 1e-300, 0.5, -7.5, 1e6, -1e6, 3.9e7, 5e7, np.inf, -np.inf, np.nan])
    ports = (Port("a", (1,)), Port("b", (1,)))
    steps = (("input", 0, 0), ("input", 1, 0), ("sin", 0), ("cos", 0), ("div", 0, 1), ("inv", 1))
    outputs = tuple(Port(name, ()) for name in ("sin", "cos", "div", "inv"))
    program = Program("special", ports, outputs, steps, ((2,), (3,), (4,), (5,)))
    a, b = (grid.reshape(-1, 1) for grid in np.meshgrid(x, x))
    (sine, cosine, quotient, inverse), _ = run(program, [a, b])
    with np.errstate(all="ignore"):
        known = np.abs(a) <= 4e7
        np.testing.assert_allclose(sine, np.where(known, np.sin(a), np.nan), atol=1e-15)
        np.testing.assert_allclose(cosine, np.where(known, np.cos(a), np.nan), atol=1e-15)
        np.testing.assert_allclose(quotient, a / b, rtol=1e-15)
        np.testing.assert_allclose(inverse, 1 / b, rtol=1e-15)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 4.0])
def test_first_bad_row_is_named(bad):
    """The first row with a value that is not finite or beyond its limit goes to the fault word."""
    program = program_for(at.load("ur10e"), tool_pose.tool_pose)
    q = np.zeros((300, 6))
    q[[7, 200], 3] = bad
    assert run(program, [q], bounds=([-3.0] * 6, [3.0] * 6))[1] == 7


def test_wide_rows_are_staged():
    """Shared memory holds rows of 12 or more entries when they fit, in 48 kB at most."""
    arm = at.load("ur10e")
    narrow = cuda_target.layout(program_for(arm, rigid_body.gravity))
    wide = cuda_target.layout(program_for(arm, rigid_body.mass_matrix))
    assert narrow.offsets == (None,)
    assert (wide.offsets, wide.threads) == ((0,), 64)
    assert wide.entries * 8 <= cuda_target.SHARED
