"""Every target computes the same: NumPy, plain Python, and C in 1, 2, 4 and 8 lanes."""

import ctypes
import platform
import subprocess

import numpy as np
import pytest
from all_equations import arguments, arm_for, equations
from moving_arms import moving_arm

from armtwin.compile.kernel import program_for
from armtwin.compile.native import toolchain
from armtwin.compile.program import Port, Program
from armtwin.compile.targets import c as c_target
from armtwin.compile.targets import c_rows
from armtwin.compile.targets import numpy as numpy_target
from armtwin.compile.targets import python as python_target
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.spatial import pose

LANES = (1, 2, 4, 8)
LONG = 1200
ROWS = 29  # three blocks of eight and a rest
needs_compiler = pytest.mark.skipif(
    toolchain.find_compiler() is None, reason="no C compiler: install gcc or clang, or ziglang"
)


EQUATIONS = equations()


def inputs_of(program, seed=0):
    """Return random inputs for a program: rotations and poses where it expects them."""
    rng = np.random.default_rng(seed)
    poses = np.array([pose(*rng.uniform(-1, 1, (2, 3))) for _ in range(ROWS)])
    flat = {9: poses[:, :3, :3], 12: poses[:, :3], 16: poses}
    arrays = []
    for port in program.inputs:
        if port.name in ("T", "goal", "R") and port.size in flat:
            arrays.append(np.ascontiguousarray(flat[port.size].reshape(ROWS, -1)))
        else:
            arrays.append(rng.uniform(-2, 2, (ROWS, port.size)))
    return arrays


def by_numpy(program, inputs):
    """Return the outputs of the NumPy target."""
    outputs = [np.empty((len(inputs[0]), port.size)) for port in program.outputs]
    numpy_target.batch_function(program)(inputs, outputs)
    return outputs


def by_python(program, inputs):
    """Return the outputs of the plain Python target."""
    run = python_target.single_function(program)
    rows = [run(*np.concatenate(row).tolist()) for row in zip(*inputs, strict=True)]
    cuts = np.cumsum([port.size for port in program.outputs])[:-1]
    return np.split(np.array(rows), cuts, axis=1)


def lanes_for(program):
    """Return the numbers of lanes to compile: fewer for long programs, which take seconds each."""
    return LANES if len(program.steps) < LONG else (1, 4)


def c_source(program):
    """Return one C file with ``kernel1``, ``kernel2``, ... for the numbers of lanes."""
    parts = [c_target.math_source(1), c_target.body_source(program, 1)]
    for lanes in lanes_for(program)[1:]:
        parts += [c_target.math_source(lanes), c_target.body_source(program, lanes)]
        parts.append(c_rows.blocks_source(program, lanes))
    drivers = [
        c_target.driver_source(program, lanes, f"kernel{lanes}") for lanes in lanes_for(program)
    ]
    return "\n".join([*parts, *drivers])


def by_c(program, inputs):
    """Return the outputs of the C target for every number of lanes."""
    library = ctypes.CDLL(str(toolchain.shared_library(c_source(program), name=program.name)))
    results = {}
    for lanes in lanes_for(program):
        outputs = [np.full((len(inputs[0]), port.size), np.nan) for port in program.outputs]
        pointers = [
            (ctypes.c_void_p * len(group))(*[x.ctypes.data for x in group])
            for group in (inputs, outputs)
        ]
        getattr(library, f"kernel{lanes}")(ctypes.c_long(len(inputs[0])), *pointers)
        results[lanes] = outputs
    return results


def assert_agree(ours, expected, what):
    """Compare outputs to 1e-12 of each one's size; NaN must meet NaN."""
    for y, reference in zip(ours, expected, strict=True):
        size = max(1.0, np.nanmax(np.abs(reference), initial=0.0))
        np.testing.assert_allclose(y, reference, rtol=0, atol=1e-12 * size, err_msg=what)


@needs_compiler
@pytest.mark.parametrize("equation", EQUATIONS)
def test_targets_agree_on_every_equation(equation):
    """All targets agree to 1e-12 when they run the same equation of an arm with drives."""
    build = EQUATIONS[equation]
    program = program_for(arm_for(equation) if arguments(build) else None, build)
    inputs = inputs_of(program)
    expected = by_numpy(program, inputs)
    assert np.isfinite(np.concatenate(expected, axis=1)).any()
    assert_agree(by_python(program, inputs), expected, "plain Python")
    for lanes, outputs in by_c(program, inputs).items():
        assert_agree(outputs, expected, f"C, {lanes} lanes")


@needs_compiler
@pytest.mark.parametrize("equation", [name for name in EQUATIONS if "rigid_body" in name])
def test_targets_agree_on_an_arm_with_sliding_joints(equation):
    """All targets agree to 1e-12 when the arm slides, has fixed rows and five joints."""
    program = program_for(moving_arm("synthetic-2"), EQUATIONS[equation])
    inputs = inputs_of(program)
    expected = by_numpy(program, inputs)
    assert_agree(by_python(program, inputs), expected, "plain Python")
    for lanes, outputs in by_c(program, inputs).items():
        assert_agree(outputs, expected, f"C, {lanes} lanes")


@needs_compiler
def test_older_gcc_turns_rows_the_same_way(monkeypatch):
    """Identical results when shuffles are written as gcc before version 12 knows them."""
    program = program_for(moving_arm("ur5e-energy"), rigid_body_equations.mass_matrix)
    inputs, newer = inputs_of(program), c_source
    expected = by_c(program, inputs)
    older = "#define OLD_SHUFFLE\n" + newer(program)
    monkeypatch.setitem(globals(), "c_source", lambda _: older)
    for lanes, outputs in by_c(program, inputs).items():
        np.testing.assert_array_equal(outputs[0], expected[lanes][0])


