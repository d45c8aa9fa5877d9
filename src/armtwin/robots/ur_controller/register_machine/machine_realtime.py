"""Commands of ur_rtde's control script that are worked on in every cycle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armtwin.dynamics.rigid_body import coriolis, mass_matrix
from armtwin.kinematics.forward import fk
from armtwin.robots.ur.tcp import vector_from_pose
from armtwin.robots.ur_controller.motion.joint_moves import SpeedJoints
from armtwin.robots.ur_controller.motion.tool_moves import SpeedTool
from armtwin.robots.ur_controller.register_machine.machine import Bench
from armtwin.robots.ur_controller.register_machine.machine_moves import CONTACT
from armtwin.spatial import Array

UPPER_MATRIX = 36
"""Output register of a matrix' 25th number; the first 24 stand from 0 on."""


def speed_j(bench: Bench) -> None:
    """Take up joint speeds."""
    _speed(bench, SpeedJoints, "speeds")


def speed_l(bench: Bench) -> None:
    """Take up a twist of the tool."""
    _speed(bench, SpeedTool, "twist")


def _speed(bench: Bench, kind: type[SpeedJoints] | type[SpeedTool], field: str) -> None:
    wanted, move, commands = bench.six(0), bench.controller.move, bench.commands
    same = type(move) is kind and bool((getattr(move, field) == wanted).all())
    if not same:
        (commands.speedj if kind is SpeedJoints else commands.speedl)(wanted, a=bench.real(6))


def servo_j(bench: Bench) -> None:
    """Follow joints."""
    bench.commands.servoj(bench.six(0), bench.real(8), bench.real(9), bench.real(10))


def servo_l(bench: Bench) -> None:
    """Follow a pose with the joints that reach it."""
    q = bench.controller.tcp.inverse(bench.pose(0), bench.controller.reference.q)
    bench.commands.servoj(q, bench.real(8), bench.real(9), bench.real(10))


def contact(bench: Bench) -> None:
    """Answer whether something touches the arm."""
    bench.answer(1, int(bench.controller.collisions.ratio >= CONTACT))


def step_time(bench: Bench) -> None:
    """Answer the length of a cycle."""
    bench.answer_reals(np.array([bench.controller.dt]))


def history(bench: Bench) -> None:
    """Answer the joints some cycles ago."""
    past = bench.controller.history
    if past:
        bench.answer_reals(past[max(-len(past), -1 - max(0, bench.whole(1)))])


def joint_torques(bench: Bench) -> None:
    """Answer the external joint torques, as the observer sees them."""
    bench.answer_reals(bench.controller.collisions.residual)


def flange_pose(bench: Bench) -> None:
    """Answer the tool frame's pose, without the centre point's offset."""
    q = bench.controller.body.q
    bench.answer_reals(vector_from_pose(fk(bench.controller.arm, q, ignore_limits=True)))


def answer_matrix(bench: Bench, M: Array) -> None:
    """Answer a matrix column by column."""
    numbers = M.T.ravel()
    bench.answer_reals(numbers[:24])
    bench.answer_reals(numbers[24:], UPPER_MATRIX)


def inertia(bench: Bench) -> None:
    """Answer the mass matrix."""
    answer_matrix(bench, mass_matrix(bench.controller.arm, bench.controller.body.q))


def coriolis_torques(bench: Bench) -> None:
    """Answer the torques of Coriolis and centrifugal forces."""
    body = bench.controller.body
    bench.answer_reals(coriolis(bench.controller.arm, body.q, body.qd) @ body.qd)


def target_accelerations(bench: Bench) -> None:
    """Answer the accelerations that the joints shall have."""
    bench.answer_reals(bench.controller.reference.qdd)


def tool_jacobian(bench: Bench) -> None:
    """Answer the centre point's Jacobian."""
    body = bench.controller.body
    answer_matrix(bench, bench.controller.tcp.state(body.q, body.qd).J)


def jacobian_rate(bench: Bench) -> None:
    """Answer how fast that changes, over a microsecond's motion on either side."""
    body, h = bench.controller.body, 1e-6
    here = bench.controller.tcp.state
    ahead, behind = (here(body.q + s * h * body.qd, body.qd).J for s in (1, -1))
    answer_matrix(bench, (ahead - behind) / (2 * h))


AT_ONCE: dict[int, Callable[[Bench], None]] = {
    9: speed_j, 10: speed_l, 11: servo_j, 24: servo_l, 25: contact, 26: step_time,
    27: history, 38: joint_torques, 58: flange_pose, 67: inertia,
    68: coriolis_torques, 69: target_accelerations, 70: tool_jacobian, 71: jacobian_rate,
}  # fmt: skip
"""By number."""
