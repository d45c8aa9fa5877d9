"""Commands of ur_rtde's control script that are done at once: settings and questions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armtwin.errors import InputError, UnreachableError
from armtwin.kinematics.forward import fk
from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur.tcp import pose_from_vector, vector_from_pose
from armtwin.robots.ur_controller.register_machine.machine import Bench


def servo_c(bench: Bench) -> None:
    """Chase a pose until servoStop."""
    bench.commands.servoc(bench.pose(0), v=bench.real(6), a=bench.real(7), r=bench.real(8))


def start_jog(bench: Bench) -> None:
    """Move the tool at a twist in base, in its own frame or in a given one, until stopJog."""
    feature, twist = int(bench.real(6)), bench.six(0)
    R = np.eye(3)
    if feature == 1:
        R = pose_from_vector(bench.controller.registers["actual_TCP_pose"])[:3, :3]
    elif feature == 2:
        R = bench.pose(8)[:3, :3]
    bench.commands.speedl(np.concatenate([R @ twist[:3], R @ twist[3:]]), a=bench.real(7))


def protective_stop(bench: Bench) -> None:
    """Stop as if something had happened."""
    bench.controller.protective_stop("asked for by the program")


def set_payload(bench: Bench) -> None:
    """Set mass and centre; a centre of zeros leaves the old one."""
    com = np.array([bench.real(k) for k in (1, 2, 3)])
    if not com.any():
        com = bench.controller.registers["payload_cog"].copy()
    bench.controller.set_payload(bench.real(0), com)


def set_tcp(bench: Bench) -> None:
    """Put the centre point somewhere in the tool frame."""
    bench.controller.tcp.set(bench.six(0))


def set_watchdog(bench: Bench) -> None:
    """Stop the program when the client has not written for a while."""
    name = f"input_int_register_{bench.offset}"
    bench.controller.watchdog.set(name, bench.real(0), "stop")


def inverse_near(bench: Bench) -> None:
    """Answer the joints nearest to given ones for a pose."""
    bench.answer_reals(bench.controller.tcp.inverse(bench.pose(0), bench.six(6)))


def inverse(bench: Bench) -> None:
    """Answer the joints nearest to the present ones for a pose."""
    near = bench.controller.reference.q
    bench.answer_reals(bench.controller.tcp.inverse(bench.pose(0), near))


def has_inverse(bench: Bench) -> None:
    """Answer whether a pose can be reached."""
    bench.answer(1, int(_reachable(bench)))


def _reachable(bench: Bench) -> bool:
    try:
        bench.controller.tcp.inverse(bench.pose(0), bench.controller.reference.q)
    except (UnreachableError, InputError):
        return False
    return True


def joints_are_safe(bench: Bench) -> None:
    """Answer whether joints are within their limits."""
    q, arm = bench.six(0), bench.controller.arm
    bench.answer(1, int(bool(((q >= arm.lower) & (q <= arm.upper)).all())))


def forward(bench: Bench) -> None:
    """Answer the tool's pose now."""
    bench.answer_reals(bench.controller.registers["actual_TCP_pose"])


def forward_of(bench: Bench) -> None:
    """Answer the tool's pose at given joints with a given centre point."""
    T = fk(bench.controller.arm, bench.six(0), ignore_limits=True) @ bench.pose(6)
    bench.answer_reals(vector_from_pose(T))


def transform(bench: Bench) -> None:
    """Answer the product of two poses."""
    bench.answer_reals(vector_from_pose(bench.pose(0) @ bench.pose(6)))


def tcp_offset(bench: Bench) -> None:
    """Answer where the centre point is in the tool frame."""
    bench.answer_reals(bench.controller.tcp.vector)


def target_waypoint(bench: Bench) -> None:
    """Answer the pose that the last move leads to."""
    bench.answer_reals(bench.commands.waypoint)


def is_steady(bench: Bench) -> None:
    """Answer whether the arm rests."""
    bench.answer(1, int(bench.controller.steady))


def freedrive_status(bench: Bench) -> None:
    """Answer 0, normal operation: there is no freedrive mode."""
    bench.answer(1, 0)


def zero_force(bench: Bench) -> None:
    """Accept that the force reading is zeroed, which has no effect here, and report that."""
    bench.controller.say("zeroFtSensor has no effect on the virtual robot", Level.WARNING)


def accepted(bench: Bench) -> None:
    """Accept the end of a mode that the virtual arm is never in."""


ANSWERS: dict[int, Callable[[Bench], None]] = {
    7: accepted, 8: zero_force, 12: servo_c, 17: set_payload, 19: accepted, 28: target_waypoint,
    29: set_tcp, 30: inverse_near, 31: protective_stop, 35: set_watchdog, 36: has_inverse,
    37: joints_are_safe, 39: transform, 40: tcp_offset, 41: start_jog, 43: forward,
    44: forward_of, 46: inverse, 47: is_steady, 53: accepted, 54: freedrive_status,
    60: has_inverse, 61: has_inverse, 65: set_payload,
}  # fmt: skip
"""By number."""
