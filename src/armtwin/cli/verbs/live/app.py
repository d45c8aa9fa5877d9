"""``armtwin app``: the web app of a robot."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.output import say

if TYPE_CHECKING:
    from armtwin.app.server.app_settings import AppSettings
    from armtwin.robots.robot import Robot

EXAMPLES = """
armtwin app
armtwin app desktop5 --port 0
armtwin app ur5e --robot 192.168.1.10 --share
armtwin app ur5e --recording run.csv
armtwin app --serial /dev/ttyACM0 --i-mean-it
"""


def command(
    arm: Annotated[
        str | None,
        typer.Argument(
            metavar="[ARM]", help="Catalogue name, or FILE, or FILE#tip=LINK,base=LINK."
        ),
    ] = None,
    robot: Annotated[
        str | None, typer.Option(metavar="HOST", help="Watch and move a UR controller.")
    ] = None,
    serial: Annotated[
        str | None, typer.Option(metavar="PORT", help="Move a servo arm on a serial port.")
    ] = None,
    servo_settings: Annotated[
        Path | None, typer.Option(metavar="FILE", help="TOML file with the [servo] table.")
    ] = None,
    recording: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Replay a recording of the arm.")
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8080,
    share: Annotated[
        bool, typer.Option("--share", help="Allow other machines, by a link with a token.")
    ] = False,
    i_mean_it: Annotated[
        bool, typer.Option("--i-mean-it", help="Real hardware may be moved from the page.")
    ] = False,
) -> None:
    """See an arm in the browser, move it and teach it; Ctrl-C stops the arm, then the app.

    Without --robot, --serial or --recording the arm is simulated, a ur5e unless another is named.
    Real hardware is only watched unless --i-mean-it is given. Only this machine can open the page
    unless it is shared.
    """
    _require_libraries()
    from armtwin.app.backend.backend import Backend
    from armtwin.app.server.app_settings import AppSettings
    from armtwin.files import data_folder

    settings = AppSettings(port=port, i_mean_it=i_mean_it)
    if share:
        settings = AppSettings.shared(port, i_mean_it=i_mean_it)
    with Backend(data_folder()) as backend:
        from armtwin.app.control.choose_robot import choose_robot
        from armtwin.app.control.session import Session
        from armtwin.app.server.server import listen, serve

        shown = choose_robot(
            arm,
            robot=robot,
            serial=serial,
            servo_settings=servo_settings,
            recording=recording,
            i_mean_it=i_mean_it,
        )
        with listen(settings) as place:
            number = place.getsockname()[1]
            ready = functools.partial(_introduce, shown, settings, number)
            serve(Session(shown), settings, place, backend, ready)


def _require_libraries() -> None:
    from armtwin.extras import EXTRAS, require

    require("the app", *EXTRAS["app"])


def _introduce(robot: Robot, settings: AppSettings, port: int) -> None:
    """Print robot and address and, if shared, what others can do."""
    from armtwin.app.server.app_settings import link, qr_code

    address = link(settings, port)
    say(f"{robot.title} ({robot.kind})")
    say(f"  {address}")
    if settings.token is not None:
        say(qr_code(address))
        moves = "move this arm" if robot.can_move else "watch this arm"
        say(f"Shared: everyone in this network who has the link can {moves},")
        say("run programs and jobs, and read what these leave. Nothing is encrypted.")
    say("Ctrl-C stops the arm and ends the app.")
    sys.stdout.flush()
