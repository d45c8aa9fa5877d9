"""A virtual controller among clients that mean harm or know no better."""

import asyncio
import contextlib
import resource
import socket
import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from virtual_robots import running, wait_until

from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.client import RtdeClient
from armtwin.robots.ur.protocol.codec import Type, packet
from armtwin.robots.ur.protocol.fields import INPUTS, OUTPUTS
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.ports import rtde_session
from armtwin.robots.ur_controller.virtual_robot import DASHBOARD, SCRIPTS


@pytest.fixture(scope="module")
def station():
    """A robot among enemies."""
    with running() as made:
        yield made


@pytest.fixture
def robot(station):
    """It serves a well-behaved client before and after every test."""
    robot = station.robots[0]
    assert serves(robot.host)
    yield robot
    assert serves(robot.host)
    assert station._thread.is_alive()


def serves(host):
    """Return whether a well-behaved client gets samples."""

    async def work():
        async with RtdeClient(host) as client:
            await client.set_outputs(["timestamp", "actual_q"])
            await client.start()
            async with contextlib.aclosing(client.batches()) as batches:
                async for batch in batches:
                    return len(batch) > 0

    return asyncio.run(work())


def connected(host, port=codec.PORT):
    """Return a plain connection."""
    return socket.create_connection((host, port), timeout=180)


def deaf(host):
    """Return a connection with little room for what is not read."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect((host, codec.PORT))
    return sock


def closed(sock, seconds=60.0):
    """Return whether the other side ends the connection within some seconds."""
    sock.settimeout(seconds)
    try:
        while sock.recv(65536):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


RECIPE = packet(Type.OUTPUTS, codec.named_setup(["timestamp", "actual_q"], 500.0, 2))
HELLO = packet(Type.PROTOCOL_VERSION, struct.pack(">H", 2)) + RECIPE + packet(Type.START)


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x00U", b"\x00\x02U", b"GET / HTTP/1.1\r\n\r\n" * 400, bytes(range(256)) * 300,
        packet(1), packet(Type.DATA), packet(Type.DATA, b"\x07" + bytes(8)),
        packet(Type.PROTOCOL_VERSION, b"\x01"), packet(Type.OUTPUTS, b"\x01"),
        packet(Type.TEXT, b"\x01"), packet(Type.TEXT),
    ],
    ids=["size 0", "size 2", "http", "bytes", "type 1", "no recipe", "recipe 7", "half a version",
         "half a setup", "half a text", "no text"],
)  # fmt: skip
def test_nonsense_ends_the_connection(robot, data):
    """The connection is closed and others are served on when a client sends nonsense."""
    with connected(robot.host) as sock:
        sock.sendall(packet(Type.PROTOCOL_VERSION, b"\x00\x02"))
        sock.sendall(data)
        assert closed(sock)


def test_half_a_packet_and_silence(robot):
    """Nothing is held up when a client announces a giant packet and never sends it."""
    socks = [connected(robot.host) for _ in range(20)]
    for sock in socks:
        sock.sendall(b"\xff\xffO" + b"x" * 1000)
    assert serves(robot.host)
    for sock in socks:
        sock.close()


@pytest.mark.parametrize("protocol", [0, 3, 65535])
def test_unknown_protocol_is_refused(robot, protocol):
    """The answer is no and the old protocol stays when an unknown one is asked for."""
    with connected(robot.host) as sock:
        sock.sendall(packet(Type.PROTOCOL_VERSION, struct.pack(">H", protocol)))
        assert sock.recv(100) == packet(Type.PROTOCOL_VERSION, b"\0")


def test_too_long_recipe(robot):
    """The recipe gets number 0 when its list of names is longer than 2048 bytes."""
    names = [name for name in OUTPUTS if "register" in name][:150]
    with connected(robot.host) as sock:
        sock.sendall(packet(Type.PROTOCOL_VERSION, b"\0\2"))
        sock.sendall(packet(Type.OUTPUTS, codec.named_setup(names, 500.0, 2)))
        place = len(packet(Type.PROTOCOL_VERSION, b"\1")) + 3
        wait_until(lambda: len(sock.recv(65536, socket.MSG_PEEK)) > place)
        assert sock.recv(65536)[place] == 0


def test_giant_list_of_unknown_names(robot):
    """One answer within a packet's size comes when thousands of names are asked for."""
    with connected(robot.host) as sock:
        sock.sendall(packet(Type.PROTOCOL_VERSION, b"\0\2"))
        sock.sendall(packet(Type.OUTPUTS, bytes(8) + b"a," * 32000))
        wait_until(lambda: len(sock.recv(1 << 17, socket.MSG_PEEK)) > 60000)


