"""Socket functions, on fake sockets and on real loopback connections."""

import socket
import struct
import time

import pytest
from script_runs import execute, variables
from waiting import wait_until

from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets, run_cycles
from armtwin.robots.ur_controller.script.program import ScriptProgram, State
from armtwin.robots.ur_controller.script.runtime.tcp_sockets import BUFFER, TcpSockets
from armtwin.robots.ur_controller.script.runtime.values import List

PATIENCE = 180.0
"""Longest wait for a loopback connection [s]."""


def connected(data=b""):
    """Return sockets with one open-able connection that has received data."""
    sockets = FakeSockets("socket_0")
    sockets.incoming["socket_0"] += data
    return sockets


def after(source, data):
    """Return the variables of a program that reads data."""
    return variables('ok = socket_open("127.0.0.1", 5000)\n' + source, sockets=connected(data))


def test_integers():
    """Integers are read in network byte order with their count first."""
    x = after("a = socket_read_binary_integer(3)\n", struct.pack(">3i", 100, -2000, 30000))
    assert x("ok") is True
    assert x("a") == List((3, 100, -2000, 30000))


def test_integers_after_the_timeout():
    """A read returns 0 and -1 when too little comes in time; what came is kept."""
    source = "a = socket_read_binary_integer(2, timeout=0.1)\nb = socket_read_byte_list(4)\n"
    x = after(source, b"\x00\x00\x00\x05")
    assert x("a") == List((0, -1, -1))
    assert x("b") == List((4, 0, 0, 0, 5))


def test_timeout_in_controller_time():
    """A read takes its timeout in cycles when nothing comes."""
    host = FakeHost()
    source = 'socket_open("127.0.0.1", 1)\nsocket_read_binary_integer(1, timeout=0.1)\n'
    run = ScriptProgram.load(source).start(host, connected())
    assert run_cycles(run, host, 1000) == 50


def test_read_without_timeout():
    """A read waits without end when its timeout is 0."""
    host, sockets = FakeHost(), connected()
    source = 'socket_open("127.0.0.1", 1)\nx = socket_read_binary_integer(1, "socket_0", 0)\n'
    run = ScriptProgram.load(source).start(host, sockets)
    run_cycles(run, host, 3000)
    assert run.state is State.RUNNING
    sockets.incoming["socket_0"] += struct.pack(">i", 7)
    run_cycles(run, host, 2)
    assert run.variable("x") == List((1, 7))


def test_read_of_a_socket_that_is_not_open():
    """A read fails after one cycle when the socket is not open, so that loops do not spin."""
    host = FakeHost()
    run = ScriptProgram.load("a = socket_read_binary_integer(1)\n").start(host, FakeSockets())
    assert run_cycles(run, host, 10) == 1
    assert run.variable("a") == List((0, -1))


def test_floats():
    """Numbers in brackets are read with their count first; the rest is nan."""
    x = after("a = socket_read_ascii_float(4)\n", b"( 1.414 , 3.14159, 1.616, 0.0 )")
    assert x("a") == List((4, 1.414, 3.14159, 1.616, 0.0))
    x = after("a = socket_read_ascii_float(3)\nb = a[3] == a[3]\n", b"(1, 2)")
    assert x("a").items[:3] == (2, 1.0, 2.0)
    assert x("b") is False


def test_lines_and_strings():
    """Text is read by line, or between prefix and suffix."""
    x = after("a = socket_read_line()\nb = socket_read_line()\n", b"one\r\ntwo\n")
    assert (x("a"), x("b")) == ("one", "two")
    source = 'a = socket_read_string(prefix=">", suffix="<")\n'
    source += 'b = socket_read_string("socket_0", ">", "<")\n'
    x = after(source, b"noise>hello<>world<")
    assert (x("a"), x("b")) == ("hello", "world")
    source = (
        'a = socket_read_string(suffix="\\n", interpret_escape=True)\nb = socket_read_string()\n'
    )
    x = after(source, b"line\nrest")
    assert (x("a"), x("b")) == ("line", "rest")


def test_sending():
    """Numbers and strings are sent as documented."""
    sockets = connected(b"POS_X 12\n")
    source = (
        'socket_open("127.0.0.1", 1)\nsocket_send_int(-2)\nsocket_send_byte(10)\n'
        'socket_send_string("abc")\na = socket_send_line("d")\nsocket_set_var("V", 5)\n'
        'b = socket_get_var("POS_X")\nsocket_close()\nc = socket_send_int(1)\n'
    )
    x = variables(source, sockets=sockets)
    assert bytes(sockets.sent["socket_0"]) == b"\xff\xff\xff\xfe\nabcd\nSET V 5\nGET POS_X\n"
    assert (x("a"), x("b"), x("c")) == (True, 12, False)


