"""The C target's elementary functions against extended precision, in every number of lanes."""

import ctypes

import numpy as np
import pytest

from armtwin.compile.native import toolchain
from armtwin.compile.targets import c as c_target

LANES = (1, 2, 4, 8)
ONE = ("sin", "cos", "tan", "asin", "acos", "atan", "tanh", "exp", "sqrt", "floor", "sign", "abs")
TWO = ("atan2", "copysign", "min", "max")
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.0, np.inf, -np.inf, np.nan, 5e-324, -1e-310])

if toolchain.find_compiler() is None:
    pytest.skip("no C compiler: install gcc or clang, or ziglang", allow_module_level=True)


def source():
    """Return C with ``void NAME_LANES(n, x, y, result)`` for every function and number of lanes."""
    parts = []
    for lanes in LANES:
        parts.append(c_target.math_source(lanes))
        for name in (*ONE, *TWO):
            arguments = "a" if name in ONE else "a, b"
            parts.append(
                f"void {name}_{lanes}(long n, const double *x, const double *y, double *r) {{"
                f"  for (long i = 0; i + {lanes} <= n; i += {lanes}) {{ V{lanes} a, b, c;"
                "  __builtin_memcpy(&a, x + i, sizeof a); __builtin_memcpy(&b, y + i, sizeof b);"
                f"  c = {name}{lanes}({arguments}); __builtin_memcpy(r + i, &c, sizeof c); }} }}"
            )
    return "\n".join(parts)


@pytest.fixture(scope="module")
def functions():
    """Return ``call(name, lanes, x, y)`` over arrays."""
    library = ctypes.CDLL(str(toolchain.shared_library(source(), name="vector_math")))

    def call(name, lanes, x, y=None):
        count = -(-len(x) // 8) * 8
        padded = [np.resize(np.asarray(v, float), count) for v in (x, x if y is None else y)]
        result = np.empty(count)
        addresses = [ctypes.c_void_p(v.ctypes.data) for v in (*padded, result)]
        getattr(library, f"{name}_{lanes}")(ctypes.c_long(count), *addresses)
        return result[: len(x)]

    return call


def neighbours(x, steps=2):
    """Return numbers with the next few floats on both sides."""
    found = [x]
    for towards in (-np.inf, np.inf):
        near = x
        for _ in range(steps):
            near = np.nextafter(near, towards)
            found.append(near)
    return np.concatenate(found)


def angles():
    """Return a million angles up to 1e3 rad: random, tiny, and around multiples of pi/2."""
    rng = np.random.default_rng(0)
    turns = neighbours(np.arange(-636, 637) * (np.pi / 2), 20)
    tiny = rng.choice([-1, 1], 50_000) * 10.0 ** rng.uniform(-300, 0, 50_000)
    rest = rng.uniform(-1e3, 1e3, 1_000_000 - len(turns) - len(tiny))
    return np.concatenate([turns, tiny, rest])


def extended(name, *x):
    """Return NumPy's function in extended precision."""
    if np.finfo(np.longdouble).eps > 1e-18:
        pytest.skip("this machine's long double is no wider than double: nothing to compare with")
    return getattr(np, name)(*[np.asarray(v, np.longdouble) for v in x])


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sine_and_cosine_to_rounding(functions, name, lanes):
    """The absolute error is at most 4e-16 when |x| <= 1e3 rad, multiples of pi/2 included."""
    x = angles()
    assert len(x) == 1_000_000
    assert np.abs(functions(name, lanes, x) - extended(name, x)).max() <= 4e-16


@pytest.mark.parametrize("lanes", LANES)
def test_sine_far_out(functions, lanes):
    """The error stays at the spacing of x itself up to 4e7 rad, and beyond the sine is unknown."""
    x = np.random.default_rng(1).uniform(-4e7, 4e7, 100_000)
    assert (np.abs(functions("sin", lanes, x) - extended("sin", x)) <= np.spacing(np.abs(x))).all()
    x = np.random.default_rng(1).uniform(-1e6, 1e6, 100_000)
    assert np.abs(functions("sin", lanes, x) - extended("sin", x)).max() <= 4e-16
    assert np.isnan(functions("sin", lanes, [4.1e7, -1e300])).all()


INNER = {
    "tan": ("tan", -1.5, 1.5), "asin": ("arcsin", -1, 1), "acos": ("arccos", -1, 1),
    "atan": ("arctan", -50, 50), "tanh": ("tanh", -25, 25), "exp": ("exp", -700, 700),
    "sqrt": ("sqrt", 0, 1e6),
}  # fmt: skip


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("name", INNER)
def test_other_functions_to_a_few_units_in_the_last_place(functions, name, lanes):
    """The relative error is at most 1e-15 when x is random, or close to the ends and zero."""
    theirs, low, high = INNER[name]
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.uniform(low, high, 50_000), rng.uniform(-1, 1, 1000) * 1e-8])
    x = np.clip(np.concatenate([x, [low, high]]), low, high)
    expected = extended(theirs, x)
    assert (np.abs(functions(name, lanes, x) - expected) <= 1e-15 * np.abs(expected)).all()


@pytest.mark.parametrize("lanes", LANES)
def test_angle_of_a_point(functions, lanes):
    """atan2's relative error is at most 1e-15 when the point lies in any quadrant, near or far."""
    rng = np.random.default_rng(3)
    y, x = rng.choice([-1, 1], (2, 50_000)) * 10.0 ** rng.uniform(-150, 150, (2, 50_000))
    expected = extended("arctan2", y, x)
    assert (np.abs(functions("atan2", lanes, y, x) - expected) <= 1e-15 * np.abs(expected)).all()


NUMPY = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "abs": "absolute",
    "min": "minimum", "max": "maximum",
}  # fmt: skip


def assert_identical(ours, expected):
    """Compare numbers to rounding, and signs of zeros, infinities and NaNs exactly."""
    np.testing.assert_allclose(ours, expected, rtol=1e-15, atol=0)
    known = ~np.isnan(expected)
    assert np.array_equal(np.signbit(ours[known]), np.signbit(expected[known]))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("name", ONE)
def test_special_values(functions, name, lanes):
    """Zeros keep their sign, infinities and NaN give what NumPy gives, when x is special."""
    x = np.concatenate([SPECIAL, [2.0, 1e5, -1e5, 0.625, -0.625, 709.9, -745.0, -750.0, 2.5, -2.5]])
    with np.errstate(all="ignore"):
        expected = getattr(np, NUMPY.get(name, name))(x)
    if name == "sign":
        expected[x == 0] = x[x == 0]  # NumPy alone drops the sign of zero here
    assert_identical(functions(name, lanes, x), expected)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("name", TWO)
def test_special_pairs(functions, name, lanes):
    """Every pair of zeros, infinities, NaN and small numbers gives what NumPy gives."""
    a, b = (grid.ravel() for grid in np.meshgrid(SPECIAL, SPECIAL))
    if name in ("min", "max"):
        a, b = a[a != b], b[a != b]  # which zero of two is smaller is nobody's business
    with np.errstate(all="ignore"):
        assert_identical(functions(name, lanes, a, b), getattr(np, NUMPY.get(name, name))(a, b))
