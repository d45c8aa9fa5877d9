"""The app's control process: robot, lease, STOP and stream, in a separate event loop.

Everything else (pages, files, uploads, jobs, kinematics) is served by the work process and only
forwarded here; exports and hints of the taught program are computed by a worker process.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from types import FrameType

import uvicorn
from fastapi import FastAPI

from armtwin.app.api import live, motion, programs, share, stream, teach
from armtwin.app.backend import sent_arm
from armtwin.app.backend.backend import Backend
from armtwin.app.backend.backend_app import WORK_ROUTERS
from armtwin.app.backend.shown import ShownWriter
from armtwin.app.control.message import prepare
from armtwin.app.control.session import Session
from armtwin.app.control.teaching import teaching
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.connections.acceptor import Acceptor
from armtwin.app.server.connections.protocols import (
    OPEN,
    HttpConnection,
    SocketConnection,
    allow_open_files,
    quiet_logs,
)
from armtwin.app.server.forwarding import Forwarder
from armtwin.app.server.gate import Gate
from armtwin.app.server.guard import Guard
from armtwin.app.server.plain_text import protect_terminal
from armtwin.app.server.site import add_pages, bare_app
from armtwin.errors import BusyError, InputError
from armtwin.robots.priority import raise_priority, reset_priority

CONTROL_ROUTERS = (motion, stream, live, teach, programs, share)
"""Modules with ``router(session) -> APIRouter`` that move the robot or change the program."""
FAREWELL = 1
"""Time that open connections have to end when the app ends [s]."""
REST_TIMEOUT = 1.5
"""Longest wait for the robot to rest before connections are closed [s]: a UR confirms a stop within
0.5 s and brakes within 0.8 s from its top speed."""
BACKLOG = 2048
"""Connections that the system keeps until they are accepted; with more, clients must try again."""
SWITCH_INTERVAL = 1e-3
"""Longest wait of the event loop for a thread that computes [s]; Python's own is 5 ms. Threads here
solve inverse kinematics while jogging, save states and search a replayed recording for contacts."""


def create(session: Session, settings: AppSettings, *, pages: bool = True) -> FastAPI:
    """Return the whole app for one process, as tests and other programs embed it.

    Args:
        session: the running app.
        settings: how it is reached.
        pages: serve the pages, not only what other programs use.
    """
    session.parts[share.PART] = settings
    app = bare_app(_living(session))
    for module in (*CONTROL_ROUTERS, *WORK_ROUTERS):
        app.include_router(module.router(session), prefix="/api")
    if pages:
        add_pages(app)
    app.add_middleware(Guard, settings=settings)
    return app


def create_control(session: Session, settings: AppSettings, backend: Backend) -> FastAPI:
    """Return the app of the control process, which forwards what it does not serve itself.

    Args:
        session: the running app.
        settings: address, token and limits.
        backend: the work process.
    """
    session.parts[share.PART] = settings
    session.parts[sent_arm.FOLDER] = backend.folder
    app = bare_app(_living(session), described=False)
    for module in CONTROL_ROUTERS:
        app.include_router(module.router(session), prefix="/api")
    app.mount("/", Forwarder(backend, ShownWriter(session, backend.folder)))
    app.add_middleware(Gate, holds=session.lease.is_held_by)
    app.add_middleware(Guard, settings=settings)
    _prepare(app)
    return app


def _prepare(app: FastAPI) -> None:
    """Let FastAPI build its routes now; the first request would wait half a second for that."""
    scope = {"type": "http", "method": "GET", "path": "/api/none", "headers": [], "root_path": ""}
    for route in app.router.routes:
        route.matches(scope)


def _living(session: Session) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Return the lifespan that starts and closes the session."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await session.start()
        try:
            yield
        finally:
            await session.close()

    return lifespan


class Server(uvicorn.Server):
    """A server that stops the robot before anything else when it gets a signal to end."""

    def __init__(self, config: uvicorn.Config, session: Session) -> None:
        super().__init__(config)
        self.session = session
        self._resting: asyncio.Task[None] | None = None
        self._acceptors: list[Acceptor] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve; an event loop that cannot watch sockets (Windows) accepts by itself."""
        watches = isinstance(asyncio.get_running_loop(), asyncio.SelectorEventLoop)
        await super().startup([] if watches else sockets)
        if watches:
            self._acceptors = [Acceptor(place, self._protocol) for place in sockets or ()]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the connections; accept no more."""
        for acceptor in self._acceptors:
            acceptor.close()
        await super().shutdown(sockets)

    def _protocol(self) -> asyncio.Protocol:
        return HttpConnection(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop the robot, then end the server; a second signal ends it at once.

        The connections stay open until the robot rests, at most ``REST_TIMEOUT``, so that every
        page sees it rest. Requests that are cut off then are no errors, and are not logged.
        """
        quiet_logs()
        if self._resting is not None:
            super().handle_exit(sig, frame)
            return
        loop = asyncio.get_running_loop()
        self._resting = loop.create_task(self._rest_and_exit(sig, frame))
        loop.call_soon_threadsafe(lambda: None)  # wakes a loop that waits for its next event

    async def _rest_and_exit(self, sig: int, frame: FrameType | None) -> None:
        try:
            async with asyncio.timeout(REST_TIMEOUT):
                await self.session.come_to_rest()
        except TimeoutError:
            pass
        finally:
            super().handle_exit(sig, frame)


