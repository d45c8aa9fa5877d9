"""Checks of armtwin's functions on arrays of PyTorch, JAX and CuPy on a GPU.

``python -m benchmarks.gpu_checks`` prints one line per check. Exit code 1: one failed.
"""

from __future__ import annotations

import sys
import traceback
from typing import Any

import numpy as np

import armtwin as at
from armtwin.errors import InputError, JointLimitError
from benchmarks.gpu_maps import fitted

ARM = at.load("ur10e")
Q = np.random.default_rng(0).uniform(-2, 2, (1000, 6))
QD, QDD = np.random.default_rng(1).uniform(-2, 2, (2, 1000, 6))


def equal(found: Any, expected: Any, tolerance: float = 1e-12) -> None:
    """Raise unless two arrays agree to a share of their size."""
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


def torch_functions() -> None:
    """Every function returns a tensor on the same GPU that equals the processor's result."""
    import torch

    q, qd, qdd = (torch.from_numpy(x).cuda() for x in (Q, QD, QDD))
    for function, given in (
        (at.fk, (q,)), (at.link_poses, (q,)), (at.jacobian, (q,)), (at.body_jacobian, (q,)),
        (at.gravity, (q,)), (at.mass_matrix, (q,)), (at.coriolis, (q, qd)),
        (at.inverse_dynamics, (q, qd, qdd)), (at.forward_dynamics, (q, qd, qdd)),
        (at.regressor, (q, qd, qdd)),
    ):  # fmt: skip
        found = function(ARM, *given)
        assert found.device == q.device and found.dtype == q.dtype, function.__name__
        expected = function(ARM, *[x.cpu().numpy() for x in given])
        equal(found.cpu().numpy(), expected, 1e-10)
        narrow = function(ARM, *[x.float() for x in given])
        assert narrow.dtype == torch.float32
        equal(narrow.double().cpu().numpy(), expected, 2e-4)


def torch_gradients() -> None:
    """Gradients pass PyTorch's gradcheck, on the GPU and on the processor."""
    import torch

    for device in ("cuda", "cpu"):
        q, qd, qdd = (torch.from_numpy(x[:3]).to(device).requires_grad_() for x in (Q, QD, QDD))
        assert torch.autograd.gradcheck(lambda q: at.fk(ARM, q), (q,))
        assert torch.autograd.gradcheck(lambda *x: at.inverse_dynamics(ARM, *x), (q, qd, qdd))
        assert torch.autograd.gradcheck(lambda *x: at.forward_dynamics(ARM, *x), (q, qd, qdd))
        one = qd[0].detach().requires_grad_()
        assert torch.autograd.gradcheck(lambda *x: at.inverse_dynamics(ARM, *x), (q, one, qdd))


def torch_streams() -> None:
    """A call runs on the caller's stream, after work that was started there before."""
    import torch

    side = torch.cuda.Stream()
    q = torch.from_numpy(Q).cuda()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        large = torch.rand((8192, 8192), device="cuda")
        for _ in range(20):
            large = torch.tanh(large @ large / 4096)
        late = q + large[0, 0].double() * 0
        found = at.fk(ARM, late, ignore_limits=True)
    side.synchronize()
    equal(found.cpu().numpy(), at.fk(ARM, Q))


def torch_out_and_views() -> None:
    """Results go to the given tensor; every second row of a tensor is read without a copy."""
    import torch

    q = torch.from_numpy(Q).cuda()
    out = torch.empty((1000, 4, 4), dtype=torch.float64, device="cuda")
    assert at.fk(ARM, q, out=out) is out
    equal(at.fk(ARM, q[::2]).cpu().numpy(), at.fk(ARM, Q[::2]))
    equal(at.fk(ARM, q.reshape(10, 100, 6)).cpu().numpy(), at.fk(ARM, Q.reshape(10, 100, 6)))
    assert at.fk(ARM, q[:0]).shape == (0, 4, 4)
    equal(at.fk(ARM, q[0]).cpu().numpy(), at.fk(ARM, Q[0]))


