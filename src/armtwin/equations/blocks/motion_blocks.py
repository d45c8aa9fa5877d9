"""Kinematic blocks: forward and inverse kinematics, a periodic reference motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.equations.block import Block, Bundle, Quantity, constants, scalars
from armtwin.equations.chain import Frame, frame
from armtwin.equations.kinematics import tool_pose as kinematics
from armtwin.equations.kinematics.inverse import ur_joints
from armtwin.equations.optimal.spline import minimum_jerk
from armtwin.equations.parameters import SymbolicArm, symbolic
from armtwin.equations.symbolic import ca
from armtwin.model.arm import Arm

VECTORS = {
    "position": (("x", "y", "z"), "m", "{} of the tool in base"),
    "rpy": (("roll", "pitch", "yaw"), "rad", "{} of the tool in base"),
    "quaternion": (("qx", "qy", "qz", "qw"), "1", "quaternion of the tool, {}"),
    "velocity": (("vx", "vy", "vz"), "m/s", "velocity of the tool in base, {}"),
    "angular_velocity": (("wx", "wy", "wz"), "rad/s", "angular velocity of the tool in base, {}"),
    "force": (("fx", "fy", "fz"), "N", "force on the tool's origin in base axes, {}"),
    "moment": (("nx", "ny", "nz"), "N.m", "moment on the tool in base axes, {}"),
}
"""Vectors of the tool: names of their entries, unit, meaning."""
QUATERNION = VECTORS["quaternion"][0]
SINGULAR = 1e-9
"""Share of the moments' product by which a minor of an inertia may be negative: rounding."""
REACHED = -1e-9
"""A branch whose margin [m] is above this counts as reachable."""


def joint_units(arm: Arm, revolute: str, prismatic: str) -> list[str]:
    """Return one unit per driven joint.

    Args:
        arm: the arm, for the kinds of its joints.
        revolute: unit of a revolute joint.
        prismatic: unit of a prismatic joint.
    """
    return [revolute if joint.kind == "revolute" else prismatic for joint in arm.driven]


def tool_vectors(symbols: Any, *vectors: str) -> Bundle:
    """Return vectors of the tool, by the names in ``VECTORS``, as quantities of these symbols."""
    found = [
        Quantity(name, VECTORS[vector][1], 0.0, VECTORS[vector][2].format(name), array=vector)
        for vector in vectors
        for name in VECTORS[vector][0]
    ]
    return Bundle(symbols, tuple(found))


def fk(arm: Arm) -> Block:
    """Tool pose from joint positions: ``x y z roll pitch yaw qx qy qz qw``.

    Where joints bend under gravity, its direction and a payload are parameters too.
    """
    bends = any(joint.compliance for joint in arm.driven)
    groups = ("geometry", "offsets", "base", "tool", *(("gravity", "payload") if bends else ()))
    numbers = symbolic(arm, groups)
    equation = kinematics.coordinates(numbers.arm)
    q = scalars("q", joint_units(arm, "rad", "m"), meaning="position of joint {}")
    inputs = Bundle(equation.inputs["q"], q.quantities)
    outputs = tool_vectors(ca.vertcat(*equation.outputs.values()), "position", "rpy", "quaternion")
    parameters = constants(numbers.symbols, numbers.parameters)
    needs = payload_requirements(numbers)
    return Block("fk", ca.SX.sym("t"), inputs, outputs, parameters, requirements=needs)


def payload_requirements(numbers: SymbolicArm) -> Bundle:
    """Return what a payload's inertia must satisfy: no principal minor is negative."""
    link = numbers.arm.joints[-1].link
    if "payload_mass" not in {parameter.name for parameter in numbers.parameters}:
        return Bundle.none()
    xx, yy, zz, xy, xz, yz = link.inertia or (0,) * 6
    matrix = ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz))
    minors = ca.vertcat(xx * yy - xy**2, xx * zz - xz**2, yy * zz - yz**2, ca.det(matrix))
    sizes = ca.vertcat(xx * yy, xx * zz, yy * zz, xx * yy * zz)
    what = "payload_I: the inertia has a negative principal moment, as no rigid body has"
    return Bundle(minors + SINGULAR * sizes, (Quantity(what, "1"),) * 4)


def ik(arm: Arm, form: dict[str, Any]) -> Block:
    """Joint positions from a tool pose and one of the eight branches of the UR structure.

    Args:
        arm: the arm, for its limits.
        form: the arm as a UR table: dimensions, signs, constants (6 each), base and tool (4, 4).
    """
    position = tool_vectors(ca.SX.sym("position", 3), "position")
    starts = (0.0, 0.0, 0.0, 1.0)
    turn = Bundle(
        ca.SX.sym("quaternion", 4),
        tuple(
            Quantity(
                name, "1", start, f"quaternion of the tool, {name} (any length but 0)",
                array="quaternion",
            )
            for name, start in zip(QUATERNION, starts, strict=True)
        ),
    )  # fmt: skip
    meaning = "1 to 8: 4 (shoulder) + 2 (wrist) + 1 (elbow) + 1, each 0 or 1"
    branch = Bundle(
        ca.SX.sym("branch"), (Quantity("branch", "1", 1.0, meaning, "integer", least=1, most=8),)
    )
    parameters, numbers = _ur_numbers(arm, form)
    seed = scalars("seed", ["rad"] * 6, meaning="whole turns of q{0} stay near", tunable=True)
    pose = Frame(rotation_of(turn.symbols), position.symbols)
    found = ur_joints.solutions().function()(
        ca.vec(pose.T.T), numbers, ca.SX(ca.DM(arm.lower)), ca.SX(ca.DM(arm.upper)), seed.symbols
    )
    q, margin = _branch(branch.symbols, found)
    return Block(
        "ik",
        ca.SX.sym("t"),
        position + turn + branch,
        _ik_outputs(q, margin),
        parameters + seed,
    )


