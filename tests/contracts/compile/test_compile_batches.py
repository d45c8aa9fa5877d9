"""Batches: any shape, any memory layout, any number of threads, and memory that stays flat."""

import subprocess
import sys

import numpy as np
import pytest
from moving_arms import many_states, moving_arm

import armtwin as at
from armtwin.compile.kernel import kernel
from armtwin.compile.native import toolchain
from armtwin.compile.outputs import LARGE, LINE, new_array
from armtwin.compile.targets import c as c_target
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.errors import InputError

ARM = at.load("ur10e")
STATE = many_states(ARM, 24)


def torques(q, qd, qdd, **options):
    """Return the torques of the UR10e."""
    return at.inverse_dynamics(ARM, q, qd, qdd, **options)


EXPECTED = np.array([torques(*state) for state in zip(*STATE, strict=True)])


def assert_expected(tau, shape=(24, 6)):
    """Check torques of the 24 states in any shape."""
    assert tau.shape == shape
    assert tau.dtype == np.float64
    assert tau.flags.c_contiguous
    np.testing.assert_allclose(tau.reshape(24, 6), EXPECTED, rtol=0, atol=1e-12 * 200)


def test_batches_run_the_code_of_users():
    """The arm's kernel has the processor's SIMD lanes, whatever tests of other files compiled."""
    found = kernel(ARM, rigid_body_equations.inverse_dynamics)
    assert toolchain.lanes() > 1
    assert found._native.source == c_target.function_source(found.program, toolchain.lanes())


def test_any_leading_shape():
    """Results have the batch's shape when it has more than one dimension."""
    assert_expected(torques(*[x.reshape(2, 3, 4, 6) for x in STATE]), (2, 3, 4, 6))


def test_batches_that_are_not_contiguous():
    """Same torques when rows or columns are strided, reversed or in Fortran order."""
    wide = [np.repeat(np.repeat(x, 2, axis=0), 2, axis=1) for x in STATE]
    assert_expected(torques(*[x[::2, ::2] for x in wide]))
    assert_expected(torques(*[x[::-1] for x in STATE])[::-1].copy())
    assert_expected(torques(*[np.asfortranarray(x) for x in STATE]))


def test_single_states_that_are_not_contiguous():
    """Same torques when one state is a column of a larger array."""
    q, qd, qdd = (np.repeat(x[3], 3).reshape(6, 3)[:, 1] for x in STATE)
    np.testing.assert_allclose(torques(q, qd, qdd), EXPECTED[3], rtol=0, atol=1e-12 * 200)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, ">f8"])
def test_other_number_types(kind):
    """Numbers are taken as they are when they are floats or integers of another kind."""
    given = [x.astype(kind) for x in STATE]
    exact = [x.astype(np.float64) for x in given]
    np.testing.assert_array_equal(torques(*given), torques(*exact))
    np.testing.assert_allclose(
        torques(*[x[0] for x in given]), torques(*exact)[0], rtol=0, atol=1e-12 * 200
    )


def test_lists_and_tuples():
    """Same torques when states are nested lists, and one state is a tuple."""
    assert_expected(torques(*[x.tolist() for x in STATE]))
    one = torques(*[tuple(x[0]) for x in STATE])
    np.testing.assert_allclose(one, EXPECTED[0], rtol=0, atol=1e-12 * 200)


def test_one_state_goes_with_a_batch():
    """The single inputs stand for every row when others are batches."""
    q, qd, qdd = STATE
    tau = torques(q, qd[0], qdd[:1])
    same = torques(q, np.tile(qd[0], (24, 1)), np.tile(qdd[0], (24, 1)))
    np.testing.assert_array_equal(tau, same)
    assert torques(q[:, None], qd[0], qdd).shape == (24, 24, 6)


@pytest.mark.parametrize("shape", [(0, 6), (3, 0, 6)])
def test_batch_of_nothing(shape):
    """Empty results of the right shape when a batch has no rows."""
    nothing = np.empty(shape)
    assert torques(nothing, nothing, nothing).shape == shape
    assert at.mass_matrix(ARM, nothing).shape == (*shape, 6)
    assert at.energies(ARM, nothing, nothing).kinetic.shape == shape[:-1]
    assert at.fk(ARM, nothing).shape == (*shape[:-1], 4, 4)


