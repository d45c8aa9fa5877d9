"""Random arms for testing the compiler: every convention, and structural zeros mixed in."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from armtwin.model.arm import (
    IDENTITY,
    Arm,
    Convention,
    Drive,
    Friction,
    Joint,
    Limits,
    Link,
    as_matrix,
)
from armtwin.spatial import pose

ALIGNED = (0.0, np.pi / 2, -np.pi / 2, np.pi)
CONVENTIONS: tuple[Convention, ...] = ("standard-dh", "modified-dh", "screws")
FRICTION = (("coulomb", 0.05), ("viscous", 3e-4))
PRESLIDING = (("presliding", 0.2), ("yield_exponent", 2.0))


def draw_arm(seed: int, *, convention: Convention | None = None) -> Arm:
    """Return an arm of 3 to 8 joints, the same for the same seed.

    About half of all lengths, angles, offsets and centres of mass are zero or a right angle, so
    that axes meet, run parallel, and entries of the results are constant, as in real arms.

    Args:
        seed: decides everything.
        convention: how the geometry is given; None: each convention in turn.
    """
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 9))
    convention = convention or CONVENTIONS[seed % 3]
    chain = [_joint(rng, number, convention) for number in range(1, count + 1)]
    frames = [as_matrix(_frame(rng)) if rng.random() < 0.5 else IDENTITY for _ in range(3)]
    down = (0.0, 0.0, -9.81)
    return Arm(
        name=f"drawn-{seed}",
        convention=convention,
        joints=tuple(chain),
        base=frames[0],
        tool=frames[1],
        home=frames[2] if convention == "screws" else IDENTITY,
        gravity=down if rng.random() < 0.7 else tuple(rng.uniform(-10, 10, 3).tolist()),
    )


def _joint(rng: np.random.Generator, number: int, convention: str) -> Joint:
    kind: Any = "revolute" if rng.random() < 0.8 else "prismatic"
    a, d = rng.uniform(-0.6, 0.6, 2) * (rng.random(2) < 0.5)
    alpha, theta = (
        rng.choice(ALIGNED) if rng.random() < 0.6 else rng.uniform(-np.pi, np.pi) for _ in range(2)
    )
    geometry: dict[str, Any] = {"screw": _screw(rng, kind)}
    if convention != "screws":
        geometry = {"a": float(a), "alpha": float(alpha), "d": float(d), "theta": float(theta)}
    return Joint(
        name=f"joint_{number}",
        kind=kind,
        offset=float(rng.uniform(-1, 1) * (rng.random() < 0.3)),
        direction=int(rng.choice([-1, 1], p=[0.2, 0.8])),
        limits=Limits(-2.8, 2.8, 3.0, 20.0, 90.0),
        link=_link(rng),
        drive=_drive(rng),
        **geometry,
    )


def _screw(rng: np.random.Generator, kind: str) -> tuple[float, ...]:
    """Return ``(omega, v)`` of an axis, along a coordinate axis in most cases."""
    axis = np.zeros(3)
    axis[rng.integers(3)] = rng.choice([-1.0, 1.0])
    if rng.random() < 0.3:
        axis = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
    if kind == "prismatic":
        return (0.0, 0.0, 0.0, *axis.tolist())
    point = rng.uniform(-0.6, 0.6, 3) * (rng.random(3) < 0.5)
    return (*axis.tolist(), *np.cross(point, axis).tolist())


def _link(rng: np.random.Generator) -> Link:
    """Return a possible rigid body: point masses, or a box with its axes along the link's frame."""
    mass = float(rng.uniform(0.2, 5.0))
    if rng.random() < 0.5:
        com = rng.uniform(-0.3, 0.3, 3) * (rng.random(3) < 0.4)
        squares = rng.uniform(0.02, 0.3, 3) ** 2
        box = mass / 12 * (squares.sum() - squares)
        return Link(mass, tuple(com.tolist()), (*box.tolist(), 0.0, 0.0, 0.0), 0.05)
    points, parts = rng.uniform(-0.3, 0.3, (5, 3)), np.full(5, mass / 5)
    com = points.mean(axis=0)
    second = ((points - com).T * parts) @ (points - com)
    inertia = np.trace(second) * np.eye(3) - second
    entries = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return Link(mass, tuple(com.tolist()), tuple(entries.tolist()), 0.05)


def with_presliding(arm: Arm) -> Arm:
    """Return the arm with presliding friction in every second joint."""
    joints = list(arm.joints)
    for k, joint in enumerate(arm.joints):
        if joint.drive.friction is not None and k % 2 == 0:
            numbers = (*joint.drive.friction.parameters, *PRESLIDING)
            friction = dataclasses.replace(joint.drive.friction, parameters=numbers)
            drive = dataclasses.replace(joint.drive, friction=friction)
            joints[k] = dataclasses.replace(joint, drive=drive)
    return arm.with_(joints=tuple(joints))


def _drive(rng: np.random.Generator) -> Drive:
    side: Any = rng.choice(["motor", "joint"])
    friction = Friction("viscous-coulomb", FRICTION, str(side))  # type: ignore[arg-type]
    return Drive(
        gear=float(rng.choice([50.0, 100.0])),
        motor_inertia=float(rng.uniform(1e-5, 1e-4)),
        reducer_inertia=float(rng.choice([0.0, 5e-5])),
        torque_constant=0.1,
        motor_constant=0.12,
        resistance=0.6,
        friction=friction,
    )


def _frame(rng: np.random.Generator) -> np.ndarray:
    turn = rng.uniform(-3, 3, 3) if rng.random() < 0.5 else np.zeros(3)
    return pose(rng.uniform(-1, 1, 3) * (rng.random(3) < 0.5), turn)
