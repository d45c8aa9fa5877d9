"""What a client makes of whatever a server sends."""

import asyncio
import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armtwin.errors import LinkError
from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.codec import Type, packet
from armtwin.robots.ur.protocol.connection import MAX_TEXTS, Wire
from armtwin.robots.ur.protocol.fields import OUTPUTS
from armtwin.robots.ur.protocol.recipe import Recipe

NAMES = ["timestamp", "robot_mode"]
RECIPE = Recipe(1, NAMES, [OUTPUTS[name] for name in NAMES])
SAMPLE = packet(Type.DATA, RECIPE.payload({"timestamp": 41.0, "robot_mode": 7}))


class Transport:
    """A transport that remembers what it was called with."""

    def __init__(self):
        """Start open and reading."""
        self.reading, self.closed, self.sent = True, False, b""

    def pause_reading(self):
        """Hold."""
        self.reading = False

    def resume_reading(self):
        """Go on."""
        self.reading = True

    def abort(self):
        """Close."""
        self.closed = True

    def write(self, data):
        """Keep what is sent."""
        self.sent += data


def wired(most=10):
    """Return a connected wire with its transport."""
    wire, transport = Wire(most), Transport()
    wire.connection_made(transport)
    wire.protocol, wire.recipe = 2, RECIPE
    return wire, transport


def test_back_pressure():
    """Reading is held at the limit, goes on below half of it, and order is kept, when slow."""

    async def work():
        wire, transport = wired(10)
        for k in range(12):
            values = {"timestamp": float(k), "robot_mode": 7}
            wire.data_received(packet(Type.DATA, RECIPE.payload(values)))
        assert not transport.reading
        first = [RECIPE.flat(values)[0] for _, values in wire.take(5)]
        assert not transport.reading
        second = [RECIPE.flat(values)[0] for _, values in wire.take(5)]
        assert transport.reading
        assert first + second == [float(k) for k in range(10)]

    asyncio.run(work())


def test_texts_are_bounded():
    """Only the latest messages are kept when a server talks without end."""

    async def work():
        wire, _ = wired()
        message = packet(Type.TEXT, codec.text(codec.TextMessage("x", "y"), 2))
        for _ in range(20):
            wire.data_received(message * 100)
        assert len(wire.texts) == MAX_TEXTS

    asyncio.run(work())


def test_question_without_answer():
    """A LinkError comes after the time-out when a server does not answer, and when it leaves."""

    async def work():
        wire, transport = wired()
        with pytest.raises(LinkError, match="no answer to START"):
            await wire.request(Type.START, b"", 0.02)
        request = asyncio.create_task(wire.request(Type.PAUSE, b"", 5.0))
        await asyncio.sleep(0)
        wire.connection_lost(None)
        with pytest.raises(LinkError, match="lost"):
            await request
        with pytest.raises(LinkError):
            wire.send(Type.START)
        assert transport.closed

    asyncio.run(work())


def test_question_after_the_end_leaves_nothing_behind():
    """The error comes once, not again as a traceback, when the connection ended before."""

    async def work():
        faults = []
        asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
        wire, _ = wired()
        wire.connection_lost(None)
        with pytest.raises(LinkError, match="lost"):
            await wire.request(Type.START, b"", 5.0)
        wire.close()
        del wire, _
        gc.collect()
        assert not faults

    asyncio.run(work())


PARTS = st.one_of(
    st.binary(max_size=80),
    st.just(SAMPLE),
    st.builds(packet, st.sampled_from(list(Type)), st.binary(max_size=60)),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PARTS, max_size=15))
def test_anything(parts):
    """Whole samples, counted faults or a named end come out when a server sends any bytes."""

    async def work():
        wire, transport = wired(1000)
        for part in parts:
            if wire.lost is None:
                wire.data_received(part)
        for _, values in wire.take(1000):
            assert len(values) == RECIPE.size
            RECIPE.rows(values)
        assert wire.bad >= 0
        assert transport.closed == (wire.lost is not None)

    asyncio.run(work())
