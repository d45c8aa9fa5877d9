"""Reverse proxy from the control process to the work process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from armtwin.app.backend.backend import Backend
from armtwin.app.backend.shown import HEADER, SECRET, ShownWriter
from armtwin.app.server.responses import error_response
from armtwin.errors import BusyError

BLOCK = 65_536
"""Largest part of a body that is read and sent at once [bytes]: asyncio's own limit of a stream."""
MAX_REQUESTS, MAX_SOCKETS = 128, 128
"""Requests and sockets that are forwarded at the same time."""
MAX_BODIES = 64
"""Of these, requests with a body: unfinished ones leave room for pages."""
BODY_PATIENCE = 20.0
"""Longest wait for the next part of a body [s]."""
HOP_BY_HOP = {
    b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"te", b"trailer",
    b"transfer-encoding", b"upgrade", b"expect",
}  # fmt: skip
"""Headers that belong to one connection (RFC 9110, 7.6.1); ``expect`` is answered here."""
OWN_ANSWER = HOP_BY_HOP | {b"date", b"server"}
"""Headers of the work process's responses that are not forwarded; the server adds its own."""
HANDSHAKE = {b"sec-websocket-key", b"sec-websocket-version", b"sec-websocket-extensions",
             b"sec-websocket-protocol", b"host"}  # fmt: skip
TRY_LATER = 1013
"""Code that closes a WebSocket (IANA's registry of RFC 6455): the client may connect again."""


