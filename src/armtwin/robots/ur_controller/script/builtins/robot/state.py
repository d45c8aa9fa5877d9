"""State of the robot: what ``get_*`` and ``is_*`` functions return."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from armtwin.errors import UnreachableError
from armtwin.robots.ur_controller.script.builtins.arguments import integer, pose, vector
from armtwin.robots.ur_controller.script.builtins.registry import Group
from armtwin.robots.ur_controller.script.host import Quantity
from armtwin.robots.ur_controller.script.runtime.values import List, Pose

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.script.runtime.runtime import Runtime

group = Group()
KINEMATICS_COST = 1000
"""Statements that inverse kinematics counts for: about 0.4 ms on one core."""

DYNAMICS_COST = 200
"""Of a call in steps of the interpreter, against the budget of a control cycle."""

LISTS = {
    "get_actual_joint_positions": "actual_q",
    "get_actual_joint_speeds": "actual_qd",
    "get_joint_positions": "actual_q",
    "get_joint_speeds": "actual_qd",
    "get_joint_torques": "joint_torques",
    "get_target_joint_positions": "target_q",
    "get_target_joint_speeds": "target_qd",
    "get_target_joint_accelerations": "target_qdd",
    "get_target_payload_cog": "payload_cog",
    "get_target_payload_inertia": "payload_inertia",
    "get_tool_accelerometer_reading": "actual_tool_accelerometer",
    "get_gravity": "target_gravity",
    "get_base_acceleration": "target_base_acceleration",
}
"""Functions that return a field as a list."""

POSES = {
    "get_actual_tcp_pose": "actual_TCP_pose",
    "get_actual_tcp_speed": "actual_TCP_speed",
    "get_actual_tool_flange_pose": "flange_pose",
    "get_target_tcp_pose": "target_TCP_pose",
    "get_target_tcp_speed": "target_TCP_speed",
    "get_target_tcp_pose_along_path": "target_TCP_pose",
    "get_target_tcp_speed_along_path": "target_TCP_speed",
    "get_target_waypoint": "target_waypoint",
    "get_tcp_force": "actual_TCP_force",
    "get_tcp_offset": "tcp_offset",
}
"""Functions that return a field as a pose."""

NUMBERS = {
    "get_target_payload": "payload",
    "get_tool_current": "tool_output_current",
    "get_tool_temp": "tool_temperature",
}
"""Functions that return a field as a float."""


def _reader(field: str, kind: Any) -> Any:
    def read(rt: Runtime) -> Any:
        return kind(rt.host.read(field))

    return read


def _as_list(values: Any) -> List:
    return List(tuple(map(float, values)))


def _as_pose(values: Any) -> Pose:
    return Pose(tuple(map(float, values)))


for _names, _kind in ((LISTS, _as_list), (POSES, _as_pose), (NUMBERS, float)):
    for _name, _field in _names.items():
        group(_reader(_field, _kind), name=_name)


@group
def get_steptime(rt: Runtime) -> float:
    """Return the duration of a control cycle [s]."""
    return rt.host.dt


@group
def time(rt: Runtime) -> float:
    """Return the controller's time [s]."""
    return rt.host.time()


@group
def get_joint_temp(rt: Runtime, j: Any) -> float:
    """Return the temperature of a joint, counted from 0 [degC]."""
    return float(rt.host.read("joint_temperatures")[integer(j, "j", 0, 5)])


@group
def force(rt: Runtime) -> float:
    """Return the norm of the force at the tool centre point [N]."""
    return math.hypot(*rt.host.read("actual_TCP_force")[:3])


@group
def is_steady(rt: Runtime) -> bool:
    """Return whether the arm is fully at rest."""
    return bool(rt.host.read("steady"))


@group(cost=KINEMATICS_COST)
def is_within_safety_limits(rt: Runtime, pose: Any) -> bool:
    """Return whether a pose or joint positions are reachable within the safety limits."""
    return rt.host.within_limits(vector(pose, "pose", 6), isinstance(pose, Pose))