@pytest.mark.parametrize("frequency", [float("nan"), float("inf"), -5.0, 0.0, 1e-300, 1e300])
def test_any_frequency(robot, frequency):
    """The robot lives on when the frequency makes no sense."""
    with connected(robot.host) as sock:
        sock.sendall(packet(Type.PROTOCOL_VERSION, b"\0\2"))
        sock.sendall(packet(Type.OUTPUTS, codec.named_setup(["timestamp"], 0, 2)[:0]
                            + struct.pack(">d", frequency) + b"timestamp"))  # fmt: skip
        sock.sendall(packet(Type.START))
        started = packet(Type.START, b"\1")
        wait_until(lambda: started in sock.recv(1 << 16, socket.MSG_PEEK), what="the start")


def test_client_that_never_reads(robot, monkeypatch):
    """It is dropped after a while and the robot's memory stays small when a client never reads."""
    monkeypatch.setattr(rtde_session, "PATIENCE", 0.5)
    monkeypatch.setattr(rtde_session, "KERNEL_BUFFER", 1 << 14)
    sock = deaf(robot.host)
    many = [name for name in OUTPUTS if "register" not in name][:60]
    sock.sendall(packet(Type.PROTOCOL_VERSION, b"\0\2"))
    sock.sendall(packet(Type.OUTPUTS, codec.named_setup(many, 500.0, 2)) + packet(Type.START))
    own = sock.getsockname()

    def mine():
        return [s for s in robot.rtde.sessions if s._transport.get_extra_info("peername") == own]

    wait_until(mine)
    session = mine()[0]
    with sock:
        wait_until(lambda: session.skipped > 0, what="a skipped sample")
        assert session._outbox.size < 1 << 17
        wait_until(lambda: not robot.rtde.sessions, what="the drop")


def test_client_that_asks_and_never_reads(robot):
    """It is dropped when a client asks on and on without reading the answers."""
    sock = deaf(robot.host)
    sock.settimeout(60)
    question = packet(Type.CONTROLLER_VERSION) * 5000
    with contextlib.suppress(OSError):
        for _ in range(2000):
            sock.sendall(question)
        pytest.fail("the client was not dropped")
    wait_until(lambda: not robot.rtde.sessions)
    sock.close()


def test_two_hundred_connections(robot):
    """Every client gets samples when two hundred are connected at once."""
    with contextlib.ExitStack() as stack:
        socks = [stack.enter_context(connected(robot.host)) for _ in range(200)]
        for sock in socks:
            sock.sendall(HELLO)
        for sock in socks:
            sock.settimeout(60)
            data = b""
            while b"U" not in data[12:] or len(data) < 300:
                part = sock.recv(65536)
                assert part
                data += part
    wait_until(lambda: not robot.rtde.sessions)


def test_more_connections_than_allowed(robot):
    """Further ones are closed at once when there are too many."""
    with contextlib.ExitStack() as stack:
        for _ in range(rtde_session.MAX_CLIENTS):
            stack.enter_context(connected(robot.host))
        wait_until(lambda: len(robot.rtde.sessions) == rtde_session.MAX_CLIENTS)
        with connected(robot.host) as sock:
            assert closed(sock)
    wait_until(lambda: not robot.rtde.sessions)


