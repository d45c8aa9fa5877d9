"""Checks of every request: host, origin, token, size."""

from __future__ import annotations

import http.cookies
import ipaddress
import secrets
import socket
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.responses import error_response
from armtwin.app.server.token_page import token_page

COOKIE = "armtwin_token"
UPLOADS = ("/api/uploads", "/api/jobs", "/api/recording")
"""Beginnings of the addresses that take files."""
SAFE = ("GET", "HEAD", "OPTIONS")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
}
POLICY = "default-src 'none'; frame-ancestors 'none'"
"""Content security policy of responses that have none of their own."""
MONTH = 30 * 24 * 3600
"""Time for which a browser keeps the token as a cookie [s]."""


class TooLargeError(Exception):
    """A request body beyond its limit."""


class Guard:
    """Passes allowed requests on and answers the others itself."""

    def __init__(self, app: ASGIApp, settings: AppSettings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one connection."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _refuse(refusal, scope, receive, send)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        elif scope["method"] == "HEAD":  # as GET; the server leaves the body out
            await self._pass({**scope, "method": "GET"}, receive, send)
        else:
            await self._pass(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the response to a connection that is not allowed; None if it is."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_own_name(host):
            return error_response(
                403,
                f"this app is not called {host!r}",
                "its own address as the Host",
                "open the address that armtwin app printed",
            )
        if not _is_own_page(scope, headers, host):
            return error_response(
                403,
                "a page of another site may not do this",
                f"Origin http://{host}",
                "open the app's own page, or leave the Origin header out",
            )
        return self._token_refusal(scope, headers)

    def _is_own_name(self, host: str) -> bool:
        """Return whether a Host header names this machine (against DNS rebinding)."""
        try:
            parts = urlsplit(f"//{host}")
            name, _ = parts.hostname or "", parts.port
        except ValueError:
            return False
        if name == "localhost":
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            own = socket.gethostname().lower()
            return self.settings.token is not None and name in (own, f"{own}.local")
        return self.settings.token is not None or address.is_loopback

    def _token_refusal(self, scope: Scope, headers: Headers) -> Response | None:
        token = self.settings.token
        cookie = cookie_name(headers.get("host", ""))
        if token is None or _matches(_shown_token(headers, cookie), token):
            return None
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"))
        given = next((value for key, value in query if key == "token"), None)
        if not _matches(given, token):
            if _is_page(scope, headers):
                return token_page()
            return error_response(
                401,
                "no token, or a wrong one",
                "the token as ?token=..., as a cookie, or as Authorization: Bearer ...",
                "open the link that the app printed when it was started",
            )
        if scope["type"] == "websocket" or scope["method"] not in SAFE:
            return None
        response = _without_token(scope["path"], [(k, v) for k, v in query if k != "token"])
        response.set_cookie(cookie, token, max_age=MONTH, httponly=True, samesite="lax")
        return response

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, limit its body and add headers to its response."""
        takes_files = scope["path"].startswith(UPLOADS)
        limit = self.settings.upload_limit if takes_files else self.settings.body_limit
        too_large = error_response(
            413, "the request is too large", f"at most {limit} bytes", "send a smaller file"
        )
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isdigit() or int(length) > limit:
            await too_large(scope, receive, send)
            return
        read, begun = 0, False

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > limit:
                raise TooLargeError
            return message

        async def dressed(message: Message) -> None:
            nonlocal begun
            if read > limit and not begun:
                raise TooLargeError
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Content-Security-Policy", POLICY)
            await send(message)

        try:
            await self.app(scope, counted, dressed)
        except TooLargeError:
            if not begun:
                await too_large(scope, receive, send)


def _is_own_page(scope: Scope, headers: Headers, host: str) -> bool:
    """Return whether a request that may change or cost something comes from our own page.

    Pages and their files may be opened from anywhere. Requests below ``/api`` can be expensive, so
    that pages of other sites may not send them (an ``<img>`` sends a GET).
    """
    if scope["type"] == "http" and scope["method"] in SAFE and not _is_api(scope["path"]):
        return True
    origin = headers.get("origin")
    if origin is None:
        return headers.get("sec-fetch-site", "none") in ("none", "same-origin")
    return urlsplit(origin).netloc.lower() == host.lower()


def _is_page(scope: Scope, headers: Headers) -> bool:
    """Return whether a person opens a page in a browser."""
    for_page = scope["type"] == "http" and scope["method"] in SAFE and not _is_api(scope["path"])
    return for_page and "text/html" in headers.get("accept", "")


def _is_api(path: str) -> bool:
    return path.startswith("/api/")


def cookie_name(host: str) -> str:
    """Return the name of the token's cookie: cookies are shared by the ports of a machine."""
    return f"{COOKIE}_{urlsplit(f'//{host}').port or 80}"


def _shown_token(headers: Headers, name: str) -> str | None:
    kind, _, value = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return value.strip()
    try:
        cookie = http.cookies.SimpleCookie(headers.get("cookie", "")).get(name)
    except http.cookies.CookieError:
        return None
    return None if cookie is None else cookie.value


def _matches(given: str | None, token: str) -> bool:
    return given is not None and secrets.compare_digest(given.encode(), token.encode())


def _without_token(path: str, query: list[tuple[str, str]]) -> Response:
    """Return a redirect to the same page without the token in its address."""
    local = "/" + path.lstrip("/\\")
    address = local + ("?" + urlencode(query) if query else "")
    return Response(status_code=303, headers={"Location": address})


async def _refuse(refusal: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        refusal.headers.update(HEADERS)
        refusal.headers.setdefault("Content-Security-Policy", POLICY)
        await refusal(scope, receive, send)
        return
    await receive()
    await send({"type": "websocket.close", "code": 4403, "reason": "not allowed"})