def _ik_outputs(q: Any, margin: Any) -> Bundle:
    quantities = list(scalars("q", ["rad"] * 6, meaning="position of joint {}").quantities)
    quantities.append(
        Quantity("margin", "m", 0.0, "distance from the workspace boundary; negative: out of reach")
    )
    quantities.append(Quantity("reachable", "1", 0.0, "whether the pose is reached", "boolean"))
    return Bundle(ca.vertcat(q, margin, margin >= REACHED), tuple(quantities))


def _branch(branch: Any, found: Any) -> tuple[Any, Any]:
    """Return joints and margin of the branch with this number (1 to 8)."""
    angles, margins = (ca.reshape(x, -1, 8) for x in found[:2])
    q, margin = angles[:, 0], ca.mmin(margins[:, 0])
    for k in range(1, 8):
        q = ca.if_else(branch >= k + 1, angles[:, k], q)
        margin = ca.if_else(branch >= k + 1, ca.mmin(margins[:, k]), margin)
    return q, margin


def _ur_numbers(arm: Arm, form: dict[str, Any]) -> tuple[Bundle, Any]:
    """Return the parameters of a UR table and the 50 numbers that ``ur_joints`` reads."""
    frames = symbolic(arm.with_(base=form["base"], tool=form["tool"]), ("base", "tool"))
    sizes = ca.SX.sym("sizes", 6)
    angles = scalars(
        "theta", ["rad"] * 6, starts=form["constants"], meaning="UR angle {} where its joint is 0"
    )
    names = zip(("d1", "a2", "a3", "d4", "d5", "d6"), form["dimensions"], strict=True)
    lengths = Bundle(sizes, tuple(Quantity(k, "m", float(v), f"UR table, {k}") for k, v in names))
    poses = [ca.vec(frame(T).inverse.T.T) for T in (frames.arm.base, frames.arm.tool)]
    signs = ca.SX(ca.DM(np.asarray(form["signs"], float)))
    parameters = lengths + angles + constants(frames.symbols, frames.parameters)
    return parameters, ca.vertcat(sizes, signs, angles.symbols, *poses)


def rotation_of(quaternion: Any) -> Any:
    r"""Return the rotation (3, 3) of a quaternion x, y, z, w of any length but 0.

    .. math:: R = 1 + 2 (w [v] + [v]^2) / |q|^2, \quad v = (x, y, z)
    """
    cross = ca.skew(quaternion[:3])
    return ca.SX.eye(3) + 2 * (quaternion[3] * cross + cross @ cross) / ca.sumsqr(quaternion)


def repeating_motion(arm: Arm, series: np.ndarray, duration: float) -> Block:
    r"""A closed motion from rest to rest, as a reference: ``q_ref qd_ref qdd_ref``.

    The path is a Fourier series of the phase, run through once in the given time:

    .. math:: q_i = c_{i0} + \sum_k c_{ik} \cos k\phi + s_{ik} \sin k\phi, \quad
              \phi = 2 \pi (10 \sigma^3 - 15 \sigma^4 + 6 \sigma^5), \quad
              \sigma = clip(t / duration, 0, 1)

    Args:
        arm: the arm, for its number of joints.
        series: coefficients (dof, 1 + 2 n), each row ``c0, c1, s1, c2, s2, ...``.
        duration: [s].
    """
    time, period = ca.SX.sym("t"), ca.SX.sym("duration")
    table = ca.SX.sym("series", arm.dof, series.shape[1])
    orders = (series.shape[1] - 1) // 2
    columns = ["c0"] + [f"{wave}{k}" for k in range(1, orders + 1) for wave in "cs"]
    quantities = [
        Quantity(f"{column}_{i + 1}", unit, float(series[i, k]), f"series of joint {i + 1}")
        for k, column in enumerate(columns)
        for i, unit in enumerate(joint_units(arm, "rad", "m"))
    ]
    whole = Quantity("duration", "s", duration, "time of the whole motion")
    parameters = Bundle(ca.vertcat(ca.vec(table), period), (*quantities, whole))
    speed = {"": "rad", "d": "rad/s", "dd": "rad/s2"}
    names = tuple(
        Quantity(
            f"q{dots}_ref{i}", unit.replace("rad", base), 0.0, f"reference of joint {i}",
            array=f"q{dots}_ref",
        )
        for dots, unit in speed.items()
        for i, base in enumerate(joint_units(arm, "rad", "m"), 1)
    )  # fmt: skip
    outputs = Bundle(ca.vertcat(*_motion(table, orders, time, period)), names)
    return Block("reference", time, Bundle.none(), outputs, parameters)


def _motion(table: Any, orders: int, time: Any, period: Any) -> tuple[Any, Any, Any]:
    """Return position, speed and acceleration of the series at a time."""
    s = ca.fmax(0, ca.fmin(time / period, 1))
    inside = ca.logic_and(time > 0, time < period)
    phase, rate, gain = (2 * ca.pi * x for x in minimum_jerk(s))
    rate = ca.if_else(inside, rate / period, 0)
    gain = ca.if_else(inside, gain / period**2, 0)
    phi = ca.SX.sym("phi")
    waves = [f(k * phi) for k in range(1, orders + 1) for f in (ca.cos, ca.sin)]
    q = table @ ca.vertcat(1, *waves)
    slope = ca.jacobian(q, phi)
    bend = ca.jacobian(slope, phi)
    q, slope, bend = (ca.substitute(x, phi, phase) for x in (q, slope, bend))
    return q, slope * rate, bend * rate**2 + slope * gain
