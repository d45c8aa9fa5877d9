"""Connections of the control process."""

import asyncio

import uvicorn
from uvicorn.server import ServerState

from armtwin.app.server.connections.protocols import HttpConnection

REQUEST = b"GET / HTTP/1.1\r\n\r\n"


class Line(asyncio.Transport):
    """The other end of a connection, which takes everything."""

    def __init__(self):
        super().__init__()
        self.cut = False

    def write(self, data):
        """Drop it."""

    def close(self):
        """Nothing more is written."""

    def abort(self):
        """Note it."""
        self.cut = True

    def is_closing(self):
        """Return whether it is cut."""
        return self.cut


class Counted(HttpConnection):
    """Counts the requests that it parses."""

    parsed = 0

    def on_headers_complete(self):
        """Count one."""
        self.parsed += 1
        super().on_headers_complete()


async def respond(scope, receive, send):
    """Answer with nothing."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


def fed(*pieces, answered):
    """Return a connection that was given bytes, with or without time to answer between them."""

    async def act():
        config = uvicorn.Config(respond)
        config.load()
        made = Counted(config=config, server_state=ServerState(), app_state={})
        made.connection_made(Line())
        for piece in pieces:
            made.data_received(piece)
            while answered and not made.cycle.response_complete:
                await asyncio.sleep(0)
        made.connection_lost(None)
        return made

    return asyncio.run(act())


def test_requests_before_an_answer_are_cut_unparsed(caplog):
    """One request is parsed and the connection cut, in silence, when thousands come at once."""
    made = fed(REQUEST * 14_000, answered=False)
    assert made.transport.cut
    assert made.parsed == 1
    assert not caplog.records


def test_requests_after_an_answer_are_taken():
    """Every request is answered when each one waits for the answer to the one before."""
    made = fed(*[REQUEST] * 5, answered=True)
    assert not made.transport.cut
    assert made.parsed == 5