@pytest.mark.parametrize("rows", range(1, 20))
def test_every_number_of_rows(rows):
    """The rest of a batch is right when its rows do not fill whole vectors, short outputs too."""
    q, qd, _ = many_states(ARM, rows, seed=rows)
    ours = at.energies(ARM, q, qd)
    one = [at.energies(ARM, *state) for state in zip(q, qd, strict=True)]
    np.testing.assert_allclose(ours.kinetic, [e.kinetic for e in one], rtol=1e-13)
    np.testing.assert_allclose(ours.potential, [e.potential for e in one], rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_nothing(threads):
    """Identical results, bit for bit, when a batch is shared by threads."""
    state = many_states(ARM, 20_001)
    np.testing.assert_array_equal(torques(*state, threads=threads), torques(*state))
    poses = at.fk(ARM, state[0], threads=threads)
    np.testing.assert_array_equal(poses, at.fk(ARM, state[0]))


@pytest.mark.parametrize("threads", [0, -1, 2.5, "2"])
def test_impossible_number_of_threads(threads):
    """An error says what was given when threads is no positive whole number."""
    with pytest.raises(InputError, match="threads is .*; give a whole number, 1 or more"):
        torques(*STATE, threads=threads)


def test_results_into_a_given_array():
    """The given array is filled and returned when ``out`` is given, for batches and one state."""
    out = np.full((24, 6), np.nan)
    assert torques(*STATE, out=out) is out
    assert_expected(out)
    one = np.empty(6)
    assert torques(*[x[0] for x in STATE], out=one) is one
    np.testing.assert_allclose(one, EXPECTED[0], rtol=0, atol=1e-12 * 200)
    q, qd, qdd = STATE
    M, T = np.empty((24, 6, 6)), np.empty((24, 4, 4))
    assert at.mass_matrix(ARM, q, out=M) is M
    assert at.fk(ARM, q, out=T) is T
    np.testing.assert_array_equal(M, at.mass_matrix(ARM, q))
    np.testing.assert_array_equal(T, at.fk(ARM, q))


def test_results_into_a_slice_of_a_larger_array():
    """Only the rows asked for are written when ``out`` is part of a larger array."""
    large = np.full((30, 6), 7.0)
    torques(*STATE, out=large[3:27])
    assert_expected(large[3:27])
    assert (large[:3] == 7).all()
    assert (large[27:] == 7).all()


def read_only():
    """Return an array that cannot be written."""
    array = np.empty((24, 6))
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((23, 6)), r"out has shapes \[\(23, 6\)\]; the results have \[\(24, 6\)\]"),
        (np.empty((24, 6), np.float32), "must be a writable C-contiguous float64 array"),
        (np.empty((24, 12))[:, ::2], "must be a writable C-contiguous float64 array"),
        (read_only(), "must be a writable C-contiguous float64 array"),
        ([[0.0] * 6] * 24, "must be a writable C-contiguous float64 array"),
        (STATE[1], "shares memory with an input"),
    ],
    ids=["shape", "type", "strides", "read-only", "list", "overlap"],
)
def test_place_that_cannot_take_results(out, message):
    """An error says why when results cannot go to ``out``."""
    with pytest.raises(InputError, match=message):
        torques(*STATE, out=out)


def test_large_results_use_streaming_stores_and_are_right():
    """Same regressors when results are too large for the caches, aligned or not."""
    rows = LARGE // (8 * 360) + 3
    state = many_states(ARM, rows)
    Y = at.regressor(ARM, *state)
    assert Y.nbytes >= LARGE
    assert Y.ctypes.data % LINE == 0
    again = new_array((Y.size + 1,))[1:].reshape(Y.shape)
    assert again.ctypes.data % LINE != 0
    at.regressor(ARM, *state, out=again)
    np.testing.assert_array_equal(Y, again)
    last = at.regressor(ARM, *[x[-1] for x in state])
    np.testing.assert_allclose(Y[-1], last, rtol=0, atol=1e-12)


def test_new_arrays_begin_with_a_cache_line():
    """Large arrays are aligned, small ones are NumPy's own, when made for results."""
    assert new_array((LARGE // 8 + 1, 1)).ctypes.data % LINE == 0
    assert new_array((3, 2)).base is None


@pytest.mark.parametrize("name", ["ur10e", "synthetic-5"])
def test_kernel_runs_without_copies(name):
    """``Kernel.run`` fills given rows when inputs and outputs are C-contiguous."""
    arm = moving_arm(name)
    q, *_ = many_states(arm, 100)
    M = np.empty((100, arm.dof**2))
    kernel(arm, rigid_body_equations.mass_matrix).run([q], [M])
    np.testing.assert_array_equal(M.reshape(100, arm.dof, arm.dof), at.mass_matrix(arm, q))


CHUNKS = """
import resource
import numpy as np
import armtwin as at

arm, rng = at.load("ur10e"), np.random.default_rng(0)
T, tau = np.empty((20_000, 4, 4)), np.empty((20_000, 6))
peaks = []
for _ in range(25):  # half a million configurations
    q, qd, qdd = rng.uniform(-3, 3, (3, 20_000, 6))
    at.fk(arm, q, out=T)
    at.inverse_dynamics(arm, q, qd, qdd, out=tau)
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(peaks[-1] - peaks[2])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read the POSIX way")
def test_memory_stays_flat_over_many_chunks():
    """Peak memory grows by less than a chunk when half a million states go through in chunks."""
    done = subprocess.run(
        [sys.executable, "-c", CHUNKS], capture_output=True, text=True, check=True, timeout=120
    )
    grown = int(done.stdout) * (1 if sys.platform == "darwin" else 1024)
    assert grown < 20_000 * 6 * 8
