"""Peers on the same GPU: what PyTorch, JAX, MuJoCo MJX and pytorch_kinematics take.

A part of ``python -m benchmarks.gpu``; ``python -m benchmarks.gpu_peers`` runs it alone, with
``--cpu --rows 4096`` on a processor, to see that it works. Forward kinematics and inverse
dynamics are written here as one would with an array library: matrix products and cross products of
whole batches, one joint after the other, in PyTorch (eager and ``torch.compile``) and JAX
(``jit``). The other peers load the arm's URDF or MJCF. Whatever is not installed, has no GPU or
fails is listed with its reason. Every result is compared with armtwin's.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import armtwin as at
from armtwin.model.formats.mjcf_writer import write_mjcf
from armtwin.model.formats.urdf_writer import write_urdf
from benchmarks.gpu_chain import Chain

ROWS = 1 << 20
"""States of a batch; peers that keep every step's arrays need much memory a state."""
FEW = 1000
REPEATS = 5


Case = tuple[str, str, Callable[[], Any], Callable[[Any], np.ndarray]]
"""Name of the peer, of the function, a call that waits until it is done, its result as NumPy."""


def torch_cases(arm: at.Arm, states: list[np.ndarray], gpu: bool) -> Iterator[Case]:
    """Yield PyTorch's calls: eager and compiled.

    Args:
        arm: the arm.
        states: q, qd, qdd (n, dof).
        gpu: whether a GPU is needed.
    """
    import torch

    if gpu and not torch.cuda.is_available():
        raise RuntimeError("no CUDA device in PyTorch")
    place = "cuda" if gpu else "cpu"
    x = [torch.tensor(state, device=place) for state in states]
    chain = Chain(arm, lambda a: torch.tensor(np.asarray(a, float), device=place), torch)

    def done(call: Callable[..., Any], *given: Any) -> Callable[[], Any]:
        def run() -> Any:
            found = call(*given)
            if gpu:
                torch.cuda.synchronize()
            return found

        return run

    for name, wrap in (("PyTorch", lambda f: f), ("torch.compile", torch.compile)):
        yield name, "fk", done(wrap(chain.fk), x[0]), _numpy
        yield name, "inverse_dynamics", done(wrap(chain.inverse_dynamics), *x), _numpy


def kinematics_cases(arm: at.Arm, states: list[np.ndarray], gpu: bool) -> Iterator[Case]:
    """Yield pytorch_kinematics' calls; arguments as ``torch_cases``.

    Args:
        arm: the arm.
        states: q, qd, qdd (n, dof).
        gpu: whether a GPU is needed.
    """
    import pytorch_kinematics as pk
    import torch

    place = "cuda" if gpu else "cpu"
    chain = pk.build_serial_chain_from_urdf(write_urdf(arm).encode(), "tool")
    chain = chain.to(dtype=torch.float64, device=place)
    q = torch.tensor(states[0], device=place)

    def run() -> Any:
        found = chain.forward_kinematics(q).get_matrix()
        if gpu:
            torch.cuda.synchronize()
        return found

    yield "pytorch_kinematics", "fk", run, lambda T: _numpy(T)[:, :3]


def jax_cases(arm: at.Arm, states: list[np.ndarray], gpu: bool) -> Iterator[Case]:
    """Yield JAX's calls under ``jit``; arguments as ``torch_cases``.

    Args:
        arm: the arm.
        states: q, qd, qdd (n, dof).
        gpu: whether a GPU is needed.
    """
    jax = _jax(gpu)
    x = [jax.numpy.asarray(state) for state in states]
    chain = Chain(arm, lambda a: jax.numpy.asarray(np.asarray(a, float)), jax.numpy)
    fk, torques = jax.jit(chain.fk), jax.jit(chain.inverse_dynamics)
    yield "JAX", "fk", lambda: fk(x[0]).block_until_ready(), np.asarray
    yield "JAX", "inverse_dynamics", lambda: torques(*x).block_until_ready(), np.asarray


def mjx_cases(arm: at.Arm, states: list[np.ndarray], gpu: bool) -> Iterator[Case]:
    """Yield MuJoCo MJX's inverse dynamics; arguments as ``torch_cases``.

    Args:
        arm: the arm.
        states: q, qd, qdd (n, dof).
        gpu: whether a GPU is needed.
    """
    jax = _jax(gpu)
    import mujoco
    from mujoco import mjx

    model = mujoco.MjModel.from_xml_string(write_mjcf(arm))
    put = mjx.put_model(model)
    empty = mjx.make_data(put)

    def torques(q: Any, qd: Any, qdd: Any) -> Any:
        return mjx.inverse(put, empty.replace(qpos=q, qvel=qd, qacc=qdd)).qfrc_inverse

    call, x = jax.jit(jax.vmap(torques)), [jax.numpy.asarray(state) for state in states]
    yield "MuJoCo MJX", "inverse_dynamics", lambda: call(*x).block_until_ready(), np.asarray


