"""Expected outputs of our models, computed by the Python library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from armtwin.compile.kernel import kernel
from armtwin.compile.native.self_check import COPIES, FACTOR, NOISE
from armtwin.equations.control import control_law as control_law_equations
from armtwin.equations.control import observer as observer_equations
from armtwin.equations.dynamics import plant as plant_equations
from armtwin.fmu.check.trial import WRENCH, columns, vectors
from armtwin.fmu.run.signals import Signals
from armtwin.model.arm import Arm
from armtwin.spatial import Array

KP, KV, SHARE, GAIN, THRESHOLD = 100.0, 20.0, 1.0, 30.0, 10.0
"""Start values of the gains."""
WHOLE = ("branch",)
"""Inputs that are whole numbers."""


def expected(arm: Arm, model: str, inputs: Signals) -> dict[str, Array]:
    """Return the expected outputs for the arm's own parameters, aligned with the inputs.

    Sampled and stateful models are taken as a master sees them: row k is what is known at t_k.

    Args:
        arm: the arm that the FMU was made of.
        model: name of the model, such as ``fk``.
        inputs: a column per input of the model.
    """
    return MODELS[model](arm, inputs)


def rounding(
    arm: Arm, model: str, inputs: Signals, values: Mapping[str, Array]
) -> dict[str, Array]:
    """Return per output the difference that rounding alone may make at each row (n,).

    The Python model runs a few times on inputs that are off by some units in the last place. The
    scatter is small for most outputs and large where rounding is amplified: for yaw near a pitch
    of 90 degrees, and joint angles near a singularity. Infinite where rounding decides whether
    there is a solution.

    Args:
        arm: the arm that the FMU was made of.
        model: name of the model, such as ``fk``.
        inputs: a column per input of the model.
        values: the model's outputs for these inputs.
    """
    rng, found = np.random.default_rng(0), {name: np.zeros(len(x)) for name, x in values.items()}
    for _ in range(COPIES):
        noisy = {
            name: x + NOISE * np.maximum(1.0, np.abs(x)) * rng.uniform(-1, 1, x.shape)
            for name, x in inputs.columns.items()
            if name not in WHOLE
        }
        whole = {name: x for name, x in inputs.columns.items() if name in WHOLE}
        for name, x in expected(arm, model, Signals(inputs.time, noisy | whole)).items():
            off = np.abs(x - values[name])
            off[np.isnan(x) & np.isnan(values[name])] = 0.0
            found[name] = np.maximum(found[name], np.nan_to_num(off, nan=np.inf))
    return {name: FACTOR * off for name, off in found.items()}


def _fk(arm: Arm, inputs: Signals) -> dict[str, Array]:
    from armtwin.kinematics.forward import tool_coordinates

    where = tool_coordinates(arm, vectors(inputs, "q", arm.dof), ignore_limits=True)
    names = ("x", "y", "z", "roll", "pitch", "yaw", "qx", "qy", "qz", "qw")
    values = np.hstack([where.position, where.rpy, where.quaternion])
    return dict(zip(names, values.T, strict=True))


def _ik(arm: Arm, inputs: Signals) -> dict[str, Array]:
    """Return joints of the wanted branch; NaN where there is no solution."""
    from scipy.spatial.transform import Rotation

    from armtwin.kinematics.inverse.batch import ik_batch

    c = inputs.columns
    T = np.tile(np.eye(4), (inputs.time.size, 1, 1))
    T[:, :3, 3] = np.column_stack([c[name] for name in "xyz"])
    turns = np.column_stack([c[name] for name in ("qx", "qy", "qz", "qw")])
    T[:, :3, :3] = Rotation.from_quat(turns).as_matrix()
    q, _ = ik_batch(arm, T, ignore_limits=True)
    rows = np.arange(inputs.time.size)
    return columns(q=q[rows, c["branch"].astype(int) - 1])


def _inverse_dynamics(arm: Arm, inputs: Signals) -> dict[str, Array]:
    from armtwin.dynamics.drives import electric_power, friction, motor_current
    from armtwin.dynamics.rigid_body import inverse_dynamics
    from armtwin.errors import MissingDataError

    q, qd, qdd = (vectors(inputs, name, arm.dof) for name in ("q", "qd", "qdd"))
    tau = inverse_dynamics(arm, q, qd, qdd, ignore_limits=True)
    found = columns(tau=tau)
    more: dict[str, Callable[..., Array]] = {
        "friction": friction, "current": motor_current, "power": electric_power
    }  # fmt: skip
    for name, function in more.items():
        try:
            found |= columns(**{name: function(arm, qd, tau)})
        except MissingDataError:
            continue
    return found


def _computed_torque(arm: Arm, inputs: Signals) -> dict[str, Array]:
    names = ("q", "qd", "q_ref", "qd_ref", "qdd_ref")
    motion = [vectors(inputs, name, arm.dof) for name in names]
    gains = np.full(arm.dof, KP), np.full(arm.dof, KV), np.full(1, SHARE)
    return columns(tau=kernel(arm, control_law_equations.computed_torque)(*motion, *gains)[0])


def _momentum_observer(arm: Arm, inputs: Signals) -> dict[str, Array]:
    """Return residuals; row k follows from the samples before t_k."""
    q, qd, tau = (vectors(inputs, name, arm.dof) for name in ("q", "qd", "tau"))
    step, gain = kernel(arm, observer_equations.momentum_step), np.full(arm.dof, GAIN)
    residual = p = u = np.zeros(arm.dof)
    found: Array = np.zeros_like(q)
    since = np.diff(inputs.time, prepend=inputs.time[0])
    for k in range(len(q) - 1):
        now = np.full(1, since[k])
        residual, p, u = step(q[k], qd[k], tau[k], residual, p, u, gain, now)
        found[k + 1] = residual
    alarm = np.abs(found).max(axis=1) > THRESHOLD
    return {**columns(r=found), "alarm": np.asarray(alarm, np.float64)}


def _forward_dynamics(arm: Arm, inputs: Signals) -> dict[str, Array]:
    """Motion from q = 0 at rest by SciPy at tight tolerance, inputs held from row to row."""
    from scipy.integrate import solve_ivp

    from armtwin.dynamics.presliding import presliding_states
    from armtwin.dynamics.rigid_body import wrench_torque
    from armtwin.fmu.export.models import explicit_step

    method = "DOP853" if explicit_step(arm) > 1e-4 else "LSODA"
    plant, n = _plant(arm), arm.dof
    tau, push = (vectors(inputs, name, n) for name in ("tau", "tau_ext"))
    wrench = np.column_stack([inputs.columns[name] for name in WRENCH])
    state = np.zeros(2 * n + presliding_states(arm))
    found = np.zeros((inputs.time.size, state.size))

    def rates(t: float, x: Array, k: int) -> Any:
        external = push[k] + wrench_torque(arm, x[:n], wrench[k], ignore_limits=True)
        return np.concatenate([x[n : 2 * n], *plant(x, tau[k], external)])

    for k, (a, b) in enumerate(zip(inputs.time, inputs.time[1:], strict=False)):
        done = solve_ivp(rates, (a, b), state, method, args=(k,), rtol=1e-10, atol=1e-12)
        state = found[k + 1] = done.y[:, -1]
    q, qd = found[:, :n], found[:, n : 2 * n]
    return columns(q=q, qd=qd) | _tool(arm, q, qd)


def _plant(arm: Arm) -> Callable[[Array, Array, Array], list[Array]]:
    """Return a function of state, motor torques and external torques: rates of qd, then of z."""
    from armtwin.dynamics.presliding import presliding_states

    n = arm.dof
    if presliding_states(arm):
        held = kernel(arm, plant_equations.held_plant)
        return lambda x, tau, push: list(held(x[:n], x[n : 2 * n], tau, push, x[2 * n :]))
    plain = kernel(arm, plant_equations.pushed_plant)
    return lambda x, tau, push: list(plain(x[:n], x[n : 2 * n], tau, push))


def _tool(arm: Arm, q: Array, qd: Array) -> dict[str, Array]:
    """Return pose and twist of the tool as columns; rows are (n, dof)."""
    from armtwin.kinematics.forward import jacobian

    found = _fk(arm, Signals(np.arange(len(q), dtype=np.float64), columns(q=q)))
    twist = np.einsum("nij,nj->in", jacobian(arm, q, ignore_limits=True), qd)
    return found | dict(zip(("vx", "vy", "vz", "wx", "wy", "wz"), twist, strict=True))


MODELS: dict[str, Callable[[Arm, Signals], dict[str, Array]]] = {
    "fk": _fk,
    "ik": _ik,
    "inverse-dynamics": _inverse_dynamics,
    "forward-dynamics": _forward_dynamics,
    "computed-torque": _computed_torque,
    "momentum-observer": _momentum_observer,
}
