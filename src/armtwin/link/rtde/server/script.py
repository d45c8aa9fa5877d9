"""Programs from the script ports: ur_rtde's control script, known at sight, and simple lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import InputError
from armtwin.link.rtde.codec import Level
from armtwin.link.rtde.server.commands import Commands
from armtwin.link.rtde.server.lines import Call, parse_call
from armtwin.link.rtde.server.machine import control_program
from armtwin.link.rtde.server.moves import Servo, SpeedJoints
from armtwin.link.rtde.server.runs import Leg
from armtwin.link.rtde.server.script_calls import ACTIONS, KNOWN, MOVES, real
from armtwin.link.rtde.server.tool_moves import SpeedTool

if TYPE_CHECKING:
    from armtwin.link.rtde.server.controller import Controller

CONTROL_SCRIPT, CONTROL_LOOP = "def rtde_control():", "# NODE_CONTROL_LOOP_ENDS"
_OFFSET = re.compile(r"reg_offset_int\s*=\s*(?:#[^\n]*\n)?\s*(\d+)")
_PATH = re.compile(r"def exec_move_path\(\):(.*?)^\s*end\b", re.DOTALL | re.MULTILINE)
_MOVE = re.compile(r"^\s*(movej|movel|movep)\(.*\)\s*$", re.MULTILINE)
_HEAD = re.compile(r"\s*(def|sec|thread)\s+(\w+)\s*\(\s*\)\s*:\s*(#.*)?$")
UPPER = 24
MOST_SLEEP = 3600.0
MOST_LINES = 5000


def run_script(controller: Controller, text: str) -> None:
    """Do what a client sent to a script port: a program, or single lines.

    What cannot be understood is refused as a whole, with a message to the clients.
    """
    if CONTROL_SCRIPT in text and CONTROL_LOOP in text:
        found = _OFFSET.search(text)
        offset = UPPER if found and int(found[1]) == UPPER else 0
        controller.play(control_program(controller, offset, path_legs(controller, text)))
        return
    try:
        calls, secondary = read_program(text)
        for call in calls:
            if call.name not in ACTIONS and call.name not in MOVES:
                raise InputError(f"{call.name} is not known; there is {', '.join(sorted(KNOWN))}")
    except InputError as error:
        controller.say(f"script refused: {error}", Level.ERROR)
        return
    if not calls:
        return
    if secondary:
        run_beside(controller, calls)
    else:
        controller.play(line_program(controller, calls))


def read_program(text: str) -> tuple[list[Call], bool]:
    """Return the calls of a program, and whether it is a secondary one, which may not move.

    Raises:
        InputError: something else than calls in ``def name():`` ... ``end``.
    """
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
    calls = [parse_call(line) for line in lines]
    if secondary and any(call.name in MOVES or call.name == "sleep" for call in calls):
        raise InputError("a secondary program (sec) cannot move or wait")
    return calls, secondary


def path_legs(controller: Controller, text: str) -> list[Leg]:
    """Return the legs that a control script carries for movePath; none where it has none."""
    found = _PATH.search(text)
    lines = [match[0] for match in _MOVE.finditer(found[1])] if found else []
    legs: list[Leg] = []
    for line in lines:
        try:
            legs.append(_leg(controller, parse_call(line)))
        except InputError as error:
            controller.say(f"path refused: {error}", Level.ERROR)
            return []
    return legs


def _leg(controller: Controller, call: Call) -> Leg:
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


def run_beside(controller: Controller, calls: Sequence[Call]) -> None:
    """Make the calls of a secondary program at once; the running program goes on."""
    try:
        for call in calls:
            act(controller, call)
    except InputError as error:
        controller.say(f"secondary program stopped: {error}", Level.ERROR)


def act(controller: Controller, call: Call) -> None:
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


def line_program(controller: Controller, calls: Sequence[Call]) -> Iterator[None]:
    """Make the calls one after the other."""
    commands = Commands(controller)
    for call in calls:
        act(controller, call)
        yield from _lasting(controller, commands, call)
    if not controller.idle:
        commands.stopj()
        yield from commands.wait()


def _lasting(controller: Controller, commands: Commands, call: Call) -> Iterator[None]:
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


def _rest(controller: Controller, seconds: float) -> Iterator[None]:
    for _ in range(int(min(max(seconds, 0.0), MOST_SLEEP) / controller.dt)):
        yield
