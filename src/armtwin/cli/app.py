"""``armtwin app``: the web page of an arm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.output import say
from armtwin.errors import InputError, MissingDataError

if TYPE_CHECKING:
    from armtwin.app.body import Body
    from armtwin.app.settings import Settings

EXAMPLES = """
armtwin app
armtwin app desktop5 --port 0
armtwin app ur5e --robot 192.168.1.10 --share
armtwin app ur5e --recording run.csv
"""


def command(
    arm: Annotated[
        str, typer.Argument(metavar="[ARM]", help="Catalogue name, or an arm's file.")
    ] = "ur5e",
    robot: Annotated[
        str | None, typer.Option(metavar="HOST", help="Watch and lead a UR controller.")
    ] = None,
    serial: Annotated[
        str | None, typer.Option(metavar="PORT", help="Lead a servo arm on a serial port.")
    ] = None,
    recording: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Play a recording of the arm.")
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes a free port.")
    ] = 8080,
    share: Annotated[
        bool, typer.Option("--share", help="Let other machines in, by a link with a token.")
    ] = False,
    i_mean_it: Annotated[
        bool, typer.Option("--i-mean-it", help="Real hardware may be moved from the page.")
    ] = False,
) -> None:
    """See an arm in the browser, move it and teach it; Ctrl-C stops the arm, then the app.

    Without --robot, --serial or --recording the arm is simulated. Only this machine can open the
    page unless it is shared.
    """
    _require_libraries()
    from armtwin.app.server import listen, serve
    from armtwin.app.session import Session
    from armtwin.app.settings import Settings

    body = _body(arm, robot, serial, recording, i_mean_it)
    settings = Settings(port=port, i_mean_it=i_mean_it)
    if share:
        settings = Settings.shared(port, i_mean_it=i_mean_it)
    with listen(settings) as place:
        number = place.getsockname()[1]
        serve(Session(body), settings, place, lambda: _introduce(body, settings, number))


def _require_libraries() -> None:
    try:
        import nicegui  # noqa: F401
        import segno  # noqa: F401
    except ImportError as error:
        raise MissingDataError(
            f"the app needs {error.name}, which is not installed; pip install 'armtwin[app]'"
        ) from error


def _body(
    arm: str, robot: str | None, serial: str | None, recording: Path | None, i_mean_it: bool
) -> Body:
    """Return what the page shows."""
    from armtwin.model.catalog import load

    if sum(source is not None for source in (robot, serial, recording)) > 1:
        raise InputError("give one of --robot, --serial and --recording: the page shows one arm")
    loaded = load(arm)
    if robot is not None:
        from armtwin.app.ur_robot import UrRobot

        return UrRobot(loaded, robot, i_mean_it=i_mean_it)
    if serial is not None:
        from armtwin.app.servo_body import ServoBody

        return ServoBody(loaded, serial, i_mean_it=i_mean_it)
    if recording is not None:
        from armtwin.app.recording_body import RecordingBody
        from armtwin.record.reading import read_recording

        return RecordingBody(loaded, read_recording(recording, loaded))
    from armtwin.app.simulated import SimulatedArm

    return SimulatedArm(loaded)


def _introduce(body: Body, settings: Settings, port: int) -> None:
    """Say what is shown and where, and what others can do where it is shared."""
    from armtwin.app.sharing import link, qr_code

    address = link(settings, port)
    say(f"{body.title} ({body.kind})")
    say(f"  {address}")
    if settings.token is not None:
        say(qr_code(address))
        moves = "move this arm" if body.can_move else "watch this arm"
        say(f"Shared: everybody in this network who has the link can {moves},")
        say("run programs and jobs, and read what these leave. Nothing is encrypted.")
    say("Ctrl-C stops the arm and ends the app.")