def test_named_sockets():
    """Two connections are kept apart by their names."""
    sockets = FakeSockets("a", "b")
    source = 'socket_open("h", 1, "a")\nsocket_open("h", 2, "b")\nsocket_send_int(1, "b")\n'
    variables(source, sockets=sockets)
    assert sockets.opened == [("a", "h", 1), ("b", "h", 2)]
    assert (len(sockets.sent["a"]), len(sockets.sent["b"])) == (0, 4)


def test_too_many_values():
    """A read is refused when it asks for more than 30 values."""
    run, _ = execute("socket_read_binary_integer(31)\n")
    assert "allowed are 1 to 30" in run.error.text


@pytest.fixture
def server():
    """Return a listening socket on a loopback address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(PATIENCE)
        yield listening


def run_real(source, sockets, until, seconds=PATIENCE):
    """Run a program against real sockets until a condition holds."""
    host = FakeHost()
    run = ScriptProgram.load(source).start(host, sockets)
    end = time.monotonic() + seconds
    while not until(run) and time.monotonic() < end:
        run_cycles(run, host, 1)
        time.sleep(0.0005)
    assert until(run), run.error
    return run


def test_real_connection(server):
    """A program exchanges bytes with a server when that is on a loopback address."""
    port = server.getsockname()[1]
    source = (
        f'ok = socket_open("127.0.0.1", {port})\nsocket_send_line("hello")\n'
        "a = socket_read_binary_integer(2, timeout=0)\nb = socket_read_line(timeout=0)\n"
    )
    sockets = TcpSockets()
    host = FakeHost()
    run = ScriptProgram.load(source).start(host, sockets)
    end = time.monotonic() + PATIENCE
    client = None
    while run.running and time.monotonic() < end:
        run_cycles(run, host, 1)
        if client is None and run.runtime.sockets.received("socket_0") is not None:
            client, _ = server.accept()
            client.sendall(struct.pack(">2i", 5, 6) + b"bye\n")
        time.sleep(0.0005)
    assert run.state is State.FINISHED, run.error
    client.settimeout(PATIENCE)
    assert client.recv(100) == b"hello\n"
    assert client.recv(100) == b""
    client.close()
    assert (run.variable("a"), run.variable("b")) == (List((2, 5, 6)), "bye")


def test_refused_connection():
    """socket_open returns False when nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    run = run_real(
        f'ok = socket_open("127.0.0.1", {port})\n', TcpSockets(), lambda r: not r.running
    )
    assert run.variable("ok") is False


@pytest.mark.parametrize("address", ["192.0.2.1", "example.org", "8.8.8.8", "::ffff:8.8.8.8"])
def test_other_machines_are_refused(address):
    """socket_open returns False at once, and says why, when the address is no loopback address."""
    host = FakeHost()
    source = f'ok = socket_open("{address}", 80)\n'
    run = ScriptProgram.load(source).start(host, TcpSockets())
    assert run_cycles(run, host, 5) == 1
    assert run.variable("ok") is False
    assert address in host.messages[0]


def test_closed_by_the_other_side(server):
    """What came before the end is read, then reads fail, when the other side closes."""
    port = server.getsockname()[1]
    sockets = TcpSockets()
    assert sockets.open("s", "127.0.0.1", port) == ""
    client, _ = server.accept()
    client.sendall(b"last")
    client.close()
    end = time.monotonic() + PATIENCE
    while (sockets.connected("s") is None or not sockets.received("s")) and time.monotonic() < end:
        time.sleep(0.001)
    data = sockets.received("s")
    assert bytes(data) == b"last"
    del data[:]
    assert sockets.received("s") is None
    sockets.close_all()


def test_buffer_is_bounded(server):
    """No more than the buffer's size is taken when the other side floods."""
    sockets = TcpSockets()
    sockets.open("s", "127.0.0.1", server.getsockname()[1])
    client, _ = server.accept()
    client.settimeout(0.2)
    wait_until(lambda: sockets.connected("s") is not None)
    sent = 0
    try:
        while sent < 8 * BUFFER:
            sent += client.send(b"x" * BUFFER)
            assert len(sockets.received("s")) <= BUFFER
    except TimeoutError:
        pass
    assert len(sockets.received("s")) == BUFFER
    client.close()
    sockets.close_all()
