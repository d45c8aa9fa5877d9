"""Arms behind the app: a UR robot over its ports, a servo arm on its line, a recording."""

import asyncio
import contextlib
import functools

import numpy as np
import pytest
from virtual_robots import free_host, running
from waiting import until

import armtwin as at
from armtwin.detection.alarms import TOGETHER
from armtwin.errors import (
    InputError,
    LinkError,
    NotDeliveredError,
    NotPermittedError,
    UnknownArmError,
)
from armtwin.motion.programs.program import Position, TaughtProgram
from armtwin.robots.programs.program_runner import ProgramRunner
from armtwin.robots.replay import ReplayedRobot
from armtwin.robots.robot_process import start_virtual_robot
from armtwin.robots.servo.servo_robot import ServoRobot
from armtwin.robots.servo.servo_settings import ServoSettings
from armtwin.robots.ur import ur_robot
from armtwin.robots.ur.ur_robot import UrRobot
from armtwin.robots.ur_controller.fault_injection import Faults

pytest_plugins = ["simavr_runner.fixtures"]

START = np.array([0.0, -1.57, 1.57, -1.57, -1.57, 0.0])
NEAR = START + [0.25, 0.1, -0.15, 0.05, 0.0, 0.2]
FAR = START + [2.0, 0, 0, 0, 0, 0]
TRIES = 20
"""Starts of a motion that a busy machine may end."""
PATIENT = ServoSettings(i_mean_it=True, watchdog=30)
"""The simulated board runs faster than the clock: its usual second passes while a host waits."""


@pytest.fixture(scope="module")
def station():
    """A virtual robot in this process."""
    with running("ur5e") as made:
        yield made


@contextlib.asynccontextmanager
async def shown(robot):
    """Start a robot, and close it."""
    await robot.start()
    try:
        yield robot
    finally:
        await robot.close()


async def at_rest(robot, what="rest"):
    """Wait until a robot stands."""
    await until(lambda: not robot.state().moving, what)


async def passed(station, seconds):
    """Wait until the robot's own clock has gone on by some seconds."""
    controller = station.robots[0].controller
    end = controller.clock + seconds
    await until(lambda: controller.clock >= end, f"{seconds} s of the robot's clock")


async def led(robot, goal, speed, there):
    """Move a UR robot until a condition holds; start it again where its goal was dropped.

    That happens when no sample has come for 0.5 s, as on a machine with no time for this process:
    the robot then counts as lost.
    """
    for _ in range(TRIES):
        await until(lambda: robot.state().status in ("ready", "moving"), "the robot to answer")
        with contextlib.suppress(LinkError):
            await robot.move(goal, speed)
        await until(lambda: there() or robot._lead.goal is None, "the motion")
        await until(lambda: robot.state().status != "lost", "the robot to come back")
        if there():
            return
    pytest.fail(f"the goal was dropped {TRIES} times; {list(robot._feed.events)}")


async def set_out(robot):
    """Let a UR robot begin a long motion."""
    await led(robot, FAR, 0.3, lambda: robot.state().q[0] > 0.1)


async def home(robot):
    """Bring a UR robot back to where it started."""
    state = robot.state
    await led(robot, START, 1.0, lambda: np.abs(state().q - START).max() < 2e-4)
    await at_rest(robot, "the way home")


def of_station(station):
    """Return the robot of the station's robot."""
    return UrRobot(at.load("ur5e"), station.robots[0].host)


def test_a_move_arrives(station):
    """The joints are at their goal, never above their share of speed, when a robot is moved."""

    async def work():
        async with shown(of_station(station)) as robot:
            assert (robot.kind, robot.real, robot.state().status) == ("virtual", False, "ready")
            await home(robot)
            speeds, targets = [], []

            def arrived():
                state = robot.state()
                speeds.append(float(np.abs(state.qd).max()))
                targets.extend([state.target] if state.status == "moving" else [])
                return not state.moving and np.abs(state.q - NEAR).max() < 2e-4

            await led(robot, NEAR, 0.2, arrived)
            assert any((target == NEAR).all() for target in targets)
            assert 0.3 < max(speeds) < 0.2 * np.pi + 0.01
            await home(robot)

    asyncio.run(work())


def test_following_ends_by_itself(station):
    """The arm stops far from its goal when it follows and no further call comes."""

    async def work():
        async with shown(of_station(station)) as robot:
            await robot.follow(FAR, 0.2)
            await until(lambda: robot.state().moving, "the arm to set out")
            await at_rest(robot)
            assert robot.state().q[0] < 1.0
            await home(robot)

    asyncio.run(work())


def test_a_dead_app_lets_the_arm_stop(station):
    """The robot stands within a moment when whoever led it says nothing more at all."""

    async def work():
        async with shown(of_station(station)) as robot:
            await set_out(robot)
            robot._leading.cancel()
            robot._lead.drop()
            controller = station.robots[0].controller
            speed = functools.partial(station.call, lambda: np.abs(controller.body.qd).max())
            await until(lambda: speed() == 0.0, "the robot to stop by itself")
            assert station.call(lambda: controller.body.q[0]) < FAR[0] - 0.5

    asyncio.run(work())


