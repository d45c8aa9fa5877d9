"""A port that speaks HTTP, for the REST service of PolyScope X."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from typing import Any

import h11

from armtwin.errors import InputError
from armtwin.robots.ur_controller.ports.intake import Intake, Step
from armtwin.robots.ur_controller.ports.text_port import TextPort

LARGEST_BODY = 4 << 20
"""Longest body of a request [B]; PolyScope X programs have some 100 kB."""


@dataclass
class HttpRequest:
    """A request of a client.

    Attributes:
        method: such as GET.
        path: without the query.
        content_type: of the body; empty if there is none.
        body: the body.
    """

    method: str
    path: str
    content_type: str = ""
    body: bytearray = field(default_factory=bytearray)

    def json(self) -> dict[str, Any]:
        """Return the body as a JSON object.

        Raises:
            InputError: it is none.
        """
        try:
            value = json.loads(self.body or b"{}")
        except (ValueError, RecursionError) as error:
            raise InputError(f"the body is no JSON: {error}") from error
        if not isinstance(value, dict):
            raise InputError("the body is no JSON object")
        return value

    def file(self) -> bytes:
        """Return the part ``file`` of a multipart form.

        Raises:
            InputError: there is none.
        """
        head = f"Content-Type: {self.content_type}\r\n\r\n".encode()
        message = message_from_bytes(head + bytes(self.body), policy=policy.HTTP)
        for part in message.iter_parts() if message.is_multipart() else ():
            if part.get_param("name", header="content-disposition") == "file":
                payload = part.get_payload(decode=True)
                return payload if isinstance(payload, bytes) else b""
        raise InputError("the body is no multipart form with a part named 'file'")


@dataclass(frozen=True)
class HttpResponse:
    """The answer to a request.

    Attributes:
        status: such as 200.
        body: the body.
        content_type: of the body.
    """

    status: int
    body: bytes
    content_type: str = "application/json"


class HttpPort(TextPort):
    """A connection that speaks HTTP/1.1.

    Args:
        clients: the connections of this port.
        intake: shares the time of a control cycle among the robot's clients.
        respond: answers a request; a generator that returns the response.
    """

    def __init__(
        self,
        clients: set[TextPort],
        intake: Intake,
        respond: Callable[[HttpRequest], Generator[Step, None, HttpResponse]],
    ) -> None:
        super().__init__(clients, intake)
        self._respond = respond
        self._connection = h11.Connection(h11.SERVER)
        self._request: HttpRequest | None = None

    def work(self, data: bytes) -> Iterator[Step]:
        """Answer every request that is complete now."""
        try:
            self._connection.receive_data(data)
            while (event := self._connection.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if isinstance(event, h11.ConnectionClosed):
                    return
                yield from self._take(event)
                yield None
                if self._connection.our_state is h11.MUST_CLOSE:
                    self._close()
                    return
        except h11.RemoteProtocolError as error:
            self._send(HttpResponse(error.error_status_hint, b""), close=True)
            self._close()

    @property
    def unfinished(self) -> int:
        """Bytes of a request whose end has not come, at least 1 if there are some."""
        begun = 0 if self._request is None else 1 + len(self._request.body)
        return begun + len(self._connection.trailing_data[0])

    def _take(self, event: Any) -> Iterator[Step]:
        """Take an event of the connection; answer a request that is complete with it."""
        if isinstance(event, h11.Request):
            headers = {name.lower(): value for name, value in event.headers}
            kind = headers.get(b"content-type", b"").decode("latin-1")
            path = event.target.decode("latin-1").partition("?")[0]
            self._request = HttpRequest(event.method.decode("latin-1"), path, kind)
            if int(headers.get(b"content-length", b"0")) > LARGEST_BODY:
                self._send(HttpResponse(413, b""), close=True)
            elif self._connection.they_are_waiting_for_100_continue:
                self._write(h11.InformationalResponse(status_code=100, headers=[]))
        elif isinstance(event, h11.Data) and self._request is not None:
            self._request.body += event.data
            if len(self._request.body) > LARGEST_BODY:
                self._send(HttpResponse(413, b""), close=True)
        elif isinstance(event, h11.EndOfMessage) and self._request is not None:
            request, self._request = self._request, None
            self._send((yield from self._respond(request)))
            if self._connection.our_state is h11.DONE:
                self._connection.start_next_cycle()

    def _send(self, response: HttpResponse, *, close: bool = False) -> None:
        """Send a response; nothing if the connection has been answered already."""
        if self._connection.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        headers = [
            ("Content-Type", response.content_type), ("Content-Length", str(len(response.body))),
            *([("Connection", "close")] if close else []),
        ]  # fmt: skip
        self._write(h11.Response(status_code=response.status, headers=headers))
        self._write(h11.Data(data=response.body))
        self._write(h11.EndOfMessage())

    def _write(self, event: Any) -> None:
        data = self._connection.send(event)
        if data:
            self.send(data)

    def _close(self) -> None:
        if self._inbox is not None:
            self._inbox.close()
        if self._outbox is not None:
            self._outbox.close()
