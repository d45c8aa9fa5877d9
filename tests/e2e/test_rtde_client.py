"""Our own RTDE client against a virtual controller."""

import asyncio
import contextlib
import socket

import numpy as np
import pytest
from virtual_robots import running
from waiting import wait_until

from armtwin.errors import InputError, LinkError, RefusedError
from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.client import RtdeClient
from armtwin.robots.ur.protocol.codec import Level, TextMessage, Type, packet
from armtwin.robots.ur.protocol.stream import Stream

Q = [0.0, -1.57, 1.57, -1.57, -1.57, 0.0]


@pytest.fixture(scope="module")
def station():
    """A robot that rests."""
    with running() as made:
        yield made


@pytest.fixture(scope="module")
def host(station):
    """Its address."""
    return station.robots[0].host


async def take(client, count):
    """Return at least ``count`` samples of a started client, and their arrivals."""
    rows, arrivals = [], []
    async with contextlib.aclosing(client.batches()) as batches:
        async for batch in batches:
            rows.append(batch.rows)
            arrivals.append(batch.arrivals)
            if sum(map(len, rows)) >= count:
                return np.concatenate(rows), np.concatenate(arrivals)
    raise AssertionError("the samples ended")


async def until(condition):
    """Return once a condition holds."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("protocol", [1, 2])
def test_samples_of_both_protocols(host, protocol):
    """Samples come in order with the robot's values when either protocol is spoken."""

    async def work():
        async with RtdeClient(host, protocol=protocol) as client:
            assert client.protocol == protocol
            assert client.version[:3] == (5, 25, 0)
            await client.set_outputs(["timestamp", "actual_q", "joint_mode", "robot_mode"])
            await client.start()
            return await take(client, 50)

    rows, arrivals = asyncio.run(work())
    steps = np.diff(rows["timestamp"])
    np.testing.assert_allclose(steps, 0.002, atol=1e-9)
    np.testing.assert_array_equal(rows["actual_q"][0], Q)
    assert (rows["joint_mode"] == 253).all()
    assert (rows["robot_mode"] == 7).all()
    assert (np.diff(arrivals) >= 0).all()


def test_lower_rate(host):
    """Every fourth sample comes when 125 a second are asked for."""

    async def work():
        async with RtdeClient(host) as client:
            await client.set_outputs(["timestamp"], 125.0)
            await client.start()
            return (await take(client, 20))[0]

    np.testing.assert_allclose(np.diff(asyncio.run(work())["timestamp"]), 0.008, atol=1e-9)


def test_pause_and_start(host, station):
    """Samples stop at pause and go on at start when a client switches."""
    controller = station.robots[0].controller

    async def work():
        async with RtdeClient(host) as client:
            await client.set_outputs(["timestamp"])
            await client.start()
            await take(client, 10)
            await client.pause()
            client._wire.samples.clear()
            await until(lambda start=controller.cycles: controller.cycles > start + 50)
            held = len(client._wire.samples)
            await client.start()
            await take(client, 10)
            return held

    assert asyncio.run(work()) == 0


def test_inputs_and_registers(host, station):
    """Written inputs are read back as outputs when a client owns them."""

    async def work():
        async with RtdeClient(host) as client:
            names = ["input_int_register_30", "input_double_register_30", "input_bit_register_70"]
            recipe = await client.set_inputs(names)
            await client.set_outputs(names)
            await client.start()
            client.write(recipe, dict(zip(names, (-5, 2.5, True), strict=True)))
            for _ in range(100):
                row = (await take(client, 1))[0][-1]
                if row["input_int_register_30"] == -5:
                    return row["input_double_register_30"], row["input_bit_register_70"]

    assert asyncio.run(work()) == (2.5, True)


def test_unknown_field_is_named(host):
    """A RefusedError names the field when the controller does not know it."""

    async def work():
        async with RtdeClient(host) as client:
            with pytest.raises(RefusedError, match="no_such_field"):
                await client.set_outputs(["timestamp", "no_such_field"])
            with pytest.raises(RefusedError, match="actual_q"):
                await client.set_inputs(["actual_q"])
            await client.set_outputs(["timestamp"])

    asyncio.run(work())


