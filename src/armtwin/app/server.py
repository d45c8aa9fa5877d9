"""The app: REST, WebSocket and pages over one session, in one loop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from armtwin import __version__
from armtwin.app import answers
from armtwin.app.api import arms, jobs, live, motion, programs, stream, teach
from armtwin.app.guard import Guard
from armtwin.app.pages import arm as arm_page
from armtwin.app.pages import check as check_page
from armtwin.app.pages import energy as energy_page
from armtwin.app.pages import fmu as fmu_page
from armtwin.app.pages import identify as identify_page
from armtwin.app.pages import live as live_page
from armtwin.app.pages import start as start_page
from armtwin.app.pages import teach as teach_page
from armtwin.app.session import Session
from armtwin.app.settings import Settings
from armtwin.errors import InputError

ASSETS = Path(__file__).parent / "assets"
ROUTERS = (arms, motion, stream, live, teach, programs, jobs)
"""Modules with ``router(session) -> APIRouter``."""
PAGES = (
    arm_page,
    teach_page,
    live_page,
    check_page,
    identify_page,
    energy_page,
    fmu_page,
    start_page,
)
"""Modules with ``register(session)`` and the words of their entry in the navigation: ``PATH``,
``LABEL`` and ``ICON`` (a Material icon's name)."""
FAREWELL = 1
BACKLOG = 128


def create(session: Session, settings: Settings, *, pages: bool = True) -> FastAPI:
    """Return the app; without ``pages`` only what other programs use."""
    app = FastAPI(
        title="armtwin",
        version=__version__,
        description="Watch and move one robot arm, and ask about others.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_living(session),
    )
    answers.register(app)
    for module in ROUTERS:
        app.include_router(module.router(session), prefix="/api")
    app.mount("/assets", StaticFiles(directory=ASSETS), name="assets")
    if pages:
        _add_pages(app, session)
    app.add_middleware(Guard, settings=settings)
    return app


def _add_pages(app: FastAPI, session: Session) -> None:
    import nicegui
    from nicegui import ui

    three = Path(nicegui.__file__).parent / "elements" / "scene" / "dist"
    app.mount("/three", StaticFiles(directory=three), name="three")
    session.navigation = [(page.PATH, page.LABEL, page.ICON) for page in PAGES]
    for page in PAGES:
        page.register(session)
    ui.run_with(
        app, title="armtwin", dark=None, show_welcome_message=False, binding_refresh_interval=None
    )


def _living(session: Session) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return what starts the session with the app, if nobody has, and ends it with the app."""

    @contextlib.asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        await session.start()
        try:
            yield
        finally:
            await session.close()

    return living


class Server(uvicorn.Server):
    """A server that stops the arm before anything else when it is told to end."""

    def __init__(self, config: uvicorn.Config, session: Session) -> None:
        super().__init__(config)
        self.session = session

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop the arm, then let the server end."""
        loop = asyncio.get_running_loop()
        loop.call_soon_threadsafe(lambda: loop.create_task(self.session.halt()))
        super().handle_exit(sig, frame)


def listen(settings: Settings) -> socket.socket:
    """Return a socket on which clients may already knock.

    Raises:
        InputError: the port is taken or not allowed.
    """
    place = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((settings.host, settings.port))
        place.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        place.close()
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"port {settings.port} on {settings.host} cannot be used: {reason}; "
            "choose another with --port, or --port 0 for a free one"
        ) from error
    return place


def serve(
    session: Session, settings: Settings, place: socket.socket, ready: Callable[[], None]
) -> None:
    """Run the app on a bound socket until Ctrl-C; call ``ready`` once the arm is there.

    Raises:
        ArmTwinError: the arm does not start.
    """
    config = uvicorn.Config(
        create(session, settings),
        log_level="warning",
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=settings.body_limit,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=FAREWELL,
    )
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run(Server(config, session), place, ready))


async def _run(server: Server, place: socket.socket, ready: Callable[[], None]) -> None:
    await server.session.start()
    try:
        ready()
        await server.serve(sockets=[place])
    finally:
        await server.session.close()
