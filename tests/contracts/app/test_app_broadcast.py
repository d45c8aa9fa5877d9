"""States that all watchers get are framed once and written at once to those that are ready."""

import asyncio
import types

import pytest
from waiting import until
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from armtwin.app.control.hub import Watcher
from armtwin.app.server.connections.protocols import SocketConnection, text_frame


class Socket:
    """Keeps what is sent in order; sending waits while ``open`` is not set."""

    def __init__(self):
        self.got, self.open, self.ready = [], asyncio.Event(), True

    async def send_text(self, data):
        """Send, as a WebSocket does."""
        await self.open.wait()
        self.got.append(data)

    def write(self, text):
        """Send at once, if ready."""
        if self.ready:
            self.got.append(text)
        return self.ready


def test_a_state_never_overtakes_what_waits():
    """The greeting comes first and only the newest state after it when a client is slow."""

    async def run():
        socket = Socket()
        watcher = Watcher(socket, lambda: "hello", write=socket.write)
        watcher.send("hello")
        watcher.show("1")
        pump = asyncio.create_task(watcher.pump())
        await asyncio.sleep(0)
        watcher.show("2")
        watcher.show("3")
        socket.open.set()
        await until(lambda: socket.got[-1:] == ["3"], "the newest state")
        watcher.show("4")
        at_once = socket.got[-1]
        pump.cancel()
        return socket.got, at_once

    got, at_once = asyncio.run(run())
    assert got[0] == "hello"
    assert "2" not in got
    assert at_once == "4"


def test_a_client_that_is_not_ready_gets_the_newest_state_later():
    """The last of many states is sent, and the others are not, when a client is not ready."""

    async def run():
        socket = Socket()
        socket.ready = False
        socket.open.set()
        watcher = Watcher(socket, lambda: "hello", write=socket.write)
        for number in range(100):
            watcher.show(str(number))
        pump = asyncio.create_task(watcher.pump())
        await until(lambda: socket.got, "a state")
        pump.cancel()
        return socket.got

    assert asyncio.run(run()) == ["99"]


@pytest.mark.parametrize("size", [10, 3_000, 70_000])
def test_frames_are_read_by_a_websocket_client(size):
    """A client reads the same text when it gets a frame, whatever the length."""
    client = ClientProtocol(parse_uri("ws://localhost/"), state=State.OPEN)
    text = "\u00b0" + "x" * size
    client.receive_data(text_frame(text))
    (event,) = client.events_received()
    assert isinstance(event, Frame) and event.opcode is Opcode.TEXT
    assert bytes(event.data).decode() == text


@pytest.mark.parametrize("changed", ["disconnected", "close_sent", "paused", "closing", "early"])
def test_nothing_is_written_to_a_client_that_is_not_open(changed):
    """A write is refused when the connection is opening, closing, closed or full."""

    def connection(*flags):
        written, writable = [], asyncio.Event()
        if "paused" not in flags:
            writable.set()
        transport = types.SimpleNamespace(
            write=written.append, is_closing=lambda: "closing" in flags
        )
        return written, types.SimpleNamespace(
            handshake_complete="early" not in flags, writable=writable, transport=transport,
            disconnected="disconnected" in flags, close_sent="close_sent" in flags,
        )  # fmt: skip

    written, open_one = connection()
    assert SocketConnection.write(open_one, "state")
    assert written == [text_frame("state")]
    written, other = connection(changed)
    assert not SocketConnection.write(other, "state")
    assert not written