class Forwarder:
    """An ASGI app that forwards requests and WebSockets."""

    def __init__(self, backend: Backend, shown: ShownWriter) -> None:
        self._backend, self._shown = backend, shown
        self._requests = self._bodies = self._sockets = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward one request or WebSocket."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = scope["method"] not in ("GET", "HEAD")
        if self._requests >= MAX_REQUESTS or (body and self._bodies >= MAX_BODIES):
            await _too_many()(scope, receive, send)
            return
        self._requests += 1
        self._bodies += body
        try:
            reader, writer = await self._backend.connect()
            try:
                await self._exchange(scope, receive, send, reader, writer)
            finally:
                writer.close()
        except BusyError as error:
            await error_response(503, str(error))(scope, receive, send)
        finally:
            self._requests -= 1
            self._bodies -= body

    async def _exchange(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Forward a request and its response; a client that disconnects ends both."""
        begun = False

        async def backward() -> None:
            nonlocal begun
            status, headers = await _answer_head(reader)
            begun = True
            kept = [pair for pair in headers if pair[0] not in OWN_ANSWER]
            await send({"type": "http.response.start", "status": status, "headers": kept})
            async for part in _answer_body(reader, scope["method"], status, headers):
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})

        sending = asyncio.create_task(self._send_on(scope, receive, writer))
        answering = asyncio.create_task(backward())
        try:
            await asyncio.wait((sending, answering), return_when=asyncio.FIRST_COMPLETED)
            fault = None if answering.done() else sending.exception()
            if isinstance(fault, TimeoutError):
                await _too_slow()(scope, receive, send)
                return
            if not answering.done() and fault is None:
                return
            await answering
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):
            if not begun:
                await _broken()(scope, receive, send)
        finally:
            for task in (sending, answering):
                task.cancel()
            await asyncio.gather(sending, answering, return_exceptions=True)

    async def _send_on(self, scope: Scope, receive: Receive, writer: asyncio.StreamWriter) -> None:
        """Forward head and body, then return when the client disconnects."""
        headers = [(k, v) for k, v in scope["headers"] if k not in HOP_BY_HOP]
        sized = any(name == b"content-length" for name, _ in headers)
        chunked = any(name == b"transfer-encoding" for name, _ in scope["headers"])
        writer.write(self._head(scope, headers, chunked=chunked and not sized))
        more = True
        while more:
            async with asyncio.timeout(BODY_PATIENCE):
                message = await receive()
            if message["type"] == "http.disconnect":
                return
            body, more = message.get("body", b""), message.get("more_body", False)
            if body:
                writer.write(b"%x\r\n%b\r\n" % (len(body), body) if chunked else body)
            await writer.drain()
        if chunked:
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        while (await receive())["type"] != "http.disconnect":
            pass

    def _head(self, scope: Scope, headers: list[tuple[bytes, bytes]], *, chunked: bool) -> bytes:
        lines = [b"%b %b HTTP/1.1" % (scope["method"].encode(), _target(scope))]
        lines += [b"%b: %b" % header for header in headers if header[0] not in _OWN]
        lines += [b"%b: %b" % header for header in self._own_headers()]
        lines += [b"connection: close"] + [b"transfer-encoding: chunked"] * chunked
        return b"\r\n".join([*lines, b"", b""])

    def _own_headers(self) -> list[tuple[bytes, bytes]]:
        shown = self._shown.header().encode("ascii")
        return [(SECRET.encode(), self._backend.secret.encode()), (HEADER.encode(), shown)]

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        if self._sockets >= MAX_SOCKETS:
            await send({"type": "websocket.close", "code": TRY_LATER, "reason": "too many"})
            return
        self._sockets += 1
        try:
            async with await self._opened(scope) as far:
                await send({"type": "websocket.accept", "subprotocol": far.subprotocol})
                await _pumped(far, receive, send)
        except (OSError, WebSocketException, BusyError):
            with contextlib.suppress(RuntimeError):
                await send({"type": "websocket.close", "code": TRY_LATER, "reason": "try later"})
        finally:
            self._sockets -= 1

    async def _opened(self, scope: Scope) -> connect:
        _, writer = await self._backend.connect()
        writer.close()
        host = dict(scope["headers"]).get(b"host", b"127.0.0.1").decode("latin-1")
        skipped = HOP_BY_HOP | HANDSHAKE | _OWN
        headers = [(k, v) for k, v in scope["headers"] if k not in skipped] + self._own_headers()
        return connect(
            f"ws://{host}{_target(scope).decode('latin-1')}",
            additional_headers=[(k.decode("latin-1"), v.decode("latin-1")) for k, v in headers],
            subprotocols=list(scope.get("subprotocols", [])) or None,
            user_agent_header=None,
            compression=None,
            proxy=None,
            ping_interval=None,
            **self._backend.place,
        )


_OWN = {HEADER.encode(), SECRET.encode()}


def _target(scope: Scope) -> bytes:
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    query: bytes = scope.get("query_string", b"")
    return path + b"?" + query if query else path


async def _answer_head(reader: asyncio.StreamReader) -> tuple[int, list[tuple[bytes, bytes]]]:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head[:-4].split(b"\r\n")
    pairs = [line.partition(b":") for line in lines]
    return int(first.split(b" ", 2)[1]), [(k.strip().lower(), v.strip()) for k, _, v in pairs]


async def _answer_body(
    reader: asyncio.StreamReader, method: str, status: int, headers: list[tuple[bytes, bytes]]
) -> AsyncIterator[bytes]:
    """Yield the parts of a response's body."""
    known = dict(headers)
    if method == "HEAD" or status in (204, 304):
        return
    if known.get(b"transfer-encoding") == b"chunked":
        while size := int((await reader.readuntil(b"\r\n"))[:-2], 16):
            async for part in _exactly(reader, size):
                yield part
            await reader.readexactly(2)
    elif b"content-length" in known:
        async for part in _exactly(reader, int(known[b"content-length"])):
            yield part
    else:
        while part := await reader.read(BLOCK):
            yield part


async def _exactly(reader: asyncio.StreamReader, size: int) -> AsyncIterator[bytes]:
    while size:
        part = await reader.read(min(size, BLOCK))
        if not part:
            raise EOFError("the answer was cut")
        size -= len(part)
        yield part


async def _pumped(far: ClientConnection, receive: Receive, send: Send) -> None:
    """Forward messages in both directions until one side ends."""

    async def onward() -> None:
        while (message := await receive())["type"] == "websocket.receive":
            text = message.get("text")
            await far.send(message.get("bytes", b"") if text is None else text)

    async def backward() -> None:
        async for data in far:
            key = "text" if isinstance(data, str) else "bytes"
            await send({"type": "websocket.send", key: data})
        await send({"type": "websocket.close", "code": far.close_code or 1000, "reason": ""})

    tasks = [asyncio.create_task(onward()), asyncio.create_task(backward())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        results: list[Any] = await asyncio.gather(*tasks, return_exceptions=True)
        expected = (asyncio.CancelledError, ConnectionClosed, OSError, RuntimeError)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, expected):
                raise result


def _too_many() -> Any:
    return error_response(
        503,
        f"more than {MAX_REQUESTS} requests, or {MAX_BODIES} with a body, at the same time",
        hint="try again in a moment",
    )


def _too_slow() -> Any:
    return error_response(408, f"no part of the body came for {BODY_PATIENCE:g} s")


def _broken() -> Any:
    return error_response(
        503,
        "the process that serves pages, files and jobs ended while it worked on this",
        hint="it is started again; try again in a few seconds (STOP and motion work meanwhile)",
    )
