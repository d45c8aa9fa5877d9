"""``armtwin robot``: a virtual UR controller on this machine."""

from __future__ import annotations

import asyncio
import math
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.options import ArmName
from armtwin.cli.output import say, takes_lines
from armtwin.cli.screen import Screen
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController
    from armtwin.robots.ur_controller.station import Station
    from armtwin.robots.ur_controller.virtual_robot import VirtualRobot

EXAMPLES = """
armtwin robot ur5e
armtwin robot ur5e --host 127.0.0.2,127.0.0.3 --wander
armtwin robot ur5e --programs examples/urscript
armtwin robot ur5e-energy --body dynamic --wander --push 2,40,5,0.3
"""

MAX_LINES = 10
"""Messages that are printed at once, between two control cycles; each takes some 20 us."""
LONGEST_LINE = 3000
"""Characters of a message that are printed: a pipe that is writable takes 4,096 bytes at once."""

ProgramsOption = Annotated[
    Path | None,
    typer.Option(help="Folder of programs (.script, .urp) and installations; for reports too."),
]
LocalOption = Annotated[
    bool, typer.Option("--local", help="Report that the robot is not in remote control.")
]
RestPortOption = Annotated[
    int | None, typer.Option(help="Port of the REST service (PolyScope X); 80, else 8080.")
]
ExternalControlOption = Annotated[
    str, typer.Option(help="HOST:PORT that gives programs with External Control their script.")
]

WANDER = (
    (0.0, -1.57, 1.57, -1.57, -1.57, 0.0),
    (0.8, -1.2, 1.4, -1.8, -1.4, 0.4),
    (-0.6, -1.4, 1.8, -1.9, -1.7, -0.5),
)
"""Postures of ``--wander`` [rad], of six-joint UR arms."""


def command(
    arm: ArmName = "ur5e",
    host: Annotated[
        str, typer.Option(help="Loopback address, or several with commas: a robot on each.")
    ] = "127.0.0.2",
    body: Annotated[
        str, typer.Option(help="kinematic, or dynamic: mass, friction and contact (MuJoCo).")
    ] = "kinematic",
    realtime: Annotated[
        bool, typer.Option("--realtime/--fast", help="Run in real time, or as fast as possible.")
    ] = True,
    version: Annotated[
        str, typer.Option(help="Controller version reported to clients.")
    ] = "5.25.0",
    programs: ProgramsOption = None,
    local: LocalOption = False,
    rest_port: RestPortOption = None,
    external_control: ExternalControlOption = "127.0.0.1:50002",
    noise: Annotated[bool, typer.Option("--noise", help="Noisy position and speed sensors.")] = (
        False
    ),
    wander: Annotated[
        bool, typer.Option("--wander", help="Move between postures until another program is sent.")
    ] = (False),
    push: Annotated[
        list[str] | None,
        typer.Option(help="Push: joint,torque [Nm],at [s],seconds; may be given again."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, help="Duration [s]; until Ctrl-C if not given.")
    ] = None,
    until_eof: Annotated[
        bool, typer.Option("--until-eof", help="End when standard input is closed.")
    ] = False,
    expose: Annotated[
        bool, typer.Option("--expose", help="Allow an address that other machines can reach.")
    ] = False,
) -> None:
    """Run a virtual UR controller: RTDE, dashboard and script ports for unmodified clients."""
    from armtwin.robots.priority import control_priority, short_collections
    from armtwin.robots.robot_process import stop_at_eof
    from armtwin.robots.ur_controller.build import VirtualRobotOptions, virtual_robot
    from armtwin.robots.ur_controller.ports.event_loop import run_robots
    from armtwin.robots.ur_controller.station import Station
    from armtwin.simulation.sensors import Sensors

    pushes = [_push(text) for text in push or ()]
    options = VirtualRobotOptions(
        body, version, sensors=Sensors() if noise else None, exposed=expose,
        programs=programs, remote_control=not local, rest_port=rest_port,
        external_control=external_control,
    )  # fmt: skip
    addresses = host.replace(",", " ").split()
    robots = [virtual_robot(arm, address, options=options) for address in addresses]
    _prepare(robots, pushes, seconds, wander)
    station = Station(robots, realtime=realtime)
    if until_eof:
        threading.Thread(target=stop_at_eof, args=(station,), daemon=True).start()
    with control_priority(), short_collections():
        run_robots(_serve(station, pushes, seconds))


def _prepare(
    robots: list[VirtualRobot],
    pushes: list[tuple[int, float, float, float]],
    seconds: float | None,
    wander: bool,
) -> None:
    """Check the arguments, then move the robots at random."""
    for robot in robots:
        _check_pushes(pushes, robot.controller, seconds)
    for robot in robots:
        if wander:
            _wander(robot.controller)


