"""Threads of batches: the same bits whatever their number, no threads for small batches, limits."""

import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest
from moving_arms import many_states

import armtwin as at
from armtwin.compile import threads
from armtwin.compile.kernel import kernel
from armtwin.compile.native import library
from armtwin.compile.targets import numpy as numpy_target
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.errors import InputError

ARM = at.load("ur10e")
ROWS = 8_203
"""Four times ``MIN_ROWS`` and a rest that fills no block of lanes."""
Q, QD, QDD = many_states(ARM, ROWS)
WRENCH = np.concatenate([QD, QDD], axis=1)[:, :6]

FUNCTIONS = {
    "fk": lambda **o: at.fk(ARM, Q, **o),
    "link_poses": lambda **o: at.link_poses(ARM, Q, **o),
    "jacobian": lambda **o: at.jacobian(ARM, Q, **o),
    "body_jacobian": lambda **o: at.body_jacobian(ARM, Q, **o),
    "inverse_dynamics": lambda **o: at.inverse_dynamics(ARM, Q, QD, QDD, **o),
    "mass_matrix": lambda **o: at.mass_matrix(ARM, Q, **o),
    "coriolis": lambda **o: at.coriolis(ARM, Q, QD, **o),
    "gravity": lambda **o: at.gravity(ARM, Q, **o),
    "forward_dynamics": lambda **o: at.forward_dynamics(ARM, Q, QD, QDD, **o),
    "regressor": lambda **o: at.regressor(ARM, Q, QD, QDD, **o),
    "wrench_torque": lambda **o: at.wrench_torque(ARM, Q, WRENCH, **o),
    "energies": lambda **o: at.energies(ARM, Q, QD, **o).kinetic,
}
"""Every kind of batch function."""


@pytest.fixture
def three_cores(monkeypatch):
    """Let three cores be available and every batch be large; count the parts of batches."""
    counts = []

    def counted(run, rows, parts, unit=threads.UNIT):
        counts.append(parts)
        return run_parts(run, rows, parts, unit)

    run_parts = threads.run_parts
    monkeypatch.setattr(library, "run_parts", counted)
    monkeypatch.setattr(threads, "available_cores", lambda: 3)
    monkeypatch.setattr(threads, "MIN_OPERATIONS", 1)
    monkeypatch.setenv(threads.VARIABLE, "3")
    return counts


@pytest.mark.parametrize("name", FUNCTIONS)
def test_threads_change_no_bit(name, three_cores):
    """Results are identical bit for bit when 1, 2, 3 or the default number of threads compute."""
    expected = FUNCTIONS[name](threads=1)
    for number in (2, 3, None):
        np.testing.assert_array_equal(FUNCTIONS[name](threads=number), expected)
    assert three_cores == [1, 2, 3, 3]


def test_rows_at_a_cut_are_computed_as_without_it(three_cores, monkeypatch):
    """No bit changes when the code for the rows after the last block rounds in another way."""
    compute = library.Native._part

    def part(self, inputs, outputs, start, stop):
        compute(self, inputs, outputs, start, stop)
        for y in outputs:  # as a compiler that fuses other products there
            y[stop - 9 : stop] *= 1 + 1e-15

    monkeypatch.setattr(library.Native, "_part", part)
    expected = at.fk(ARM, Q, threads=1)
    for number in (2, 3, 4, None):
        np.testing.assert_array_equal(at.fk(ARM, Q, threads=number), expected)


def test_threads_change_no_bit_of_inverse_kinematics(monkeypatch):
    """All branches are identical bit for bit when any number of threads solves a batch."""
    monkeypatch.setattr(threads, "available_cores", lambda: 3)
    monkeypatch.setattr(threads, "MIN_OPERATIONS", 1)
    monkeypatch.setenv(threads.VARIABLE, "3")
    T = at.fk(ARM, Q)
    q, valid = at.ik_batch(ARM, T, threads=1)
    for number in (2, 3, None):
        again, same = at.ik_batch(ARM, T, threads=number)
        np.testing.assert_array_equal(again, q)
        np.testing.assert_array_equal(same, valid)
    with pytest.raises(InputError, match="threads is 0"):
        at.ik_batch(ARM, T, threads=0)