def listen(settings: AppSettings) -> socket.socket:
    """Return a bound socket that accepts connections already.

    Raises:
        InputError: the port is taken or not allowed.
    """
    # The protocol is named because asyncio sets TCP_NODELAY only where it is; without that a state
    # waits for the acknowledgement of the one before, 40 ms on Linux.
    place = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
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
    session: Session,
    settings: AppSettings,
    place: socket.socket,
    backend: Backend,
    ready: Callable[[], None],
) -> None:
    """Run the app on a bound socket until Ctrl-C.

    Args:
        session: the robot and who may move it.
        settings: how the app is reached.
        place: a bound socket.
        backend: the work process, started.
        ready: called once the robot runs and pages can be opened.

    Raises:
        ArmTwinError: the robot does not start.
    """
    allow_open_files()
    protect_terminal()
    OPEN.spare(session.lease.is_held_by)
    config = uvicorn.Config(
        create_control(session, settings, backend),
        log_level="warning",
        access_log=False,
        http=HttpConnection,
        ws=SocketConnection,
        ws_max_size=settings.body_limit,
        ws_per_message_deflate=False,
        timeout_graceful_shutdown=FAREWELL,
        backlog=BACKLOG,
    )
    # uvicorn raises a signal again once it has ended; SIGTERM would then end this process before
    # the work process and the temporary files are cleared away.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_run(Server(config, session), place, backend, ready))


async def _run(
    server: Server, place: socket.socket, backend: Backend, ready: Callable[[], None]
) -> None:
    await server.session.start()
    tasks = [
        asyncio.create_task(backend.run()),
        asyncio.create_task(_announce(backend, ready)),
    ]
    try:
        prepare(server.session.robot.arm)
        teaching(server.session).keep_drafts(server.session.folder / "drafts")
        teaching(server.session).owners.clear()
        raise_priority()
        sys.setswitchinterval(SWITCH_INTERVAL)
        gc.collect()
        gc.freeze()
        await server.serve(sockets=[place])
    finally:
        for task in tasks:
            task.cancel()
        backend.dismiss()
        await server.session.close()
        await asyncio.gather(*tasks, return_exceptions=True)
        reset_priority()


async def _announce(backend: Backend, ready: Callable[[], None]) -> None:
    """Call ``ready`` once pages can be opened; STOP works before that."""
    with contextlib.suppress(BusyError):
        _, writer = await backend.connect()
        writer.close()
    ready()