def test_stop_stops(station):
    """The arm stands on its way when it is told to stop."""

    async def work():
        async with shown(of_station(station)) as robot:
            await set_out(robot)
            await robot.stop()
            await at_rest(robot)
            assert robot.state().q[0] < 1.5
            await home(robot)

    asyncio.run(work())


def test_a_lost_robot_comes_back_and_stands(station):
    """Status is lost, moving is refused, and no motion goes on when a robot was away a while."""

    async def work():
        async with shown(of_station(station)) as robot:
            await set_out(robot)
            faults = Faults(station.robots[0])
            await asyncio.to_thread(station.wait, faults.restart(1.0), 5.0)
            await until(lambda: robot.state().status != "lost", "the robot to come back")
            assert robot._lead.goal is None
            where = robot.state().q
            await passed(station, 0.3)
            np.testing.assert_allclose(robot.state().q, where, atol=1e-6)
            station.call(faults.stall, 1.2)
            await until(lambda: robot.state().status == "lost", "the loss to be noticed")
            with pytest.raises(LinkError, match="lost"):
                await robot.move(START, 0.5)
            with pytest.raises(NotDeliveredError, match="NOT DELIVERED, use the robot's own stop"):
                await robot.stop()
            await until(lambda: robot.state().status == "ready", "the robot to go on")
            await home(robot)

    asyncio.run(work())


def test_a_push_is_an_alarm(station):
    """Joint, torque and length of a contact are reported when a joint is pushed for 0.4 s."""

    async def work():
        async with shown(of_station(station)) as robot:
            await passed(station, 0.2)
            before = robot.state().time
            await robot.push(3, 27.0, 0.4)
            await until(lambda: robot.alarms and not robot.alarms[-1].lasting, "the alarm to end")
            alarm, monitor = robot.alarms[-1], robot._feed._monitor
            assert alarm.joint == 3
            assert alarm.torque == pytest.approx(27.0, abs=1.5)
            # A push lasts by the robot's clock; on a busy machine that catches up. Alarms
            # have real time: test_robot_port.py checks their length with samples that come in time.
            lasted = monitor._contact_until - TOGETHER - monitor.alarms[-1].time
            assert lasted == pytest.approx(0.4, abs=0.15)
            assert before - 0.1 < alarm.time <= alarm.end < robot.state().time
            np.testing.assert_allclose(robot.state().threshold[:3], 18.0)
            with pytest.raises(InputError, match="there are 1 to 6"):
                await robot.push(7, 10, 0.4)

    asyncio.run(work())


def test_a_protective_stop_is_unlocked():
    """Moving is refused until the dashboard has unlocked it when a robot was hit hard."""

    async def work(station):
        async with shown(of_station(station)) as robot:
            await robot.push(2, 60.0, 0.2)
            await until(lambda: robot.state().status == "protective stop", "the stop")
            assert any(alarm.text == "protective stop" for alarm in robot.alarms)
            with pytest.raises(LinkError, match="unlock"):
                await robot.move(NEAR, 0.5)
            with pytest.raises(LinkError, match="Cannot unlock"):
                await robot.unlock()
            await passed(station, 0.8)
            assert "releasing" in await robot.unlock()
            await until(lambda: robot.state().status == "ready", "the robot to be ready")

    with running("ur5e", unlock_after=0.7) as station:
        asyncio.run(work(station))


def test_a_real_robot_is_only_watched(station, monkeypatch):
    """Nothing is sent to a robot elsewhere, not even a stop, when nobody said --i-mean-it."""
    monkeypatch.setattr(ur_robot, "is_loopback", lambda host: False)

    async def work():
        controller = station.robots[0].controller
        async with shown(of_station(station)) as robot:
            assert robot.real
            assert not robot.can_move
            assert "watching only" in robot.title
            await until(lambda: robot.state().status == "ready", "its state")
            station.call(controller.log.clear)
            for refused in (robot.move(NEAR, 0.5), robot.follow(NEAR, 0.5), robot.unlock()):
                with pytest.raises(NotPermittedError, match="--i-mean-it"):
                    await refused
            with pytest.raises(NotPermittedError, match="by hand"):
                await robot.push(1, 10, 0.3)
            with pytest.raises(NotDeliveredError, match="watching only"):
                await robot.stop()
            assert robot._remote._writer is None
        assert UrRobot(at.load("ur5e"), "10.0.0.9", i_mean_it=True).can_move

    asyncio.run(work())


def test_no_robot_there():
    """An error says what to do when nobody listens or the arm does not fit."""
    with pytest.raises(LinkError, match="armtwin robot"):
        asyncio.run(UrRobot(at.load("ur5e"), free_host()).start())
    with pytest.raises(InputError, match="six joints"):
        UrRobot(at.load("desktop5"), "127.0.0.1")
    with pytest.raises(InputError, match="six joints"):
        asyncio.run(start_virtual_robot("desktop5"))
    with pytest.raises(UnknownArmError, match="catalogue"):
        asyncio.run(start_virtual_robot("../ur5e"))


