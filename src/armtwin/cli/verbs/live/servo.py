"""``armtwin servo``: a desktop arm with hobby servos on a serial line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.options import Degrees, Json, Units
from armtwin.cli.output import say, say_json, say_table
from armtwin.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from armtwin.robots.servo.arrival import ArmStatus
    from armtwin.robots.servo.servo_arm import ServoArm

EXAMPLES = """
armtwin servo status --port /dev/ttyACM0 --deg
armtwin servo move 0 20 -30 10 0 --deg --gripper 1 --port /dev/ttyACM0 --i-mean-it
armtwin servo jog 2 -15 --deg --seconds 1 --port /dev/ttyACM0 --i-mean-it
armtwin servo save --port /dev/ttyACM0
armtwin servo run --rounds 3 --percent 50 --port /dev/ttyACM0 --i-mean-it
armtwin servo stop --port /dev/ttyACM0
"""

ACTIONS = ("move", "jog", "save", "run", "pause", "stop", "reset", "relax", "status", "list")

Port = Annotated[str, typer.Option("--port", metavar="PORT", help="Serial port of the board.")]
Gripper = Annotated[
    float | None, typer.Option("--gripper", help="Opening: 0 closed to 1 open.", metavar="G")
]
Seconds = Annotated[
    float | None,
    typer.Option("--seconds", help="Minimum duration of a move (0), duration of a jog (0.5)."),
]
SettingsFile = Annotated[
    Path | None, typer.Option("--settings", metavar="FILE", help="TOML file with a [servo] table.")
]


def command(
    action: Annotated[str, typer.Argument(metavar="ACTION", help=", ".join(ACTIONS) + ".")],
    values: Annotated[
        list[float] | None,
        typer.Argument(
            metavar="[Q1 Q2 ... | JOINT SPEED]", help="Targets of move, or joint and speed of jog."
        ),
    ] = None,
    port: Port = "",
    arm: Annotated[
        str, typer.Option("--arm", metavar="ARM", help="Catalogue name or arm file.")
    ] = "desktop5",
    settings: SettingsFile = None,
    gripper: Gripper = None,
    seconds: Seconds = None,
    rounds: Annotated[int, typer.Option("--rounds", help="Rounds of a run; 0: without end.")] = 1,
    percent: Annotated[
        int, typer.Option("--percent", help="Speed of a run, in percent of the top speeds.")
    ] = 100,
    alone: Annotated[
        bool, typer.Option("--alone", help="Let the board run on without this host.")
    ] = False,
    i_mean_it: Annotated[
        bool, typer.Option("--i-mean-it", help="Allow real hardware to move.")
    ] = False,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="The port belongs to a simulated board.")
    ] = False,
    deg: Degrees = False,
    json: Json = False,
) -> None:
    """Move a servo arm in joint angles, save positions on its board and run them.

    move Q1 Q2 ... moves all joints; jog JOINT SPEED turns one joint (the gripper comes last); save
    stores the position; run moves through the stored ones; pause; stop; reset erases them; relax
    switches the servos off; status; list shows the stored positions. Ctrl-C stops the arm first.
    """
    numbers = list(values or [])
    _check(action, numbers, port)
    from armtwin.model.catalogue.catalogue import load
    from armtwin.robots.servo.servo_arm import open_arm
    from armtwin.robots.servo.servo_settings import read_settings

    table = None if settings is None else read_settings(settings)
    units = Units(deg)
    actions: dict[str, Callable[[ServoArm], ArmStatus]] = {
        "move": lambda servo: servo.move(
            [units.angle * value for value in numbers], opening=gripper, seconds=seconds or 0.0
        ),
        "jog": lambda servo: _jog(servo, numbers, units, 0.5 if seconds is None else seconds),
        "run": lambda servo: servo.run(rounds, percent=percent, alone=alone),
        "save": lambda servo: servo.save(),
        **{order: _order(order) for order in ("stop", "pause", "reset", "relax", "status")},
    }
    with open_arm(port, load(arm), table, i_mean_it=i_mean_it, simulated=simulated) as servo:
        if action == "list":
            _show_saved(servo, units, json)
            return
        answer = _answer(servo, actions[action](servo), units)
    say_json(answer) if json else _print(answer)


def _check(action: str, numbers: list[float], port: str) -> None:
    if action not in ACTIONS:
        raise InputError(f"action {action!r} is unknown; there are {', '.join(ACTIONS)}")
    if not port:
        raise InputError("give the serial port: --port /dev/ttyACM0 (COM3 on Windows)")
    if numbers and action not in ("move", "jog"):
        raise InputError(f"{action} takes no numbers, got {numbers}")
    if action == "jog" and (len(numbers) != 2 or numbers[0] != int(numbers[0])):
        raise InputError(f"jog takes JOINT SPEED, such as jog 2 -15 --deg; got {numbers}")
    if action == "move" and not numbers:
        raise InputError("move takes one angle per joint, such as move 0 20 -30 10 0 --deg")


def _order(action: str) -> Callable[[ServoArm], ArmStatus]:
    """Return a function that sends a command without waiting and returns the status."""
    names = {"stop": "stop", "pause": "pause", "reset": "erase", "relax": "relax"}

    def give(servo: ServoArm) -> ArmStatus:
        if action in names:
            getattr(servo.board, names[action])()
        return servo.status()

    return give


def _jog(servo: ServoArm, numbers: list[float], units: Units, seconds: float) -> ArmStatus:
    joint, speed = int(numbers[0]), numbers[1]
    is_gripper = joint > servo.arm.dof
    return servo.jog(joint, speed * (1.0 if is_gripper else units.angle), seconds)


def _answer(servo: ServoArm, status: ArmStatus, units: Units) -> dict[str, Any]:
    board = status.board
    return {
        "arm": servo.arm.name,
        "units": units.names["angle"],
        "q": status.q / units.angle,
        "gripper": status.opening,
        "mode": board.mode.name.lower(),
        "came_to_rest": board.reason.name.lower(),
        "switched_on": board.switched_on,
        "saved": board.steps,
        "step": board.step + 1 if board.mode.name in ("RUNNING", "PAUSED") else None,
        "phones": board.phones,
        "limits_on_board": board.config_check == servo.mapping.config.check,
        "bad_frames": board.bad_frames,
        "repeats": servo.board.repeats,
    }


def _show_saved(servo: ServoArm, units: Units, json: bool) -> None:
    saved = (servo.saved() / units.angle).tolist()
    if json:
        say_json({"arm": servo.arm.name, "units": units.names["angle"], "saved": saved})
        return
    say(f"{len(saved)} saved [{units.names['angle']}]")
    heads = ("", *(f"q{n}" for n in range(1, servo.arm.dof + 1)))
    say_table(heads, [(number, *q) for number, q in enumerate(saved, 1)])


def _print(answer: dict[str, Any]) -> None:
    heads = (*(f"q{n}" for n in range(1, len(answer["q"]) + 1)), "gripper")
    say(f"{answer['arm']}: {answer['mode']} [{answer['units']}]")
    say_table(heads, [(*answer["q"].tolist(), answer["gripper"])])
    if not answer["switched_on"]:
        say("the servos are limp; the first motion switches them on at their home positions")
    if not answer["limits_on_board"]:
        say("the board has other limits than these settings; the next motion gives it these")
    say(f"{answer['saved']} saved, came to rest: {answer['came_to_rest']}")
