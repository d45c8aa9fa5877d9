"""Many clients of one virtual robot share its packets and get every sample."""

import asyncio
import contextlib
import socket
import struct

import numpy as np
import pytest
from virtual_robots import free_host
from waiting import until

from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.codec import Type, packet
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.ports import rtde_feed, rtde_port, text_port
from armtwin.robots.ur_controller.virtual_robot import DASHBOARD, SCRIPTS

NAMES = ["timestamp", "actual_q"]
SIZE = 3 + 1 + 8 + 48
"""Bytes of a sample in protocol 2."""


def setup(frequency=500.0, names=NAMES):
    """Return what a client sends to get samples."""
    recipe = packet(Type.OUTPUTS, codec.named_setup(names, frequency, 2))
    return packet(Type.PROTOCOL_VERSION, struct.pack(">H", 2)) + recipe + packet(Type.START)


@contextlib.asynccontextmanager
async def listening():
    """Yield a robot that listens; its cycles are run by the test."""
    robot = virtual_robot("ur5e", free_host())
    robot.intake.budget = float("inf")
    robot.intake.refill()
    await robot.open()
    try:
        yield robot
    finally:
        await robot.close()


async def connect(robot, stack, count, hello):
    """Return connections that get samples."""
    known = len(robot.rtde.sessions)
    socks = []
    for _ in range(count):
        sock = stack.enter_context(socket.create_connection((robot.host, codec.PORT), timeout=180))
        sock.sendall(hello)
        sock.setblocking(False)
        socks.append(sock)
    await until(lambda: sum(s.started for s in robot.rtde.sessions) == known + count)
    return socks


def stamps(sock):
    """Return the time stamps of all samples that have come."""
    data = b""
    with contextlib.suppress(BlockingIOError):
        while part := sock.recv(1 << 16):
            data += part
    packets = codec.Framer().feed(data)
    return [struct.unpack_from(">d", p, 1)[0] for kind, p in packets if kind == Type.DATA]


def cycles_of(times):
    """Return the numbers of cycles between time stamps."""
    return np.rint(np.diff(times) / 0.002).astype(int).tolist()


def test_clients_with_one_recipe_share_their_packets():
    """A packet is made once a cycle, and is the same for all, when clients ask for the same."""

    async def work():
        async with listening() as robot:
            with contextlib.ExitStack() as stack:
                socks = await connect(robot, stack, 5, setup())
                slow = await connect(robot, stack, 1, setup(125.0))
                assert len(robot.rtde.feeds) == 2
                for _ in range(40):
                    robot.cycle()
                    robot.send()
                got = [stamps(sock) for sock in socks]
                assert len(got[0]) == 40
                assert got.count(got[0]) == 5
                assert cycles_of(stamps(slow[0])) == [4] * 9
            await until(lambda: not robot.rtde.sessions)
            assert len(robot.rtde.feeds) == 0

    asyncio.run(work())


def test_late_cycles_come_in_one_piece():
    """No sample is missing when several cycles are run before the clients are served."""

    async def work():
        async with listening() as robot:
            with contextlib.ExitStack() as stack:
                socks = await connect(robot, stack, 3, setup())
                for count in (1, 7, 1, 30):
                    for _ in range(count):
                        robot.cycle()
                    robot.send()
                for sock in socks:
                    assert cycles_of(stamps(sock)) == [1] * 38

    asyncio.run(work())


def test_clients_beyond_the_budget_get_all_samples_later(monkeypatch):
    """Every client gets every sample when a cycle has time for a few clients only."""
    monkeypatch.setattr(rtde_port, "BUDGET", -1.0)

    async def work():
        async with listening() as robot:
            with contextlib.ExitStack() as stack:
                socks = await connect(robot, stack, 3 * rtde_port.LOOK, setup())
                for _ in range(60):
                    robot.cycle()
                    robot.send()
                got = [stamps(sock) for sock in socks]
                assert min(map(len, got)) >= 58
                assert all(set(cycles_of(times)) == {1} for times in got)

    asyncio.run(work())


def test_oldest_samples_are_skipped_and_counted(monkeypatch):
    """The newest samples come and the others count as skipped when very many cycles are late."""

    async def work():
        async with listening() as robot:
            with contextlib.ExitStack() as stack:
                socks = await connect(robot, stack, 1, setup())
                for _ in range(rtde_feed.KEPT + 10):
                    robot.cycle()
                robot.send()
                assert cycles_of(stamps(socks[0])) == [1] * (rtde_feed.KEPT - 1)
                assert robot.rtde.sessions[0].skipped == 10

    asyncio.run(work())


@pytest.mark.parametrize(("port", "text"), [(DASHBOARD, b"robot"), (SCRIPTS[1], b"def f():\n s")])
def test_unfinished_text_ends_the_connection(monkeypatch, port, text):
    """A client is dropped when its line or program stays unfinished, not when it is silent."""
    monkeypatch.setattr(text_port, "UNFINISHED", 0.05)

    async def work():
        async with listening() as robot:
            with contextlib.ExitStack() as stack:
                socks = [
                    stack.enter_context(socket.create_connection((robot.host, port), timeout=180))
                    for _ in range(2)
                ]
                socks[0].sendall(text)
                socks[1].sendall(b"textmsg(1)\n")
                for sock in socks:
                    sock.setblocking(False)
                await until(lambda: robot.intake.refill() or ended(socks[0]))
                assert not ended(socks[1])

    asyncio.run(work())


def test_script_of_a_client_that_leaves_at_once_runs():
    """A line runs when its client resets the connection and a state is sent before it is read."""

    async def work():
        async with listening() as robot:
            with socket.create_connection((robot.host, SCRIPTS[1]), timeout=180) as sock:
                await until(lambda: robot.streams.clients[SCRIPTS[1]])
                for _ in range(100):
                    robot.cycle()
                await asyncio.sleep(0)
                sock.sendall(b"set_digital_out(1, True)\n")
            for _ in range(200):  # states that the client does not take any more
                robot.cycle()
            await until(lambda: not robot.streams.clients[SCRIPTS[1]])
            for _ in range(10):
                robot.intake.refill()
                robot.cycle()
            assert robot.controller.registers.number("actual_digital_output_bits") & 2

    asyncio.run(work())


def ended(sock):
    """Return whether the other side has closed the connection."""
    try:
        return not sock.recv(1 << 16)
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