@pytest.mark.parametrize("port", [DASHBOARD, *SCRIPTS])
def test_text_that_is_none(robot, port):
    """The port lives on when bytes come that are no text."""
    with connected(robot.host, port) as sock:
        sock.sendall(b"\xff\xfe\x80robotmode\xc3\x28\n" * 10 + b"\0\0\0\n")
    with connected(robot.host, DASHBOARD) as sock:
        sock.sendall(b"robotmode\n")
        wait_until(lambda: b"Robotmode: RUNNING" in sock.recv(4096, socket.MSG_PEEK))


@pytest.mark.parametrize("port", [DASHBOARD, *SCRIPTS])
def test_endless_line(robot, port):
    """The connection is closed when a line never ends."""
    with connected(robot.host, port) as sock, contextlib.suppress(ConnectionError):
        sock.sendall(b"def f():\n" + b"x" * (2 << 20))
        assert closed(sock)


def test_too_many_dashboards(robot):
    """Further clients are closed at once when a text port has too many."""
    with contextlib.ExitStack() as stack:
        for _ in range(64):
            stack.enter_context(connected(robot.host, DASHBOARD))
        wait_until(lambda: len(robot._texts[DASHBOARD]) == 64)
        with connected(robot.host, DASHBOARD) as sock:
            assert closed(sock)


class FakeTransport:
    """A transport without a network."""

    def __init__(self):
        """Start with nothing sent."""
        self.sent, self.aborted = 0, False

    def write(self, data):
        """Count what is sent."""
        self.sent += len(data)

    def abort(self):
        """Remember the end."""
        self.aborted = True

    close = abort

    def get_write_buffer_size(self):
        """Say that all has been read."""
        return 0

    def set_write_buffer_limits(self, high):
        """Take any."""

    def is_closing(self):
        """Return whether the end has come."""
        return self.aborted

    def get_extra_info(self, name):
        """Know nothing."""

    def pause_reading(self):
        """Take it."""

    resume_reading = pause_reading


@pytest.fixture(scope="module")
def offline():
    """A robot without a network and with time for everything that comes."""
    made = virtual_robot("ur5e")
    made.intake.budget = float("inf")
    made.intake.refill()
    return made


NAMES = st.lists(st.sampled_from([*list(OUTPUTS)[:40], *list(INPUTS)[:20], "x", ""]), max_size=6)
PACKETS = st.one_of(
    st.binary(max_size=60),
    st.builds(packet, st.sampled_from(list(Type)), st.binary(max_size=120)),
    st.builds(
        lambda names, f: packet(Type.OUTPUTS, struct.pack(">d", f) + ",".join(names).encode()),
        NAMES, st.floats(),
    ),
    st.builds(lambda names: packet(Type.INPUTS, ",".join(names).encode()), NAMES),
    st.builds(
        lambda n, data: packet(Type.DATA, bytes([n]) + data), st.integers(0, 4),
        st.binary(max_size=120),
    ),
    st.just(packet(Type.PROTOCOL_VERSION, b"\0\2")),
    st.just(packet(Type.START)),
)  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PACKETS, max_size=12), st.booleans())
def test_any_packets(offline, packets, whole):
    """The controller cycles on and memory stays when a client sends any packets."""
    session, transport = offline.rtde.session(), FakeTransport()
    session.connection_made(transport)
    data = b"".join(packets)
    pieces = [data] if whole else [data[k : k + 7] for k in range(0, len(data), 7)]
    for piece in pieces:
        if not transport.aborted:
            session.data_received(piece)
    for _ in range(3):
        offline.cycle()
    session.connection_lost(None)
    assert not offline.rtde.sessions
    assert not offline.rtde.owners
    assert transport.sent < 1 << 20


def test_memory_stays(robot):
    """Resident memory grows little when thousands of clients come and go."""

    def harass(rounds):
        for _ in range(rounds):
            for _ in range(100):
                with connected(robot.host) as sock:
                    sock.sendall(HELLO)
            assert serves(robot.host)
            wait_until(lambda: not robot.rtde.sessions)

    harass(2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    harass(10)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 20_000  # kB
