"""Streams and the live twin with every fault that a virtual robot can be given."""

import asyncio
import contextlib

import numpy as np
import pytest
from virtual_robots import running

from armtwin.errors import LinkError, RefusedError
from armtwin.robots.ur.live_twin import FIELDS, OPTIONAL, Twin
from armtwin.robots.ur.monitor import Monitor, Tolerances
from armtwin.robots.ur.protocol.codec import Type, packet
from armtwin.robots.ur.protocol.stream import Stream
from armtwin.robots.ur_controller.fault_injection import Faults
from armtwin.robots.ur_controller.motion.commands import Commands

FAULTS = {
    "stall": lambda faults: faults.stall(3.0),  # six times the patience, for a held-up reader
    "loss": lambda faults: faults.lose(20),
    "drop": lambda faults: faults.drop(),
    "cut": lambda faults: faults.cut_packet(),
    "short": lambda faults: faults.short_packet(),
    "tiny size": lambda faults: faults.inject(b"\x00\x01U"),
    "unknown type": lambda faults: faults.inject(packet(7, b"hello")),
    "wrong recipe": lambda faults: faults.inject(packet(Type.DATA, b"\x09" + bytes(900))),
    "unasked answer": lambda faults: faults.inject(packet(Type.START, b"\x01")),
    "bad text": lambda faults: faults.inject(packet(Type.TEXT, b"\xff\xfe")),
    "clock ahead": lambda faults: faults.jump_clock(1000.0),
    "clock back": lambda faults: faults.jump_clock(-5.0),
}


@pytest.fixture(scope="module")
def station():
    """A robot to be harmed."""
    with running() as made:
        yield made


def mirrored(station, harm, *, before=60, after=60, patience=30.0):
    """Run the twin, harm the robot amid it, and return twin and stream after more samples."""
    robot = station.robots[0]
    arm = robot.controller.arm
    twin = Twin(arm, Monitor(arm))
    stream = Stream(robot.host, FIELDS, optional=OPTIONAL, patience=patience, persistence=60)

    async def work():
        harmed_at = None
        async with (
            asyncio.timeout(120),
            contextlib.aclosing(stream.batches()) as batches,
        ):
            async for batch in batches:
                twin.add(batch.rows)
                if harmed_at is None and twin.monitor.samples >= before:
                    harmed_at = twin.monitor.samples
                    station.call(harm, Faults(robot))
                if harmed_at is not None and twin.monitor.samples >= harmed_at + after:
                    return

    asyncio.run(work())
    return twin, stream


@pytest.mark.parametrize("fault", FAULTS)
def test_twin_survives(station, fault):
    """The twin goes on with whole samples when its robot has a fault."""
    twin, stream = mirrored(station, FAULTS[fault], patience=0.5 if fault == "stall" else 30.0)
    assert twin.monitor.samples >= 120
    assert twin.monitor.pose_error.max() < 1e-9
    assert twin.monitor.nonsense_samples == 0
    s = stream.statistics
    reported = {
        "stall": s.reconnections >= 1,
        "loss": s.missed >= 20,
        "drop": s.reconnections >= 1,
        "cut": s.reconnections >= 1,
        "short": s.bad_packets >= 1,
        "tiny size": s.reconnections >= 1,
        "unknown type": s.bad_packets >= 1,
        "wrong recipe": s.bad_packets >= 1,
        "unasked answer": s.bad_packets >= 1,
        "bad text": s.bad_packets >= 1,
        "clock ahead": s.jumps == 1,
        "clock back": s.jumps == 1,
    }
    assert reported[fault], vars(s)


def test_restart(station):
    """The twin waits and goes on when the controller is switched off and on."""

    def harm(faults):
        asyncio.get_running_loop().create_task(faults.restart(0.3))

    twin, stream = mirrored(station, harm)
    assert stream.statistics.reconnections == 1
    assert any("connected again" in event for event in stream.events)


def test_giving_up():
    """A LinkError ends the stream when the robot stays away for too long."""

    async def work(station):
        stream = Stream(station.robots[0].host, ["actual_q"], persistence=0.3)
        async with contextlib.aclosing(stream.batches()) as batches:
            async for _ in batches:
                await asyncio.to_thread(station.__exit__, None, None, None)

    with running() as station, pytest.raises(LinkError):
        asyncio.run(work(station))


def test_first_connection_is_tried_once():
    """A LinkError comes at once when no robot was there at all."""
    stream = Stream("127.99.99.98", ["actual_q"])

    async def work():
        async with contextlib.aclosing(stream.batches()) as batches:
            async for _ in batches:
                pass

    with pytest.raises(LinkError):
        asyncio.run(work())
    assert not stream.events


def test_unknown_field_is_not_tried_again(station):
    """A RefusedError ends the stream when a field does not exist."""

    async def work():
        stream = Stream(station.robots[0].host, ["no_such_field"])
        async with contextlib.aclosing(stream.batches()) as batches:
            async for _ in batches:
                pass

    with pytest.raises(RefusedError, match="no_such_field"):
        asyncio.run(work())


def test_push_is_detected(station):
    """The twin names joint and torque of a push, and feels none without one."""
    twin, _ = mirrored(station, lambda faults: None, after=300)
    assert twin.monitor.contacts == 0
    twin, _ = mirrored(station, lambda faults: faults.push(2, 25.0, 0.4), after=500)
    assert twin.monitor.contacts == 1
    alarm = next(a for a in twin.monitor.alarms if a.kind == "contact")
    assert "joint 2" in alarm.text
    peak = max(np.abs(sample.residual[1]) for sample in twin.recent)
    assert peak == pytest.approx(25.0, rel=0.1)


def test_energy_and_torque_of_a_moving_arm(station):
    """Energy is power times time and torques agree when the robot is the model."""
    controller = station.robots[0].controller

    def move(faults):
        Commands(controller).movej(controller.reference.q + [0.3, 0, 0, 0, 0, 0], v=1.0)

    twin, stream = mirrored(station, move, after=400)
    assert twin.monitor.torque_rms().max() < 1e-6
    seconds = (twin.monitor.samples - 1 + stream.statistics.missed) * 0.002
    assert twin.energy == pytest.approx(75.0 * seconds, rel=0.05)


def test_wrong_model_is_noticed(station):
    """The verdict says no when the twin's model is another arm."""
    import armtwin as at

    robot = station.robots[0]
    twin = Twin(at.load("ur10e"), Monitor(at.load("ur10e"), Tolerances(share=0.01)))
    stream = Stream(robot.host, FIELDS, optional=OPTIONAL)

    async def work():
        async with contextlib.aclosing(stream.batches()) as batches:
            async for batch in batches:
                twin.add(batch.rows)
                if twin.monitor.samples > 50:
                    return

    asyncio.run(work())
    checks = {check.name: check for check in twin.monitor.verdict(stream.statistics)}
    assert not checks["pose"].passed
    assert checks["network"].passed
    assert "another arm" in twin.monitor.alarms[0].text