def test_input_owned_by_another_client(host, station):
    """A RefusedError says so when an input is taken, and it is free again after that client."""

    async def work():
        async with RtdeClient(host) as first:
            await first.set_inputs(["speed_slider_mask", "speed_slider_fraction"])
            async with RtdeClient(host) as second:
                with pytest.raises(RefusedError, match="another client"):
                    await second.set_inputs(["speed_slider_mask"])
        await until(lambda: "speed_slider_mask" not in station.robots[0].rtde.owners)
        async with RtdeClient(host) as third:
            await third.set_inputs(["speed_slider_mask"])

    asyncio.run(work())


def test_start_without_recipe_is_refused(host):
    """A RefusedError comes when there is nothing to start."""

    async def work():
        async with RtdeClient(host) as client:
            with pytest.raises(RefusedError, match="start"):
                await client.start()
            with pytest.raises(InputError, match="set_outputs"):
                _ = client.recipe

    asyncio.run(work())


def test_text_messages_both_ways(host, station):
    """The client gets the controller's warning, and the log the client's text, when both send."""
    controller = station.robots[0].controller

    async def work():
        async with RtdeClient(host) as client:
            await client.set_outputs(["timestamp"])
            await client.start()
            client.say(TextMessage("from the client", "test", Level.INFO))
            controller.say("mind the step", Level.WARNING)
            await take(client, 50)
            return [text.message for text in client.texts()]

    assert "mind the step" in asyncio.run(work())
    wait_until(lambda: any(text.message == "from the client" for text in controller.log))


def test_set_up_is_not_interrupted(host, station):
    """Only answers reach a client before it starts its samples when the controller warns."""
    controller = station.robots[0].controller
    with socket.create_connection((host, codec.PORT), timeout=180) as client:
        client.sendall(packet(Type.PROTOCOL_VERSION, b"\x00\x02"))
        assert client.recv(4)[2] == Type.PROTOCOL_VERSION
        controller.say("mind the gap", Level.WARNING)
        wait_until(lambda: any(text.message == "mind the gap" for text in controller.log))
        client.sendall(packet(Type.CONTROLLER_VERSION))
        assert client.recv(3)[2] == Type.CONTROLLER_VERSION


def test_slow_reader_keeps_order(host, station):
    """Samples stay in order and few wait here when the program is slow to take them."""

    async def work():
        async with RtdeClient(host, buffer=20) as client:
            await client.set_outputs(["timestamp", "actual_q"])
            await client.start()
            await until(lambda: client._wire._held)
            waiting = len(client._wire.samples)
            rows, _ = await take(client, 150)
            return waiting, rows["timestamp"]

    waiting, stamps = asyncio.run(work())
    assert waiting < 20 + 400
    assert (np.diff(stamps) > 0).all()


def test_nobody_there():
    """A LinkError says how to go on when no robot listens."""

    async def work():
        async with RtdeClient("127.99.99.99", timeout=1.0):
            pass

    with pytest.raises(LinkError, match="armtwin robot"):
        asyncio.run(work())


def test_stream_of_optional_fields(host):
    """Fields of newer controllers are read where they exist when they are optional."""

    async def work():
        stream = Stream(host, ["actual_q"], optional=["payload", "nonsense"])
        async with contextlib.aclosing(stream.batches()) as batches:
            async for _ in batches:
                return stream.recipe.names

    assert asyncio.run(work()) == ("timestamp", "actual_q", "payload")


@pytest.mark.parametrize(
    "options", [{"protocol": 3}, {"buffer": 0}, {"timeout": 0}, {"timeout": float("nan")}]
)
def test_bad_options(options):
    """An InputError says what is possible when an option makes no sense."""
    with pytest.raises(InputError):
        RtdeClient("127.0.0.1", **options)
