"""``armtwin replay``: a recording served as a robot."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.output import say
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.recording_server import ReplayController
    from armtwin.robots.ur_controller.station import Station

EXAMPLES = """
armtwin replay run.parquet --as-robot
armtwin replay run.csv --as-robot --arm ur5e --host 127.0.0.3 --loop
"""


def command(
    recording: Annotated[Path, typer.Argument(metavar="RECORDING", help="Any recording with q.")],
    as_robot: Annotated[
        bool, typer.Option("--as-robot", help="Serve it over the ports of a UR controller.")
    ] = False,
    arm: Annotated[
        str | None, typer.Option(help="The arm; the one that the recording names if not given.")
    ] = None,
    host: Annotated[str, typer.Option(help="Loopback address to listen on.")] = "127.0.0.2",
    loop: Annotated[bool, typer.Option("--loop", help="Start again at the end.")] = False,
    realtime: Annotated[
        bool, typer.Option("--realtime/--fast", help="Run in real time, or as fast as possible.")
    ] = True,
    version: Annotated[
        str, typer.Option(help="Controller version reported to clients.")
    ] = "5.25.0",
    expose: Annotated[
        bool, typer.Option("--expose", help="Allow an address that other machines can reach.")
    ] = False,
) -> None:
    """Serve a recording as a robot, so that any UR client can be tried on real data."""
    from armtwin.model.catalogue.catalogue import load
    from armtwin.recording.read import read_recording
    from armtwin.robots.ur_controller.build import FAST, SLOW, parse_version
    from armtwin.robots.ur_controller.ports.event_loop import run_robots
    from armtwin.robots.ur_controller.recording_server import ReplayController
    from armtwin.robots.ur_controller.station import Station
    from armtwin.robots.ur_controller.virtual_robot import VirtualRobot

    if not as_robot:
        raise InputError("replay has one mode so far: add --as-robot to serve the recording")
    run = read_recording(recording, arm=arm)
    name = arm or run.arm
    if name is None:
        raise InputError(f"{recording.name} does not name its arm; give it with --arm ur5e")
    number = parse_version(version)
    dt = SLOW if number[0] <= 3 else FAST
    controller = ReplayController(load(name), run, version=number, dt=dt, again=loop)
    robot = VirtualRobot(controller, host, exposed=expose)
    say(f"{run!r}")
    say(f"served as {name} on {host}: RTDE 30004, dashboard 29999; fields {controller.served}")
    run_robots(_serve(Station([robot], realtime=realtime), controller))


async def _serve(station: Station, controller: ReplayController) -> None:
    """Run until the recording has ended, or Ctrl-C."""
    loop, work = asyncio.get_running_loop(), asyncio.create_task(station.run())
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, station.stop)
    while not work.done():
        if controller.finished:
            station.stop()
        await asyncio.wait([work], timeout=0.1)
    await work