ONE = ("neg", "sq", "twice", "inv", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "tanh",
       "exp", "fabs", "sign", "floor", "not")  # fmt: skip
TWO = ("add", "sub", "mul", "div", "atan2", "copysign", "fmin", "fmax", "lt", "le", "eq", "ne",
       "and", "or", "if_else_zero")  # fmt: skip
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.3, -2.5, 800.0, -800.0, np.inf, -np.inf, np.nan]


def operations():
    """Return the program that applies every operation to its two inputs and to constants."""
    steps = [("input", 0, 0), ("input", 1, 0)]
    steps += [(name, 0) for name in ONE] + [(name, 0, 1) for name in TWO]
    steps += [("const", value) for value in (np.inf, -np.inf, np.nan, -0.0, -1.5)]
    results = tuple(range(2, len(steps)))
    ports = (Port("a", (1,)), Port("b", (1,)))
    return Program("operations", ports, (Port("y", (len(results),)),), tuple(steps), (results,))


def test_every_operation_has_every_target():
    """NumPy, plain Python and C know exactly the operations that equations may use."""
    from armtwin.equations.equation import operations

    needed = set(operations().values()) - {"assign", "const", "input", "output"}
    assert needed == set(ONE) | set(TWO)
    assert needed == set(numpy_target.UFUNCS) | {"twice", "inv", "if_else_zero"}
    assert needed == set(python_target.SCALAR)


@needs_compiler
def test_targets_agree_on_special_numbers():
    """Same zeros, infinities and NaNs from all targets when operations meet special numbers."""
    program = operations()
    a, b = (np.ascontiguousarray(g.reshape(-1, 1)) for g in np.meshgrid(SPECIAL, SPECIAL))
    expected = by_numpy(program, [a, b])[0]
    others = {"plain Python": by_python(program, [a, b])[0]}
    others |= {f"C, {lanes} lanes": y[0] for lanes, y in by_c(program, [a, b]).items()}
    for what, ours in others.items():
        np.testing.assert_allclose(ours, expected, rtol=1e-14, atol=1e-300, err_msg=what)
        zero = (expected == 0) & (np.arange(expected.shape[1]) != ONE.index("sign"))
        assert np.array_equal(np.signbit(ours[zero]), np.signbit(expected[zero])), what


def test_constant_zeros_keep_their_signs():
    """0.0 and -0.0 stay two values when a program is made from a listing and read back."""
    listing = {
        "name": "zeros",
        "inputs": [["a", [1]]],
        "outputs": [["y", [2]]],
        "instructions": [
            ("const", 0, 0.0), ("const", 1, -0.0), ("output", 0, 0, 0), ("output", 0, 1, 1),
        ],
    }  # fmt: skip
    program = Program.from_json(Program.from_listing(listing).to_json())
    assert np.signbit(by_numpy(program, [np.zeros((1, 1))])[0]).tolist() == [[False, True]]


def test_output_that_nothing_computes():
    """An error names the output when an equation leaves an entry without an expression."""
    from armtwin.errors import CompileError

    listing = {
        "name": "empty",
        "inputs": [["a", [1]]],
        "outputs": [["y", [2]]],
        "instructions": [("input", 0, 0, 0), ("output", 0, 0, 0)],
    }
    with pytest.raises(CompileError, match="'empty': entry 1 of output 'y' has no expression"):
        Program.from_listing(listing)


def test_operation_that_no_target_knows():
    """An error names the equation and the known operations when CasADi offers one more."""
    import casadi

    from armtwin.equations.equation import Equation
    from armtwin.errors import CompileError

    x = casadi.SX.sym("x")
    with pytest.raises(
        CompileError, match=r"equation 'odd' uses CasADi operation .* implemented: add"
    ):
        Equation("odd", {"x": x}, {"y": casadi.log(x)}).listing()


def squares(count=36):
    """Return the program of ``count`` outputs: squares of the inputs, and a last constant zero."""
    steps = [("input", 0, i) for i in range(count)] + [("sq", i) for i in range(count - 1)]
    results = tuple(range(count, 2 * count))
    ports = (Port("a", (count,)),), (Port("y", (count,)),)
    return Program("squares", *ports, (*steps, ("const", 0.0)), (results,))


@needs_compiler
def test_constant_beside_computed_entries():
    """Every lane has the constant when it shares a transpose with computed entries."""
    program = squares()
    inputs = inputs_of(program)
    for lanes, outputs in by_c(program, inputs).items():
        np.testing.assert_array_equal(outputs[0][:, -1], 0.0, err_msg=f"C, {lanes} lanes")
        np.testing.assert_array_equal(outputs[0][:, :-1], inputs[0][:, :-1] ** 2)


@needs_compiler
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86 code is looked at")
def test_no_constant_is_dropped_from_avx512_shuffles():
    """No entry is doubled in place of a constant when the code is for AVX-512.

    gcc 12.2 wrote ``vmovddup`` (an entry twice) where an entry and a constant were to be
    interleaved, if the function that computes the entries was a call of its own.
    """
    called = "static __attribute__((noinline)) void body8("
    source = c_target.function_source(squares(), 8).replace("static inline void body8(", called)
    flags = [flag for flag in toolchain.FLAGS if flag not in ("-shared", "-s")]
    command = [*toolchain.find_compiler().command, *flags, "-fPIC", "-march=x86-64-v4", "-S"]
    done = subprocess.run(
        [*command, "-x", "c", "-", "-o", "-"], input=source, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    loop = done.stdout[done.stdout.index("\nkernel:") :]
    assert "vunpcklpd" in loop
    assert "vmovddup" not in loop
