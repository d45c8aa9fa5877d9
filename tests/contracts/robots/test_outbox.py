"""Bytes on their way to a client: their order, their number of pieces, their end."""

import asyncio
import socket

from armtwin.robots.ur_controller.ports.outbox import Outbox


class SlowTransport:
    """A transport whose client reads only when told to; counts the pieces that wait."""

    def __init__(self):
        self.pieces, self.read, self.limits, self.closing = [], b"", None, False
        self.most = 0

    def set_write_buffer_limits(self, high):
        """Keep the limit."""
        self.limits = high

    def get_extra_info(self, name):
        """Return nothing: there is no socket."""

    def get_write_buffer_size(self):
        """Return the bytes that wait."""
        return sum(map(len, self.pieces))

    def is_closing(self):
        """Return whether close was called."""
        return self.closing

    def write(self, data):
        """Let a piece wait."""
        self.pieces.append(data)
        self.most = max(self.most, len(self.pieces))

    def close(self):
        """Take no more."""
        self.closing = True

    def reads(self):
        """Let the client read all that waits."""
        self.read += b"".join(self.pieces)
        self.pieces.clear()


def test_small_answers_wait_in_one_piece():
    """The transport holds one piece, and the order is kept, when a client does not read."""
    transport = SlowTransport()
    outbox = Outbox(transport)
    assert transport.limits == 0
    for number in range(1000):
        outbox.write(b"%d\n" % number)
    assert transport.most == 1
    assert outbox.size == sum(len(str(n)) + 1 for n in range(1000))
    for _ in range(2):
        transport.reads()
        outbox.flush()
    assert transport.read == b"".join(b"%d\n" % number for number in range(1000))
    assert outbox.size == 0


def test_all_is_handed_over_before_the_end():
    """What was gathered reaches the transport when the connection is closed, and nothing later."""
    transport = SlowTransport()
    outbox = Outbox(transport)
    outbox.write(b"first ")
    outbox.write(b"second")
    outbox.close()
    outbox.write(b" late")
    outbox.flush()
    transport.reads()
    assert transport.read == b"first second"


def test_what_the_system_does_not_take_waits():
    """All bytes arrive in order when more is written at once than the socket holds."""
    sent = bytes(range(256)) * 20_000

    class Sender(asyncio.Protocol):
        """Writes one piece past the transport, and one after it."""

        def connection_made(self, transport):
            """Write both."""
            self.outbox = Outbox(transport)
            self.outbox.write_now(sent)
            self.outbox.write(b"end")

        def resume_writing(self):
            """Write the rest, then close."""
            self.outbox.close()

    async def work():
        near, far = socket.socketpair()
        await asyncio.get_running_loop().create_connection(Sender, sock=near)
        reader, writer = await asyncio.open_connection(sock=far)
        read = await reader.read(-1)
        writer.close()
        return read

    assert asyncio.run(work()) == sent + b"end"
