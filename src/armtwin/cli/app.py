"""``armtwin app``: the web page of an arm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.output import say
from armtwin.errors import MissingDataError

if TYPE_CHECKING:
    from armtwin.app.body import Body
    from armtwin.app.settings import Settings

EXAMPLES = """
armtwin app
armtwin app desktop5
armtwin app ur5e --share --port 8080
"""


def command(
    arm: Annotated[
        str, typer.Argument(metavar="[ARM]", help="Catalogue name, or an arm's file.")
    ] = "ur5e",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = 8080,
    share: Annotated[
        bool, typer.Option("--share", help="Let other machines in, by a link with a token.")
    ] = False,
    i_mean_it: Annotated[
        bool, typer.Option("--i-mean-it", help="Allow real hardware to move.")
    ] = False,
) -> None:
    """See an arm in the browser and move it; Ctrl-C stops the arm, then the app."""
    try:
        import nicegui  # noqa: F401
    except ImportError as error:
        raise MissingDataError(
            "the app needs nicegui, which is not installed; pip install 'armtwin[app]'"
        ) from error
    from armtwin.app.server import listen, serve
    from armtwin.app.session import Session
    from armtwin.app.settings import Settings

    body = _body(arm)
    settings = (
        Settings.shared(port, i_mean_it=i_mean_it)
        if share
        else Settings(port=port, i_mean_it=i_mean_it)
    )
    with listen(settings) as place:
        _introduce(body, settings, place.getsockname()[1])
        serve(Session(body), settings, place)


def _body(arm: str) -> Body:
    from armtwin.app.simulated import SimulatedArm
    from armtwin.model.catalog import load

    return SimulatedArm(load(arm))


def _introduce(body: Body, settings: Settings, port: int) -> None:
    """Say what is shown and where, and what others can do where it is shared."""
    say(f"{body.title} ({body.kind})")
    if settings.token is None:
        say(f"  http://127.0.0.1:{port}")