def test_threads_change_no_bit_of_the_numpy_target():
    """Results are identical bit for bit when NumPy computes parts of a batch in threads."""
    run = numpy_target.batch_function(kernel(ARM, rigid_body_equations.gravity).program)
    q = np.tile(Q, (4, 1))
    results = [np.empty((len(q), 6)) for _ in range(3)]
    for parts, tau in enumerate(results, 1):
        run([q], [tau], parts)
        np.testing.assert_array_equal(tau, results[0])
    np.testing.assert_allclose(results[2], at.gravity(ARM, q), atol=1e-12)


def test_small_batches_start_no_thread(monkeypatch):
    """No thread is asked for when a batch is below the threshold, whatever the cores."""

    def no_pool():
        raise AssertionError("a thread was asked for")

    monkeypatch.setattr(threads, "available_cores", lambda: 64)
    monkeypatch.setenv(threads.VARIABLE, "64")
    monkeypatch.setattr(threads, "_pool", no_pool)
    assert at.inverse_dynamics(ARM, Q, QD, QDD).shape == (ROWS, 6)
    assert at.fk(ARM, Q[:2000], threads=8).shape == (2000, 4, 4)
    with pytest.raises(AssertionError, match="was asked for"):  # and a large one does ask
        at.coriolis(ARM, Q, QD)


def test_number_of_threads(monkeypatch):
    """The default is the allowed cores, lowered by the variables, when a batch is large."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3, 4, 7}, raising=False)
    monkeypatch.delenv(threads.VARIABLE, raising=False)
    monkeypatch.delenv(threads.WORKER_VARIABLE, raising=False)
    assert threads.default_threads() == threads.available_cores() == 4
    monkeypatch.setenv(threads.WORKER_VARIABLE, "2,1")
    assert threads.default_threads() == 2
    for given, expected in (("3", 3), ("1", 1), ("100", 4)):
        monkeypatch.setenv(threads.VARIABLE, given)
        assert threads.default_threads() == expected
    rows = 2 * threads.MIN_OPERATIONS // 100
    assert [threads.parts_of(n, 100, None) for n in (rows - 1, rows, 50 * rows)] == [1, 2, 4]
    for wrong in ("0", "two", "-1", "1.5"):
        monkeypatch.setenv(threads.VARIABLE, wrong)
        with pytest.raises(InputError, match=f"ARMTWIN_THREADS is '{wrong}'; give a whole number"):
            threads.default_threads()


FORKING = """
import multiprocessing
import armtwin as at
import numpy as np
from armtwin.compile import threads

arm, q = at.load("ur10e"), np.linspace(-1, 1, 6 * 8_203).reshape(-1, 6)

def in_worker():
    return threads.default_threads(), at.fk(arm, q, threads=2)

expected = at.fk(arm, q, threads=2)  # the parent's threads exist, and are lost by the fork
with multiprocessing.get_context("fork").Pool(1) as pool:
    number, poses = pool.apply_async(in_worker).get(timeout=180)
assert number == 1, number
np.testing.assert_array_equal(poses, expected)
"""
"""In a process of its own: libraries that other tests have loaded may not survive a fork."""


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork")
def test_processes_of_a_pool_use_one_thread(tmp_path, monkeypatch):
    """A worker process uses one thread by default, and threads on request, when it was forked."""
    for name in (threads.VARIABLE, threads.WORKER_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    script = [sys.executable, "-W", "error", "-c", FORKING]
    done = subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_errors_of_parts_are_raised(monkeypatch):
    """The error of any part reaches the caller when parts run in threads."""

    def run(start, stop):
        if start:
            raise ValueError(f"row {start}")

    with pytest.raises(ValueError, match="row 4096"):
        threads.run_parts(run, ROWS, 2)
