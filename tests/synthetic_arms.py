"""Arms of random numbers, for tests that must hold for every arm."""

import numpy as np

from armtwin.model.arm import Arm, Drive, Friction, Joint, Limits, Link, as_matrix
from armtwin.spatial import pose

ALIGNED = (0.0, np.pi / 2, -np.pi / 2, np.pi)


def random_arm(seed: int, *, rows: int = 6) -> Arm:
    """Return a DH arm: turning, sliding and fixed rows, offsets, directions, masses, any frames."""
    rng = np.random.default_rng(seed)
    convention = ("standard-dh", "modified-dh")[seed % 2]
    joints = [_joint(rng, number) for number in range(1, rows + 1)]
    kinds = [joint.kind for joint in joints]
    if set(kinds) == {"fixed"}:
        joints[0] = Joint(**{**vars(joints[0]), "kind": "revolute"})
    return Arm(
        name=f"synthetic-{seed}",
        convention=convention,
        joints=tuple(joints),
        base=as_matrix(_pose(rng)),
        tool=as_matrix(_pose(rng)),
        gravity=tuple(rng.uniform(-10, 10, 3).tolist()),
    )


def _joint(rng: np.random.Generator, number: int) -> Joint:
    """Return a row; half of the twists are right angles, so that axes also meet or run parallel."""
    kind = rng.choice(["revolute", "prismatic", "fixed"], p=[0.65, 0.25, 0.1])
    alpha = rng.choice(ALIGNED) if rng.random() < 0.5 else rng.uniform(-np.pi, np.pi)
    a, d = rng.uniform(-0.6, 0.6, 2) * (rng.random(2) < 0.7)
    theta = rng.choice(ALIGNED) if rng.random() < 0.5 else rng.uniform(-np.pi, np.pi)
    return Joint(
        name=f"axis_{number}",
        kind=str(kind),
        a=float(a),
        alpha=float(alpha),
        d=float(d),
        theta=float(theta),
        offset=float(rng.uniform(-1, 1)),
        direction=int(rng.choice([-1, 1])),
        limits=Limits(-3.0, 2.5, 2.0, None, 70.0),
        link=_link(rng),
        drive=_drive(rng),
    )


def _link(rng: np.random.Generator) -> Link:
    """Return the body of a few random point masses, which is possible by construction."""
    points, masses = rng.uniform(-0.3, 0.3, (5, 3)), rng.uniform(0.1, 1.0, 5)
    centre = masses @ points / masses.sum()
    apart = points - centre
    second = (apart.T * masses) @ apart
    inertia = np.trace(second) * np.eye(3) - second
    entries = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return Link(float(masses.sum()), tuple(centre.tolist()), tuple(entries.tolist()), 0.05)


def _drive(rng: np.random.Generator) -> Drive:
    numbers = (("coulomb", float(rng.uniform(0, 0.1))), ("viscous", float(rng.uniform(0, 1e-3))))
    side = str(rng.choice(["motor", "joint"]))
    return Drive(100.0, 5e-5, 1e-4, friction=Friction("viscous-coulomb", numbers, side))


def _pose(rng: np.random.Generator) -> np.ndarray:
    return pose(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
