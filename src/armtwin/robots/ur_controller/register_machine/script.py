"""Programs from the script ports: ur_rtde's control script, known at sight, and simple lines."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from armtwin.errors import InputError
from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.motion.blending import Leg
from armtwin.robots.ur_controller.motion.commands import Commands
from armtwin.robots.ur_controller.motion.joint_moves import Servo, SpeedJoints
from armtwin.robots.ur_controller.motion.tool_moves import SpeedTool
from armtwin.robots.ur_controller.ports.text_port import MOST_TEXT_LINES
from armtwin.robots.ur_controller.register_machine.lines import Call, parse_call
from armtwin.robots.ur_controller.register_machine.machine import DONE, control_program
from armtwin.robots.ur_controller.register_machine.script_calls import ACTIONS, KNOWN, MOVES, real

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

CONTROL_SCRIPT, CONTROL_LOOP = "def rtde_control():", "# NODE_CONTROL_LOOP_ENDS"
PATH_HEAD = "def exec_move_path():"
_OFFSET = re.compile(r"reg_offset_int\s*=\s*(?:#[^\n]*\n)?\s*(\d+)")
_PATH_END = re.compile(r"\s*end\b")
_MOVE = re.compile(r"\s*(movej|movel|movep)\(")
_HEAD = re.compile(r"\s*(def|sec|thread)\s+(\w+)\s*\(\s*\)\s*:\s*(#.*)?$")
_HANDSHAKE = re.compile(
    r"write_output_integer_register\((\d{1,2})\s*\+\s*(\d{1,2}),\s*2\)\s*end\s*$"
)
"""How ur_rtde ends the scripts whose end it waits for."""
UPPER = 24
NO_CONTROL = 1.0
"""How long after a refused script a control script is not played [s]."""
MOST_SLEEP = 3600.0
CALLS_A_CYCLE = 20
"""Calls of a program that are made in one cycle, where none of them takes time."""
MOST_LINES = 5000


def run_script(controller: VirtualController, text: str) -> None:
    """Run what a client sent to a script port: a program, or single lines.

    What cannot be understood is refused as a whole; see ``Controller.refuse``.
    """
    for _ in script_steps(controller, text):
        pass


def script_steps(controller: VirtualController, text: str) -> Iterator[None]:
    """Do the same in short steps, so that a long program does not hold up the control cycle."""
    try:
        if text.count("\n") > MOST_TEXT_LINES:
            raise InputError(f"a text of more than {MOST_TEXT_LINES} lines")
        if CONTROL_SCRIPT in text and CONTROL_LOOP in text:
            if controller.cycles < controller.no_control_before:
                controller.say("control script refused: it follows a refused script", Level.ERROR)
                return
            found = _OFFSET.search(text)
            offset = UPPER if found and int(found[1]) == UPPER else 0
            legs = yield from _path_legs(controller, text)
            controller.play(control_program(controller, offset, legs))
            return
        calls, secondary = yield from _read_steps(text)
        for call in calls:
            if call.name not in ACTIONS and call.name not in MOVES:
                raise InputError(f"{call.name} is not known; there is {', '.join(sorted(KNOWN))}")
    except InputError as error:
        _refuse(controller, text, str(error))
        return
    if not calls:
        return
    if secondary:
        yield from run_beside(controller, calls)
    else:
        controller.play(line_program(controller, calls))


def _refuse(controller: VirtualController, text: str, reason: str) -> None:
    """Refuse a program; a secondary one leaves the running program alone."""
    head = _HEAD.match(text.lstrip().split("\n", 1)[0].split("#")[0].rstrip())
    if head and head[1] == "sec":
        controller.say(f"secondary program refused: {reason}", Level.ERROR)
        return
    controller.refuse(reason)
    found = _HANDSHAKE.search(text)
    _end_wait(controller, int(found[1]) + int(found[2]) if found else 0)


def _end_wait(controller: VirtualController, register: int) -> None:
    """Let ur_rtde's sendCustomScript raise instead of waiting forever for a refused script.

    It waits until an output register says done, whatever happens to the program, and then uploads
    its control script again. The register is written, and that upload is not played: ur_rtde
    raises "Failed to start control script" after 5 s.
    """
    name = f"output_int_register_{register}"
    if name in controller.registers.fields:
        controller.registers[name] = DONE
        controller.no_control_before = controller.cycles + round(NO_CONTROL / controller.dt)


def read_program(text: str) -> tuple[list[Call], bool]:
    """Return the calls of a program, and whether it is a secondary one, which may not move.

    Raises:
        InputError: something else than calls in ``def name():`` ... ``end``.
    """
    steps = _read_steps(text)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return cast("tuple[list[Call], bool]", end.value)


def _read_steps(text: str) -> Generator[None, None, tuple[list[Call], bool]]:
    lines = [line.split("#")[0].rstrip() for line in text.splitlines()]
    lines = [line for line in lines if line.strip()]
    if len(lines) > MOST_LINES:
        raise InputError(f"a program of {len(lines)} lines; {MOST_LINES} are the most")
    secondary = False
    if lines and (head := _HEAD.match(lines[0])):
        secondary = head[1] == "sec"
        name, lines = head[2], lines[1:]
        while lines and lines[-1].strip() in ("end", f"{name}()"):
            lines.pop()
    calls = []
    for line in lines:
        calls.append(parse_call(line))
        yield
    if secondary and any(call.name in MOVES or call.name == "sleep" for call in calls):
        raise InputError("a secondary program (sec) cannot move or wait")
    return calls, secondary


def _path_legs(controller: VirtualController, text: str) -> Generator[None, None, list[Leg]]:
    """Return the legs that a control script carries for movePath; none where it has none.

    Raises:
        InputError: a move that cannot be understood.
    """
    _, found, rest = text.partition(PATH_HEAD)
    legs: list[Leg] = []
    for line in rest.splitlines() if found else ():
        if _PATH_END.match(line):
            break
        if _MOVE.match(line):
            legs.append(_leg(controller, parse_call(line)))
            yield
    return legs


def _leg(controller: VirtualController, call: Call) -> Leg:
    names = ("a", "v", "r") if call.name == "movep" else ("a", "v", "t", "r")
    given = dict(zip(names, call.arguments[1:], strict=False)) | call.named
    joints = call.name == "movej"
    if not call.arguments or not isinstance(call.arguments[0], np.ndarray):
        raise InputError(f"{call.name} needs joints [...] or a pose p[...]")
    commands, target = Commands(controller), call.arguments[0]
    end = commands.joints(target) if joints else commands.pose(target)
    a, v, r = (real(given.get(k, d)) for k, d in (("a", 1.2), ("v", 0.25), ("r", 0.0)))
    if not (a > 0 and v > 0):
        raise InputError(f"{call.name} needs positive a and v, got {a}, {v}")
    return Leg(end, v, a, max(r, 0.0))


def run_beside(controller: VirtualController, calls: Sequence[Call]) -> Iterator[None]:
    """Make the calls of a secondary program; the running program goes on."""
    try:
        for call in calls:
            act(controller, call)
            yield
    except InputError as error:
        controller.say(f"secondary program stopped: {error}", Level.ERROR)


def act(controller: VirtualController, call: Call) -> None:
    """Make a call.

    Raises:
        InputError: its arguments make no sense.
    """
    try:
        if call.name in MOVES:
            MOVES[call.name](Commands(controller), *call.arguments, **call.named)
        else:
            ACTIONS[call.name](controller, *call.arguments, **call.named)
    except (TypeError, AttributeError) as error:
        raise InputError(f"{call.name}: {error}") from error


def line_program(controller: VirtualController, calls: Sequence[Call]) -> Iterator[None]:
    """Make the calls one after the other."""
    commands = Commands(controller)
    for number, call in enumerate(calls, 1):
        act(controller, call)
        yield from _lasting(controller, commands, call)
        if number % CALLS_A_CYCLE == 0:
            yield
    if not controller.idle:
        commands.stopj()
        yield from commands.wait()


def _lasting(controller: VirtualController, commands: Commands, call: Call) -> Iterator[None]:
    """Let the cycles pass that a call takes."""
    move = controller.move
    if call.name in ("sleep", "sync"):
        seconds = real(call.arguments[0]) if call.arguments else controller.dt
        yield from _rest(controller, seconds)
    elif isinstance(move, Servo):
        yield from _rest(controller, move.seconds)
    elif isinstance(move, SpeedJoints | SpeedTool) and move.left is None:
        while not move.reached and controller.move is move:
            yield
    elif call.name in MOVES:
        yield from commands.wait()


def _rest(controller: VirtualController, seconds: float) -> Iterator[None]:
    for _ in range(int(min(max(seconds, 0.0), MOST_SLEEP) / controller.dt)):
        yield