def errors() -> None:
    """Joints beyond limits, NaN, wrong shapes and mixed libraries raise as with NumPy arrays."""
    import torch

    q = torch.from_numpy(Q).cuda()
    for row, value, error in ((700, 9.0, JointLimitError), (3, np.nan, InputError)):
        bad = q.clone()
        bad[row, 2] = value
        try:
            at.fk(ARM, bad)
        except error:
            continue
        raise AssertionError(f"{value} in row {row} was accepted")
    for given in ((q[:, :5],), (q.half(),), (q.to(torch.int64),)):
        try:
            at.fk(ARM, *given)
        except InputError:
            continue
        raise AssertionError(f"{given[0].dtype} {tuple(given[0].shape)} was accepted")
    try:
        at.coriolis(ARM, q, QD)
    except InputError:
        return
    raise AssertionError("arrays of two libraries were accepted")


def inverse_kinematics() -> None:
    """Every branch equals the processor's, also at borders, singular poses and out of reach."""
    import torch

    for name, redundancy in (("ur10e", None), ("kr16", None), ("panda", 0.3)):
        arm = at.load(name)
        rng = np.random.default_rng(2)
        q = rng.uniform(np.maximum(arm.lower, -3), np.minimum(arm.upper, 3), (5000, arm.dof))
        q[:50, 4] = 0.0
        T = at.fk(arm, q)
        T[50:60, :3, 3] *= 5
        expected, solved = at.ik_batch(arm, T, redundancy=redundancy)
        found, valid = at.ik_batch(arm, torch.from_numpy(T).cuda(), redundancy=redundancy)
        assert found.is_cuda and valid.dtype == torch.bool
        assert np.array_equal(valid.cpu().numpy(), solved), name
        np.testing.assert_allclose(found.cpu().numpy(), expected, atol=1e-6)
        reached = at.fk(arm, found.cpu().numpy()[solved], ignore_limits=True)
        goals = np.repeat(T, solved.sum(axis=1), axis=0)
        np.testing.assert_allclose(reached, goals, atol=1e-9)


def cupy_arrays() -> None:
    """CuPy arrays go in and come out."""
    import cupy

    found = at.inverse_dynamics(ARM, *map(cupy.asarray, (Q, QD, QDD)))
    assert isinstance(found, cupy.ndarray)
    equal(found.get(), at.inverse_dynamics(ARM, Q, QD, QDD), 1e-10)


def jax_arrays() -> None:
    """JAX arrays go in and come out, with gradients, also within jit and vmap."""
    import jax

    jax.config.update("jax_enable_x64", True)
    q = jax.numpy.asarray(Q[:50])
    found = at.fk(ARM, q)
    assert found.devices() == q.devices() and found.dtype == q.dtype
    equal(np.asarray(found), at.fk(ARM, Q[:50]))

    def squared(q: Any) -> Any:
        return (at.fk(ARM, q)[..., :3, 3] ** 2).sum()

    J, p = at.jacobian(ARM, Q[:50]), at.fk(ARM, Q[:50])[:, :3, 3]
    expected = 2 * np.einsum("nij,ni->nj", J[:, :3], p)
    equal(np.asarray(jax.grad(squared)(q)), expected)
    equal(np.asarray(jax.jit(jax.grad(squared))(q)), expected)
    equal(np.asarray(jax.vmap(lambda q: at.gravity(ARM, q))(q)), at.gravity(ARM, Q[:50]))


def workspace_maps() -> None:
    """Maps and draws on a GPU equal the processor's, but for samples at borders of cells."""
    maps = [at.reachability(ARM, poses=3_000_000, device=name) for name in ("cpu", "gpu")]
    assert [found.device for found in maps] == ["cpu", "gpu"]
    assert np.abs(maps[1].hits - maps[0].hits).sum() <= 20
    same = maps[0].hits == maps[1].hits
    equal(maps[1].best[same & maps[0].reached], maps[0].best[same & maps[0].reached], 1e-5)
    fit = fitted()
    draws = [at.tool_uncertainty(fit, draws=5000, poses=50, device=d) for d in ("cpu", "gpu")]
    for name in ("bias", "second_moment", "turn_rms", "arm_rms", "arm_max"):
        equal(getattr(draws[1], name), getattr(draws[0], name), 1e-6)


CHECKS = (
    torch_functions, torch_gradients, torch_streams, torch_out_and_views, errors,
    inverse_kinematics, cupy_arrays, jax_arrays, workspace_maps,
)  # fmt: skip


def main() -> None:
    """Run every check."""
    failed = 0
    for check in CHECKS:
        try:
            check()
            print(f"passed: {check.__name__}", flush=True)
        except Exception:  # noqa: BLE001
            failed += 1
            print(f"FAILED: {check.__name__}\n{traceback.format_exc(limit=-4)}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
