"""Recordings with a planted truth: a known arm moved by Fourier series, with sensors' noise."""

from __future__ import annotations

import dataclasses

import numpy as np

import armtwin as at
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.parameters.feasible import pseudo_inertia, to_link
from armtwin.identification.parameters.prior import link_spreads
from armtwin.model.arm import Arm, Drive
from armtwin.spatial import Array

CURRENT_NOISE = 0.045
"""Standard deviation of a motor's current [A]."""

ENCODER_BITS = 17
PAYLOAD = {"mass": 3.0, "com": (0.08, 0.05, 0.1)}
"""A known payload off the last joint's axis: it determines the wrist's torque constants."""


def true_arm() -> Arm:
    """Return the UR5e of the electro-mechanical document with a known payload."""
    return at.with_payload(at.load("ur5e-energy"), PAYLOAD["mass"], com=PAYLOAD["com"])


def without_drives(arm: Arm) -> Arm:
    """Return the arm as a datasheet has it: of the drives only the gear ratio is known."""
    joints = [
        joint if joint.drive is None else dataclasses.replace(joint, drive=Drive(joint.drive.gear))
        for joint in arm.joints
    ]
    return arm.with_(joints=tuple(joints))


def misprinted(arm: Arm, seed: int) -> Arm:
    """Return the arm with link numbers off by as much as a datasheet is believed to be."""
    rng, joints = np.random.default_rng(seed), []
    pi = at.link_parameters(arm).reshape(-1, 10)
    spread = link_spreads(arm, IdentifyOptions()).reshape(-1, 10)
    for joint, true, size in zip(arm.joints, pi, spread, strict=True):
        off = true + size * rng.standard_normal(10)
        while np.linalg.eigvalsh(pseudo_inertia(off))[0] <= 0:
            off = true + size * rng.standard_normal(10)
        joints.append(dataclasses.replace(joint, link=to_link(off, joint.link)))
    return arm.with_(joints=tuple(joints))


def fourier(
    arm: Arm,
    seconds: float,
    rate: float,
    seed: int,
    *,
    speed: float = 2.5,
    acceleration: float = 6.0,
) -> tuple[Array, Array, Array, Array]:
    r"""Return times (n,) and a motion (n, dof) of six harmonics of 0.083 Hz per joint.

    The period is no multiple of the sampling time, so that rounding does not repeat itself.

    .. math:: q_j = q_{j0} + \sum_k \frac{a_{jk}}{w_k} \sin w_k t - \frac{b_{jk}}{w_k} \cos w_k t
    """
    rng, t = np.random.default_rng(seed), np.arange(round(seconds * rate)) / rate
    w = 2 * np.pi / 12.0007 * np.arange(1, 7)
    a, b = rng.standard_normal((2, w.size, arm.dof))
    sine, cosine = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
    q, qd = (sine / w) @ a - (cosine / w) @ b, cosine @ a + sine @ b
    qdd = (cosine * w) @ b - (sine * w) @ a
    q = q - q.mean(axis=0)
    sizes = [speed / abs(qd).max(axis=0), acceleration / abs(qdd).max(axis=0),
             2.5 / abs(q).max(axis=0)]  # fmt: skip
    scale = np.min(sizes, axis=0)
    middle = np.resize([0.0, -np.pi / 2], arm.dof)
    return t, middle + scale * q, scale * qd, scale * qdd


def planted(
    arm: Arm,
    seed: int,
    *,
    seconds: float = 50.0,
    rate: float = 500.0,
    noise: float = CURRENT_NOISE,
    target: bool = True,
    **motion: float,
) -> at.Recording:
    """Return what the arm's controller would report on a motion.

    Args:
        arm: the truth.
        seed: of motion and noise.
        seconds: length.
        rate: rows per second.
        noise: standard deviation of the currents [A].
        target: whether target positions and torques are reported, too.
        motion: ``speed`` and ``acceleration`` of the motion.
    """
    t, q, qd, qdd = fourier(arm, seconds, rate, seed, **motion)
    tau = at.inverse_dynamics(arm, q, qd, qdd, ignore_limits=True)
    rng = np.random.default_rng([seed, 1])
    step = 2 * np.pi / 2**ENCODER_BITS
    columns = {
        "q": np.round(q / step) * step,
        "current": at.motor_current(arm, qd, tau) + noise * rng.standard_normal(q.shape),
    }
    if target:
        columns |= {"target_q": q, "target_qd": qd, "target_qdd": qdd, "target_tau": tau}
    return at.Recording.of(t, columns, arm=arm.name, origin=f"planted {seed}")