@group(cost=60)
def get_forward_kin(rt: Runtime, q: Any = None, tcp: Any = None) -> Pose:
    """Return the tool's pose for joint positions [rad]; the actual ones by default.

    Args:
        rt: what the program runs in.
        q: joint positions [rad].
        tcp: offset of the centre point in the flange frame; the present one by default.
    """
    joints = tuple(rt.host.read("actual_q")) if q is None else vector(q, "q", 6)
    return Pose(rt.host.forward(joints, None if tcp is None else pose(tcp, "tcp").items))


@group(cost=KINEMATICS_COST)
def get_inverse_kin(
    rt: Runtime,
    x: Any,
    qnear: Any = None,
    maxPositionError: Any = 1e-10,
    maxOrientationError: Any = 1e-10,
    tcp: Any = None,
) -> List:
    """Return the joint positions of a pose nearest to ``qnear``, or to the actual ones.

    Args:
        rt: the runtime.
        x: pose of the tool in base.
        qnear: joint positions [rad].
        maxPositionError: accepted for compatibility; the solution is exact.
        maxOrientationError: accepted for compatibility; the solution is exact.
        tcp: tool offset; the active one by default.
    """
    near = None if qnear is None else vector(qnear, "qnear", 6)
    offset = None if tcp is None else pose(tcp, "tcp").items
    return List(tuple(rt.host.inverse(pose(x, "x").items, near, offset)))


@group(cost=KINEMATICS_COST)
def get_inverse_kin_has_solution(
    rt: Runtime,
    pose: Any,
    qnear: Any = None,
    maxPositionError: Any = 1e-10,
    maxOrientationError: Any = 1e-10,
    tcp: Any = None,
) -> bool:
    """Return whether ``get_inverse_kin`` has a solution; arguments as there.

    Args:
        rt: what the program runs in.
        pose: of the tool in base.
        qnear: joint positions that the solution should be close to [rad].
        maxPositionError: [m].
        maxOrientationError: [rad].
        tcp: offset of the centre point in the flange frame; the present one by default.
    """
    try:
        get_inverse_kin(rt, pose, qnear, maxPositionError, maxOrientationError, tcp)
    except UnreachableError:
        return False
    return True


def _matrix(rt: Runtime, quantity: Quantity, q: Any = None, qd: Any = None) -> List:
    given = [None if v is None else vector(v, name, 6) for v, name in ((q, "q"), (qd, "qd"))]
    found = rt.host.dynamics(quantity, *given)
    if isinstance(found[0], int | float):
        return _as_list(found)
    return List(tuple(_as_list(row) for row in found))


@group(cost=DYNAMICS_COST)
def get_jacobian(rt: Runtime, q: Any = None, tcp: Any = None) -> List:
    """Return the Jacobian (6, 6) of the tool centre point in base.

    Args:
        rt: what the program runs in.
        q: joint positions [rad].
        tcp: offset of the centre point in the flange frame; the present one by default.
    """
    return _matrix(rt, "jacobian", q)


@group(cost=DYNAMICS_COST)
def get_jacobian_time_derivative(
    rt: Runtime, q: Any = None, qd: Any = None, tcp: Any = None
) -> List:
    """Return the time derivative of the Jacobian (6, 6).

    Args:
        rt: what the program runs in.
        q: joint positions [rad].
        qd: joint speeds [rad/s].
        tcp: offset of the centre point in the flange frame; the present one by default.
    """
    return _matrix(rt, "jacobian_rate", q, qd)


@group(cost=DYNAMICS_COST)
def get_mass_matrix(rt: Runtime, q: Any = None, include_rotors_inertia: Any = False) -> List:
    """Return the mass matrix (6, 6) [kg m2].

    Args:
        rt: what the program runs in.
        q: joint positions [rad].
        include_rotors_inertia: whether the rotors of the motors count.
    """
    return _matrix(rt, "mass_matrix", q)


@group(cost=DYNAMICS_COST)
def get_coriolis_and_centrifugal_torques(rt: Runtime, q: Any = None, qd: Any = None) -> List:
    """Return the Coriolis and centrifugal torques (6,) [Nm].

    Args:
        rt: what the program runs in.
        q: joint positions [rad].
        qd: joint speeds [rad/s].
    """
    return _matrix(rt, "coriolis", q, qd)
