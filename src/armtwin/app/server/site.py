"""The app's OpenAPI description, assets and pages."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from armtwin import __version__
from armtwin.app.control.session import Session
from armtwin.app.server import answers

ASSETS = Path(__file__).parents[1] / "assets"


def bare_app(
    lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]], *, described: bool = True
) -> FastAPI:
    """Return an app that serves only its description (OpenAPI), if ``described``, and errors."""
    app = FastAPI(
        title="armtwin",
        version=__version__,
        description="Monitor and move one robot arm; kinematics of others.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json" if described else None,
        lifespan=lifespan,
    )
    answers.register(app)
    return app


def add_assets(app: FastAPI) -> None:
    """Serve scripts and styles."""
    app.mount("/assets", StaticFiles(directory=ASSETS), name="assets")


def add_pages(app: FastAPI, session: Session) -> None:
    """Serve the pages; this imports NiceGUI."""
    import nicegui
    from nicegui import ui

    from armtwin.app.pages.views import PAGES

    three = Path(nicegui.__file__).parent / "elements" / "scene" / "dist"
    app.mount("/three", StaticFiles(directory=three), name="three")
    session.navigation = [(page.path, page.label, page.icon) for page in PAGES]
    for page in PAGES:
        page.register(session)
    ui.run_with(
        app, title="armtwin", dark=None, show_welcome_message=False, binding_refresh_interval=None
    )
