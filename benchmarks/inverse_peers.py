"""Inverse kinematics of other libraries for the same arm; each is None where it cannot be used."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import armtwin
from armtwin.model.arm import Arm

Solve = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class InversePeer:
    """A library: ``solve`` takes a pose (4, 4) and returns joint vectors (n, dof), limits aside."""

    name: str
    solve: Solve
    all_branches: bool


def peers(arm: Arm) -> tuple[list[InversePeer], list[str]]:
    """Return the libraries that solve an arm, and why others do not."""
    found, missing = [], []
    for make in (_eaik, _ssik, _toolbox, _trac_ik):
        try:
            peer = make(arm)
        except ImportError as error:
            missing.append(f"{make.__name__[1:]}: not installed ({error.name})")
            continue
        except (RuntimeError, ValueError, TypeError, OSError) as error:
            missing.append(f"{make.__name__[1:]}: does not take {arm.name}: {error}")
            continue
        if peer is None:
            missing.append(f"{make.__name__[1:]}: does not solve {arm.name}")
        else:
            found.append(peer)
    return found, missing


def _urdf(arm: Arm) -> Path:
    path = Path(tempfile.mkdtemp(prefix="armtwin-bench-")) / "arm.urdf"
    return armtwin.export(arm, path)


def _eaik(arm: Arm) -> InversePeer | None:
    """EAIK takes six joints of a standard DH table."""
    from eaik.IK_DH import DhRobot

    if arm.dof != 6 or arm.convention != "standard-dh":
        return None
    table = [np.array([getattr(j, name) for j in arm.joints]) for name in ("alpha", "a", "d")]
    robot = DhRobot(*table)
    if not robot.hasKnownDecomposition():
        return None

    def solve(T: np.ndarray) -> np.ndarray:
        done = robot.IK(T)
        exact = ~np.asarray(done.is_LS, bool)
        return np.asarray(done.Q).reshape(-1, 6)[exact]

    return InversePeer("EAIK", solve, all_branches=True)


def _ssik(arm: Arm) -> InversePeer | None:
    import ssik

    robot = ssik.Manipulator.from_urdf(_urdf(arm), base="base_link", ee="tool")

    def solve(T: np.ndarray) -> np.ndarray:
        done = robot.solve(T, respect_limits=False, enumerate_windings=False)
        return np.array([one.q for one in done]).reshape(-1, arm.dof)

    return InversePeer("ssik", solve, all_branches=True)


def _toolbox(arm: Arm) -> InversePeer | None:
    import roboticstoolbox as rtb

    kind = rtb.RevoluteDH if arm.convention == "standard-dh" else rtb.RevoluteMDH
    limits = [np.array([j.limits.lower, j.limits.upper]) for j in arm.joints]
    rows = zip(arm.joints, limits, strict=True)
    links = [kind(d=j.d, a=j.a, alpha=j.alpha, qlim=limit) for j, limit in rows]
    ets = rtb.DHRobot(links, tool=np.array(arm.tool)).ets()

    def solve(T: np.ndarray) -> np.ndarray:
        done = ets.ik_LM(T, tol=1e-12)
        return np.asarray(done.q).reshape(-1, arm.dof)[: int(done.success)]

    return InversePeer("roboticstoolbox ik_LM", solve, all_branches=False)


def _trac_ik(arm: Arm) -> Any:
    import pytracik

    text = _urdf(arm).read_text(encoding="utf-8")
    speed = pytracik.SolveType.Speed
    solver = pytracik.TRAC_IK("base_link", "tool", text, 0.02, 1e-9, speed)
    middle = [0.5 * (j.limits.lower + j.limits.upper) for j in arm.joints]

    def solve(T: np.ndarray) -> np.ndarray:
        x, y, z, w = _quaternion(T)
        done = pytracik.ik(solver, middle, *T[:3, 3].tolist(), x, y, z, w)
        return np.asarray(done[1:]).reshape(-1, arm.dof)[: int(done[0] > 0)]

    return InversePeer("trac-ik", solve, all_branches=False)


def _quaternion(T: np.ndarray) -> list[float]:
    return armtwin.pose_coordinates(T).quaternion.tolist()