def _push(text: str) -> tuple[int, float, float, float]:
    try:
        joint, torque, at, lasting = text.split(",")
        return int(joint), float(torque), float(at), float(lasting)
    except ValueError as error:
        raise InputError(
            f"--push {text!r}: write joint,torque,at,seconds as in 2,40,5,0.3"
        ) from error


def _check_pushes(
    pushes: list[tuple[int, float, float, float]],
    controller: VirtualController,
    seconds: float | None,
) -> None:
    """Raise InputError if a push cannot be exerted, or not before the robot ends."""
    from armtwin.robots.ur_controller.external_push import check_push

    for joint, torque, at, lasting in pushes:
        text = f"--push {joint},{torque:g},{at:g},{lasting:g}"
        try:
            check_push(controller, joint, torque, lasting)
        except InputError as error:
            raise InputError(f"{text}: {error}") from error
        if not 0 <= at < math.inf:
            raise InputError(f"{text}: it comes 0 s or more after the start, got {at:g}")
        if seconds is not None and at >= seconds:
            raise InputError(f"{text}: the robot ends before, after {seconds:g} s (--seconds)")


def _introduce(robot: VirtualRobot) -> None:
    controller = robot.controller
    version = ".".join(map(str, controller.version[:3]))
    say(f"{controller.arm.name} on {robot.host}: controller {version}, {1 / controller.dt:g} Hz")
    control = "dashboard 29999" if controller.version[0] < 10 else f"REST {robot.rest_port or 80}"
    say(f"  RTDE 30004, {control}, interpreter 30020")
    say("  states and scripts 30001 30002 30003, states only 30011 30012 30013")
    if not controller.electrics.known:
        say("  currents are 0: the arm file has no torque constants (ur5e-energy has them)")


def _wander(controller: VirtualController) -> None:
    """Play a program that moves between a few postures."""
    from armtwin.robots.ur_controller.script_programs import run_script

    moves = "".join(f"    movej({list(q)}, a=1.2, v=0.8)\n" for q in WANDER)
    run_script(controller, f"def wander():\n  while True:\n{moves}  end\nend\n")


async def _serve(
    station: Station, pushes: list[tuple[int, float, float, float]], seconds: float | None
) -> None:
    """Run until Ctrl-C; the arms come to rest before their ports close."""
    from armtwin.robots.ur_controller.fault_injection import Faults

    def introduce() -> None:
        for robot in station.robots:
            _introduce(robot)

    loop, work = asyncio.get_running_loop(), asyncio.create_task(station.run(introduce))
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, station.stop)
    for joint, torque, at, lasting in pushes:
        for robot in station.robots:
            loop.call_later(at, Faults(robot).push, joint, torque, lasting)
    if seconds is not None:
        loop.call_later(seconds, station.stop)
    with Screen() as screen:
        while not work.done():
            if screen.due and takes_lines(sys.stderr):
                screen.show(_picture(station))
            if all(robot.off for robot in station.robots):
                station.stop()
            waiting = _print_log(station, MAX_LINES)
            await asyncio.wait([work], timeout=0.02 if waiting else 0.2)
    _print_log(station)
    await work
    if station.realtime and takes_lines(sys.stdout):
        say(f"ended: {station.pace}")


def _print_log(station: Station, most: int | None = None) -> bool:
    """Print new messages; return whether more of them can be printed.

    Messages are delayed, never the robots: while the output is not read, and after so many at once.

    Args:
        station: the robots.
        most: lines that are printed; all if None.
    """
    for robot in station.robots:
        while robot.controller.log and takes_lines(sys.stdout):
            if most == 0:
                return True
            text = robot.controller.log.popleft()
            say(f"{robot.host}: {text.message[:LONGEST_LINE]}")
            sys.stdout.flush()
            most = None if most is None else most - 1
    return False


def _picture(station: Station) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in ("robot", "state", "clients", "s", "pace", "late", "q rad"):
        table.add_column(Text(head), no_wrap=True)
    for robot in station.robots:
        controller = robot.controller
        modes = controller.modes
        q = " ".join(f"{value:5.2f}" for value in controller.body.q)
        state = modes.runtime.name if modes.may_move else modes.safety.name
        clients = str(len(robot.rtde.sessions))
        pace = f"{100 * station.pace.share:.1f} %"
        clock, late = f"{controller.clock:.1f}", str(station.pace.late)
        table.add_row(robot.host, state, clients, clock, pace, late, q)
    return table
