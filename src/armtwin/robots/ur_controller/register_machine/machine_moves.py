"""Commands of ur_rtde's control script that take their time: moves and stops."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from armtwin.robots.ur_controller.motion.blending import Leg
from armtwin.robots.ur_controller.motion.tool_moves import SpeedTool
from armtwin.robots.ur_controller.register_machine.machine import Bench

Legs = Sequence[Leg]
Cycles = Iterator[None]
CONTACT = 0.2
"""An external torque of this share of what counts as a collision is a contact."""


def _started(bench: Bench) -> Cycles:
    """Wait for the move just begun, or let it go on by itself where that is asked for."""
    if bench.whole(1) == 1:
        bench.watch()
        return
    yield from bench.commands.wait()


def move_j(bench: Bench, legs: Legs) -> Cycles:
    """Move to joints."""
    bench.commands.movej(bench.six(0), v=bench.real(6), a=bench.real(7))
    yield from _started(bench)


def move_j_ik(bench: Bench, legs: Legs) -> Cycles:
    """Move in joint space to a pose."""
    bench.commands.movej(bench.pose(0), v=bench.real(6), a=bench.real(7))
    yield from _started(bench)


def move_l(bench: Bench, legs: Legs) -> Cycles:
    """Move the tool straight to a pose."""
    bench.commands.movel(bench.pose(0), v=bench.real(6), a=bench.real(7))
    yield from _started(bench)


def move_l_fk(bench: Bench, legs: Legs) -> Cycles:
    """Move the tool straight to where joints take it."""
    bench.commands.movel(bench.six(0), v=bench.real(6), a=bench.real(7))
    yield from _started(bench)


def move_path(bench: Bench, legs: Legs) -> Cycles:
    """Make the moves that the script carries."""
    by_itself = bench.whole(1) == 1
    bench.commands.path(legs, bench.progress if by_itself else None)
    yield from _started(bench)


def stop_speed(bench: Bench, legs: Legs) -> Cycles:
    """Stop what speedJ or speedL began, each in its way."""
    if isinstance(bench.controller.move, SpeedTool):
        bench.commands.stopl(bench.real(0))
    else:
        bench.commands.stopj(bench.real(0))
    yield from bench.commands.wait()


def stop_servo(bench: Bench, legs: Legs) -> Cycles:
    """Stop what servoJ, servoL or servoC began."""
    bench.commands.stopj(bench.real(0))
    yield from bench.commands.wait()


def stop_l(bench: Bench, legs: Legs) -> Cycles:
    """Bring the tool to rest along its path."""
    bench.forget()
    bench.commands.stopl(bench.real(0))
    yield from _started(bench)


def stop_j(bench: Bench, legs: Legs) -> Cycles:
    """Bring the joints to rest."""
    bench.forget()
    bench.commands.stopj(bench.real(0))
    yield from _started(bench)


def stop_jog(bench: Bench, legs: Legs) -> Cycles:
    """Stop jogging."""
    bench.commands.stopl(1.2)
    yield from bench.commands.wait()


def move_until_contact(bench: Bench, legs: Legs) -> Cycles:
    """Move the tool at a twist until it touches something, then back to where it first did."""
    controller = bench.controller
    bench.commands.speedl(bench.six(0), a=bench.real(12))
    while controller.collisions.ratio < CONTACT:
        if controller.idle:
            return
        yield
    touched = controller.body.q
    bench.commands.stopl(3.0)
    yield from bench.commands.wait()
    bench.commands.movel(touched)
    yield from bench.commands.wait()


MOVES: dict[int, Callable[[Bench, Legs], Cycles]] = {
    1: move_j, 2: move_j_ik, 3: move_l, 4: move_l_fk, 15: stop_speed, 16: stop_servo, 33: stop_l,
    34: stop_j, 42: stop_jog, 45: move_path, 51: move_until_contact,
}  # fmt: skip
"""By number; each lets cycles pass until it is done."""