def test_a_servo_arm_is_moved(uno):
    """The joints are at their goal, and stand where they are stopped, when a servo arm is led."""

    async def work():
        async with shown(ServoRobot(at.load("desktop5"), uno.port, PATIENT)) as robot:
            assert robot.real
            assert robot.state().status == "limp"
            goal = np.array([0.3, 0.2, -0.2, 0.5, 0.1])
            await robot.move(goal, 1.0)
            await at_rest(robot)
            np.testing.assert_allclose(robot.state().q, goal, atol=2e-3)
            await robot.move(np.array([-1.2, 0.2, -0.2, 0.5, 0.1]), 0.02)
            await until(lambda: robot.state().q[0] < 0.25, "the arm to set out")
            await robot.stop()
            await at_rest(robot)
            assert robot.state().q[0] > -1.0
            uno.cut_power()
            await until(lambda: robot.state().status == "lost", "the loss to be noticed")
            with pytest.raises(LinkError, match="cannot move now"):
                await robot.move(goal, 1.0)
            with pytest.raises(NotDeliveredError, match="NOT DELIVERED, use the robot's own stop"):
                await robot.stop()

    asyncio.run(work())


def test_a_servo_arm_runs_a_taught_program(uno):
    """Both positions are reached in their order when a program runs on a servo arm."""
    goals = np.array([[0.3, 0.2, -0.2, 0.5, 0.1], [-0.2, 0.1, 0.2, 0.3, -0.4]])
    rows = tuple(Position(name=f"p{k}", q=tuple(q), speed=1.0) for k, q in enumerate(goals))

    async def work():
        async with shown(ServoRobot(at.load("desktop5"), uno.port, PATIENT)) as robot:
            runner = ProgramRunner(lambda: robot, lambda client: True)
            await runner.run(TaughtProgram(name="both", arm="desktop5", positions=rows), "me")
            await until(lambda: runner.progress.index == 1, "the first position")
            np.testing.assert_allclose(robot.state().q, goals[0], atol=0.03)
            await until(lambda: runner.progress.mode == "idle", "the end of the program")
            assert runner.progress.text == "finished", runner.progress.error
            np.testing.assert_allclose(robot.state().q, goals[1], atol=2e-3)
            await runner.close()

    asyncio.run(work())


def test_a_servo_arm_is_only_watched(uno):
    """Moving is refused and nothing is sent to the board when nobody said --i-mean-it."""

    async def work():
        async with shown(ServoRobot(at.load("desktop5"), uno.port)) as robot:
            with pytest.raises(NotPermittedError, match="--i-mean-it"):
                await robot.move(np.zeros(5), 0.5)
            with pytest.raises(NotDeliveredError, match="watching only"):
                await robot.stop()
        assert not any(level for _, _, level in uno.log().edges)

    asyncio.run(work())


def test_a_recording_is_played():
    """The state is the row at its time, again from the start, when a recording is played."""
    time_ = np.arange(0, 0.5, 0.01)
    q = np.column_stack([np.sin(time_ + k) for k in range(6)])
    run = at.Recording.of(time_ + 7.0, {"q": q, "power": 100 + time_}, arm="ur5e", origin="made")

    async def work():
        async with shown(ReplayedRobot(at.load("ur5e"), run)) as robot:
            await until(lambda: robot.position > 0.2, "playing")
            robot.paused = True
            robot.seek(0.25)
            state = robot.state()
            np.testing.assert_array_equal(state.q, q[25])
            assert state.power == pytest.approx(100.25)
            assert state.status == "paused"
            assert not state.qd.any()
            robot.seek(0.45)
            robot.paused = False
            await until(lambda: robot.position < 0.3, "the next round")
            assert robot.state().time > 0.2
            for place in (-0.1, 0.6, float("nan")):
                with pytest.raises(InputError, match="the recording has 0 to"):
                    robot.seek(place)
            with pytest.raises(NotPermittedError, match="recording"):
                await robot.move(q[0], 0.5)

    asyncio.run(work())


def test_contacts_of_a_recording_are_reported():
    """An alarm comes when the place where a simulated arm was pushed is played."""
    arm = at.load("ur10e")
    push = at.Push(joint=2, torque=40.0, start=2.0, duration=0.4)
    run = at.simulate(arm, at.Circle(radius=0.2, period=4.0, seconds=4.0), pushes=[push], seed=3)

    async def work():
        async with shown(ReplayedRobot(arm, run)) as robot:
            robot.paused = True
            await until(lambda: robot.state().threshold is not None, "the contacts")
            robot.seek(1.9)
            robot.paused = False
            await until(lambda: robot.alarms, "the alarm")
            assert robot.alarms[0].joint == 2
            assert robot.alarms[0].torque == pytest.approx(40.0, abs=4.0)

    asyncio.run(work())
