"""Rate limits of one address: STOP always passes, other requests wait or are refused.

Without it many moderate clients would fill the control process's event loop.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from armtwin.app.server.responses import error_response
from armtwin.app.server.token_bucket import TokenBucket

NEVER_DELAYED = ("/api/stop", "/api/teach/stop")
"""Paths that stop the robot; they cost no token and never wait."""
REQUESTS, REQUEST_BURST = 150.0, 600.0
"""Requests a second that one address may send; a page takes about 40 at once when it opens."""
SOCKETS, SOCKET_BURST = 20.0, 80.0
"""WebSockets a second that one address may open."""
BYTES_PER_TOKEN = 16_384
"""A larger body costs tokens of its own, since it takes longer to parse. Small requests, such as a
heartbeat of the client in control, do not wait for the bodies of others."""
CHUNKED = 64.0
"""Tokens of a body of unknown length: that of the largest one that is parsed here, 1 MB."""
LONGEST_WAIT = 5.0
"""A request that would have to wait longer is refused [s]."""
MAX_ADDRESSES = 1000
"""Addresses whose rates are kept, oldest dropped first: bounds memory under forged addresses."""


class Gate:
    """Delays what an address sends beyond its budget.

    Args:
        app: the app behind it.
        holds: returns whether a client id has control; its WebSocket never waits.
    """

    def __init__(self, app: ASGIApp, holds: Callable[[str], bool]) -> None:
        self.app = app
        self._holds = holds
        self._budgets: OrderedDict[tuple[str, str], TokenBucket] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request or socket on, now or later, or refuse it."""
        wait = self._wait(scope)
        if wait is None:
            await _refuse(scope, receive, send)
            return
        if wait > 0:
            await asyncio.sleep(wait)
        await self.app(scope, receive, send)

    def _wait(self, scope: Scope) -> float | None:
        kind = scope["type"]
        if kind == "http":
            if scope["path"] in NEVER_DELAYED:
                return 0.0
            budget = self._budget(scope, kind, REQUESTS, REQUEST_BURST)
            wait, cost = budget.take_on_credit(1.0, LONGEST_WAIT), _body_cost(scope)
            if wait is None or cost < 1.0:
                return wait
            bodies = self._budget(scope, "body", REQUESTS, REQUEST_BURST)
            more = bodies.take_on_credit(min(cost, REQUEST_BURST), LONGEST_WAIT)
            return None if more is None else max(wait, more)
        if kind == "websocket" and not self._is_holder(scope):
            return self._budget(scope, kind, SOCKETS, SOCKET_BURST).take_on_credit(
                1.0, LONGEST_WAIT
            )
        return 0.0

    def _is_holder(self, scope: Scope) -> bool:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        return self._holds(query.get("client", [""])[0])

    def _budget(self, scope: Scope, kind: str, rate: float, burst: float) -> TokenBucket:
        key = ((scope.get("client") or ("",))[0], kind)
        if key not in self._budgets:
            self._budgets[key] = TokenBucket(rate, burst)
            if len(self._budgets) > MAX_ADDRESSES:
                self._budgets.popitem(last=False)
        self._budgets.move_to_end(key)
        return self._budgets[key]


def _body_cost(scope: Scope) -> float:
    headers = Headers(scope=scope)
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers:
        return CHUNKED
    return int(length) / BYTES_PER_TOKEN if length.isdigit() else 0.0


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1013, "reason": "too many connections"})
        return
    refusal = error_response(
        429,
        "too many requests from this address",
        f"at most {REQUESTS:g} a second",
        "send fewer; POST /api/stop is never refused",
    )
    await refusal(scope, receive, send)
