"""The app leads a virtual robot through a network that pauses."""

import asyncio
import contextlib
import time

import numpy as np
import pytest
from e2e.pausing_network import PausingNetwork
from virtual_robots import free_host, running
from waiting import until

import armtwin as at
from armtwin.errors import NotDeliveredError
from armtwin.robots.ur.protocol.codec import PORT
from armtwin.robots.ur.remote import SCRIPTS
from armtwin.robots.ur.ur_robot import UrRobot
from armtwin.robots.ur_controller.build import START

FAR = np.array(START) + [0.7, 0.0, 0.0, 0.0, 0.0, 0.4]
MAX_EXCESS = np.radians(0.1)
MAX_CREEP = 0.01
"""What an arm may move while a busy machine separates a late command from the stop behind it [rad]:
a command alone moves it by 0.18 rad."""


@contextlib.asynccontextmanager
async def led(station, network):
    """Give a robot that is led through the network."""
    body = UrRobot(at.load("ur5e"), network.host)
    await body.start()
    try:
        yield body
    finally:
        await body.close()


@pytest.fixture(scope="module")
def station():
    """A virtual robot in this process."""
    with running("ur5e") as made:
        yield made


@pytest.fixture
def network(station):
    """A network before that robot."""
    robot = station.robots[0]
    with PausingNetwork(robot.host, free_host(), (SCRIPTS, PORT)) as made:
        yield made


def joints(station):
    """Return where the controller's own joints are, whatever the network says."""
    return station.robots[0].controller.reference.q.copy()


async def at_rest(station, body):
    """Wait until controller and app agree that the arm stands."""
    controller = station.robots[0].controller
    await until(lambda: controller.idle and body.state().status == "ready", "rest")
    await until(lambda: controller.idle and not body.state().moving, "rest")


async def reached(station, body, goal, left):
    """Move towards a goal until ``left`` before it; again where a busy machine ends the motion."""

    def near():
        return abs(goal[0] - joints(station)[0]) < left

    while not near():
        await body.move(goal, 1.0)
        await until(lambda: near() or body.state().moving, "a motion")
        await until(lambda: near() or not body.state().moving, "the place of the pause")


async def farthest(station, body, network, goal, left, pause):
    """Return the joint 1 furthest along to a goal when the network pauses ``left`` before it."""
    way = np.sign(goal[0] - joints(station)[0])
    await reached(station, body, goal, left)
    network.pause()
    controller, seen, end = station.robots[0].controller, [], time.monotonic() + pause

    def resting():
        seen.append(way * joints(station)[0])
        return controller.idle

    def paused():
        resting()
        return time.monotonic() >= end

    await until(paused, "the end of the pause")
    network.resume()
    await until(resting, "rest")
    later = controller.clock + 0.3
    await until(lambda: resting() and controller.clock >= later, "rest after what came late")
    return way * max(seen)


@pytest.mark.parametrize(("pause", "places"), [(0.3, (0.12, 0.04)), (1.0, (0.12,))])
def test_a_pause_near_the_goal_carries_no_arm_past_it(station, network, pause, places):
    """The arm stays within 0.1 degree of its goal when the network pauses close before it."""

    async def work():
        async with led(station, network) as body:
            for left in places:
                found = await farthest(station, body, network, FAR, left, pause)
                assert found - FAR[0] < MAX_EXCESS, left
                await at_rest(station, body)
                await body.move(np.array(START), 1.0)
                await at_rest(station, body)

    asyncio.run(work())


def test_nothing_late_moves_the_arm_after_a_long_pause(station, network):
    """The arm stands where it stopped when the network comes back after it was lost."""

    async def work():
        async with led(station, network) as body:
            await body.move(np.array(START) + [1.5, 0, 0, 0, 0, 0], 0.3)
            await until(lambda: joints(station)[0] > 0.2, "the arm to set out")
            network.pause()
            await until(lambda: body.state().status == "lost", "the loss to be noticed")
            with pytest.raises(NotDeliveredError, match="NOT DELIVERED, use the robot's own stop"):
                await body.stop()
            await until(lambda: station.robots[0].controller.idle, "rest")
            where = joints(station)
            network.resume()
            await at_rest(station, body)
            later = station.robots[0].controller.clock + 0.5
            await until(lambda: station.robots[0].controller.clock >= later, "0.5 s")
            np.testing.assert_allclose(joints(station), where, rtol=0, atol=MAX_CREEP)
            await body.move(np.array(START), 1.0)
            await at_rest(station, body)

    asyncio.run(work())


def test_a_stop_into_a_paused_network_is_not_called_delivered(station, network):
    """The stop fails when nothing is heard of the robot after it, though the line took it."""

    async def work():
        async with led(station, network) as body:
            await body.stop()
            network.pause()
            with pytest.raises(NotDeliveredError, match="NOT DELIVERED"):
                await body.stop()
            network.resume()
            await until(lambda: body.state().status == "ready", "the robot to come back")
            await body.stop()

    asyncio.run(work())