def _jax(gpu: bool) -> Any:
    import jax

    jax.config.update("jax_enable_x64", True)
    if gpu and jax.default_backend() != "gpu":
        raise RuntimeError(f"no GPU in JAX (backend {jax.default_backend()})")
    return jax


def _numpy(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.detach().cpu().numpy())


PEERS = {
    "PyTorch": torch_cases, "pytorch_kinematics": kinematics_cases, "JAX": jax_cases,
    "MuJoCo MJX": mjx_cases,
}  # fmt: skip


def own_seconds(arm: at.Arm, states: list[np.ndarray], gpu: bool) -> dict[str, float]:
    """Return armtwin's best time a call by function [s], on the same states.

    Args:
        arm: the arm.
        states: q, qd, qdd (n, dof).
        gpu: on the GPU, with PyTorch's tensors.
    """
    x: list[Any] = states
    wait: Callable[[], Any] = int
    if gpu:
        import torch

        x, wait = [torch.tensor(state, device="cuda") for state in states], torch.cuda.synchronize
    outs = at.fk(arm, x[0], ignore_limits=True), at.inverse_dynamics(arm, *x, ignore_limits=True)
    calls = {
        "fk": lambda: (at.fk(arm, x[0], ignore_limits=True, out=outs[0]), wait()),
        "inverse_dynamics": lambda: (
            at.inverse_dynamics(arm, *x, ignore_limits=True, out=outs[1]), wait()
        ),
    }  # fmt: skip
    return {name: best_seconds(call) for name, call in calls.items()}


def best_seconds(call: Callable[[], Any]) -> float:
    """Return the best time of a call after two that compile [s]."""
    call()
    call()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def peers(name: str, count: int, *, gpu: bool) -> dict[str, Any]:
    """Return seconds, ratio to armtwin and error of every peer, and why others are missing.

    Args:
        name: of the arm.
        count: states of a batch.
        gpu: whether everything runs on the GPU.
    """
    arm, random = at.load(name), np.random.default_rng(0)
    states = [random.uniform(-2, 2, (count, arm.dof)) for _ in range(3)]
    few = [state[:FEW] for state in states]
    truth = {"fk": at.fk(arm, few[0])[:, :3], "inverse_dynamics": at.inverse_dynamics(arm, *few)}
    own = own_seconds(arm, states, gpu)
    found: list[dict[str, Any]] = []
    missing: dict[str, str] = {}
    for peer, cases in PEERS.items():
        try:
            for label, task, call, plain in cases(arm, states, gpu):
                seconds, result = best_seconds(call), plain(call())[:FEW]
                error = float(np.abs(result - truth[task]).max() / np.abs(truth[task]).max())
                found.append({"peer": label, "function": task, "ns a state": seconds / count * 1e9,
                              "times armtwin": seconds / own[task], "error": error})  # fmt: skip
        except Exception as error:  # noqa: BLE001 - a peer may fail in any way; the others go on
            missing[peer] = (
                f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            )
    ours = {task: seconds / count * 1e9 for task, seconds in own.items()}
    return {"states": count, "armtwin, ns a state": ours, "peers": found, "missing": missing}


def print_peers(result: dict[str, Any]) -> None:
    """Print the peers side by side."""
    print(f"\npeers, {result['states']} states, float64, with the call's own cost")
    for task, ns in result["armtwin, ns a state"].items():
        print(f"  {'armtwin':20}{task:18}{ns:12.3f} ns a state")
    for one in result["peers"]:
        print(f"  {one['peer']:20}{one['function']:18}{one['ns a state']:12.3f} ns a state"
              f"{one['times armtwin']:9.1f} x   error {one['error']:.0e}")  # fmt: skip
    for name, why in result["missing"].items():
        print(f"  {name:20}not measured: {why}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--arm", default="ur10e")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--cpu", action="store_true", help="on the processor")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result = peers(given.arm, given.rows, gpu=not given.cpu)
    print(json.dumps(result, indent=1)) if given.json else print_peers(result)


if __name__ == "__main__":
    main()
