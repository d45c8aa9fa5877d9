"""The work process's app: front end, kinematics, saved programs, jobs."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator
from typing import Any

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from armtwin.app.api import arms, choices, jobs, saved
from armtwin.app.backend.shown import HEADER, SECRET, show
from armtwin.app.control.session import Session
from armtwin.app.jobs.job_service import job_service
from armtwin.app.server.responses import error_response
from armtwin.app.server.site import add_pages, bare_app

WORK_ROUTERS = (arms, choices, saved, jobs)
"""Modules with ``router(session) -> APIRouter`` that need neither the robot nor its lease."""
ALIVE = "/alive"


def create_backend(session: Session, secret: str, *, pages: bool = True) -> FastAPI:
    """Return the app of the work process.

    Args:
        session: holds what the requests' headers say; it is never started.
        secret: identifies requests of the control process.
        pages: serve the pages, not only what other programs use.
    """

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        await job_service(session).close()

    app = bare_app(lifespan)
    for module in WORK_ROUTERS:
        app.include_router(module.router(session), prefix="/api")
    app.openapi = lambda: _description(session)  # type: ignore[method-assign]
    if pages:
        add_pages(app)
    app.add_middleware(FromControl, session=session, secret=secret)
    return app


def _description(session: Session) -> dict[str, Any]:
    """Return the OpenAPI description of both processes."""
    from armtwin.app.server.app_settings import AppSettings
    from armtwin.app.server.server import create

    def make() -> dict[str, Any]:
        whole = create(Session(session.robot, folder=session.folder), AppSettings(), pages=False)
        return whole.openapi()

    return session.part("openapi", make)


class FromControl:
    """Accepts only requests of the control process, and applies their header."""

    def __init__(self, app: ASGIApp, session: Session, secret: str) -> None:
        self.app, self._session, self._secret = app, session, secret.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request or WebSocket."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if scope["path"] == ALIVE and scope["type"] == "http":
            await Response()(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not secrets.compare_digest(headers.get(SECRET, "").encode(), self._secret):
            if scope["type"] == "http":
                await error_response(403, "this socket is private")(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 4403, "reason": "private"})
            return
        show(self._session, headers[HEADER])
        await self.app(scope, receive, send)
