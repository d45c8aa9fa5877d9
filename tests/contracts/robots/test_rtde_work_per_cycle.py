"""How much work clients can cause between two control cycles: counts, no times."""

import asyncio
import contextlib
import re
import socket
from types import SimpleNamespace

import pytest
from stream_clients import connect
from virtual_robots import free_host

from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.ports import event_loop, rtde_port
from armtwin.robots.ur_controller.ports.intake import MAX_EXPIRED, Deadlines
from armtwin.robots.ur_controller.ports.script_port import DECODED, ScriptFramer, _decoded
from armtwin.robots.ur_controller.script.language.parser import finished
from armtwin.robots.ur_controller.state.events import ProgramStarted
from armtwin.robots.ur_controller.streams.broadcast import MAX_MESSAGES, MAX_STATES

STATE, MESSAGE = 16, 20
"""Kinds of packages of the primary interface."""
linux = pytest.mark.skipif(not hasattr(event_loop, "FairSelector"), reason="Linux only")


@pytest.fixture
def pairs():
    """Thirty connections whose second ends can be read from."""
    with contextlib.ExitStack() as stack:
        made = [socket.socketpair() for _ in range(30)]
        for pair in made:
            for end in pair:
                stack.enter_context(end)
            pair[0].send(b"x")
        yield made


@linux
def test_the_timer_comes_first_and_all_others_get_their_turn(pairs):
    """An urgent descriptor leads, few follow, none is left out when many are ready all the time."""
    selector = event_loop.FairSelector()
    for _, end in pairs:
        selector.register(end, event_loop.selectors.EVENT_READ)
    urgent = pairs[-1][1]
    selector.hurry(urgent.fileno())
    seen = []
    for _ in range(10):
        ready = [key.fileobj for key, _ in selector.select(0)]
        assert ready[0] is urgent
        assert len(set(ready)) == len(ready) <= event_loop.MAX_EVENTS + 1
        seen += ready
    assert len(set(seen)) == len(pairs)
    urgent.recv(1)
    assert urgent not in [key.fileobj for key, _ in selector.select(0)]
    selector.close()


@linux
def test_one_connection_is_accepted_at_a_time():
    """The others wait in the system, and none is lost, when many clients connect at once."""
    loop, opened, counts = event_loop.RobotEventLoop(), [], []

    class Client(asyncio.Protocol):
        def connection_made(self, transport):
            opened.append(transport)

    def once():
        loop.call_soon(loop.stop)
        loop.run_forever()
        counts.append(len(opened))

    host = free_host()
    with contextlib.ExitStack() as stack, contextlib.closing(loop):
        server = loop.run_until_complete(event_loop.listen(Client, host, 30001))
        for _ in range(40):
            stack.enter_context(socket.create_connection((host, 30001), 180))
        while len(opened) < 40 and len(counts) < 1000:
            once()
        server.close()
        for transport in opened:
            transport.abort()
        loop.run_until_complete(server.wait_closed())
        once()
    assert len(opened) == 40
    assert max(b - a for a, b in zip(counts, counts[1:], strict=False)) == 1


def test_few_deadlines_are_carried_out_in_a_tick():
    """A few connections are dropped in a tick, all in the end, when the time of many is up."""
    now, dropped = SimpleNamespace(time=0.0), []
    deadlines = Deadlines(lambda: now.time)
    for k in range(10):
        deadlines.start(k, 30.0, lambda k=k: dropped.append(k))
    deadlines.cancel(3)
    now.time = 29.9
    deadlines.step()
    assert not dropped
    now.time = 30.0
    for count in (MAX_EXPIRED, 2 * MAX_EXPIRED, 9, 9):
        deadlines.step()
        assert len(dropped) == count
    assert dropped == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert 5 not in deadlines


@pytest.fixture
def robot():
    """A robot that does not listen."""
    return virtual_robot("ur5e")


def test_states_go_to_a_bounded_number_of_clients_in_a_cycle(robot):
    """Each client gets its state within a few cycles, some in each, when there are many."""
    ports = (30001, 30002, 30011, 30012)
    ends = [connect(robot, port)[1] for port in ports for _ in range(20)]
    greetings = len(ends)
    counts = [greetings]
    for _ in range(40):
        robot.cycle()
        counts.append(sum(len(end.read) for end in ends))
    each = [b - a for a, b in zip(counts, counts[1:], strict=False)]
    assert each[:4] == [MAX_STATES, MAX_STATES, len(ends) - 2 * MAX_STATES, 0]
    assert sum(each) == len(ends)


def test_state_comes_before_the_messages_of_a_stop(robot):
    """Every client gets the state first, in the same cycle, when the robot is stopped."""
    ends = [connect(robot, 30001)[1] for _ in range(MAX_STATES + 8)]
    for _ in range(20):
        robot.cycle()
    before = len(ends[0].read)
    robot.controller.protective_stop("for this test")
    robot.cycle()
    for end in ends:
        kinds = [packet[4] for packet in end.read[before:]]
        assert kinds == [STATE, MESSAGE]


def test_messages_of_a_cycle_are_bounded(robot):
    """All messages come in their order, some in each cycle, when a program makes very many."""
    _, end = connect(robot, 30001)
    robot.cycle()
    before = len(end.read)
    names = [f"p{k}" for k in range(2 * MAX_MESSAGES + 10)]
    for name in names:
        robot.controller.report(ProgramStarted(name))
    counts = []
    for _ in range(3):
        robot.cycle()
        counts.append(b"".join(end.read[before:]).count(b"PROGRAM_XXX_STARTED"))
    assert counts == [MAX_MESSAGES, 2 * MAX_MESSAGES, len(names)]
    data = b"".join(end.read[before:])
    assert [*map(bytes.decode, re.findall(rb"p\d+", data))] == names


def test_rtde_messages_of_a_cycle_are_bounded(robot):
    """Clients get some messages in a cycle, and the others later, when there are many."""
    sent = []
    client = SimpleNamespace(protocol=2, started=True, say=sent.append, send_samples=lambda: None)
    robot.rtde.sessions.append(client)
    for k in range(rtde_port.MAX_TEXTS + 5):
        robot.controller.say(f"warning {k}", Level.WARNING)
    for _ in range(3):
        robot.send()
    found = [[payload for _, payload in codec.Framer().feed(data)] for data in sent]
    assert [len(texts) for texts in found] == [rtde_port.MAX_TEXTS, 5]
    texts = [codec.read_text(payload, 2).message for part in found for payload in part]
    assert texts == [f"warning {k}" for k in range(rtde_port.MAX_TEXTS + 5)]


@pytest.mark.parametrize(
    "data",
    [b"", b"x = 1\n", b"a" + "€".encode() * DECODED, b"\xff" * (DECODED + 1)],
)
def test_texts_are_decoded_in_pieces(data):
    """The text is the same as in one go, a piece at a step, when it is long."""
    steps = [*_decoded(data)]
    assert finished(_decoded(data)) == data.decode("utf-8", "replace")
    assert len(steps) == (-(-len(data) // DECODED) if len(data) > DECODED else 0)


@pytest.mark.parametrize(
    ("last", "ends"),
    [(b"end", True), (b"end \t\r", True), (b"end" + b" " * 9999, True), (b" end", True),
     (b"end" + b" " * 600 + b"# f", True), (b"ending", False), (b"x" * 9999 + b"end", False)],
)  # fmt: skip
def test_end_of_a_program(last, ends):
    """A program ends with the word ``end``, also when many blanks and a comment follow it."""
    found = [*ScriptFramer().feed(b"def f():\n  sync()\n" + last + b"\n")]
    assert bool(found) is ends
