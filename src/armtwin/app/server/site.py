"""The app's OpenAPI description and its front end."""

from __future__ import annotations

import gzip
import mimetypes
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from armtwin import __version__
from armtwin.app.server import responses
from armtwin.viewer.bundle import bundle_folder

VIEWS = (
    "/", "/live", "/load", "/start", "/teach", "/recordings", "/check", "/identify", "/energy",
    "/fmu",
)  # fmt: skip
"""Addresses of the front end's views (``web/src/app/routes.svelte.ts``); others get 404."""
PAGE, STATIC = "app.html", "static"
PAGE_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' blob:",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
"""Content security policy of the pages: their own files only, no inline scripts or styles."""
MIN_COMPRESSED = 1024
"""Smaller files are sent as they are [bytes]: they fit into one packet anyway."""
FOREVER = "public, max-age=31536000, immutable"
"""Names of the front end's files hold a hash of their content."""


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
    responses.register(app)
    return app


@dataclass(frozen=True)
class BundleFile:
    """A file of the front end in memory, plain and compressed."""

    data: bytes
    compressed: bytes | None
    kind: str

    @classmethod
    def read(cls, path: Path) -> BundleFile:
        """Return a file's content."""
        data = path.read_bytes()
        small = gzip.compress(data, 9, mtime=0) if len(data) >= MIN_COMPRESSED else None
        return cls(data, small, mimetypes.guess_type(path.name)[0] or "application/octet-stream")

    def response(self, request: Request, headers: dict[str, str], status: int = 200) -> Response:
        """Return the file as a response, compressed where the client takes that.

        Args:
            request: the request for the file.
            headers: of the response.
            status: HTTP status.
        """
        takes = "gzip" in request.headers.get("accept-encoding", "")
        head = {**headers, "Vary": "Accept-Encoding"}
        if takes and self.compressed is not None:
            head["Content-Encoding"] = "gzip"
            return Response(self.compressed, status, head, self.kind)
        return Response(self.data, status, head, self.kind)


def add_pages(app: FastAPI) -> None:
    """Serve the front end: its page at the address of every view, and its files.

    Any other address below ``/api`` or ``/static`` is answered with JSON, the rest with the page
    and status 404: it has STOP and the way home.

    Raises:
        NotBuiltError: the front end has not been built.
    """
    folder = bundle_folder("app")
    files = {
        path.relative_to(folder).as_posix(): BundleFile.read(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    page = files.pop(PAGE)

    @app.get("/{path:path}", include_in_schema=False)
    async def serve(path: str, request: Request) -> Response:
        part, _, name = path.partition("/")
        if part == STATIC and name in files:
            return files[name].response(request, {"Cache-Control": FOREVER})
        if part in (STATIC, "api"):
            raise HTTPException(404, "no such address")
        status = 200 if f"/{path}" in VIEWS else 404
        head = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
        return page.response(request, head, status)
