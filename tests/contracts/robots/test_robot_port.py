"""Every robot keeps the contract of the port, with a clock of the test's own."""

import asyncio
from collections import deque

import numpy as np
import pytest
from waiting import ManualClock

import armtwin as at
from armtwin.detection.alarms import Alarm
from armtwin.errors import InputError, NotPermittedError
from armtwin.robots.replay import ReplayedRobot
from armtwin.robots.robot import FOLLOW_TIMEOUT, Robot
from armtwin.robots.sample import Sample
from armtwin.robots.servo.servo_robot import ServoRobot
from armtwin.robots.simulated_arm import SimulatedArm
from armtwin.robots.ur.monitor import Monitor, RobotAlarms
from armtwin.robots.ur.ur_robot import UrRobot

ARM = at.load("ur5e")


def recording():
    """Return two seconds of a joint that turns."""
    time = np.arange(200) / 100
    return at.Recording.of(time, {"q": np.outer(np.sin(time), np.ones(6))}, arm="ur5e")


MAKERS = {
    "simulated": lambda clock: SimulatedArm(ARM, clock=clock),
    "ur": lambda clock: UrRobot(ARM, "127.0.0.77", clock=clock),
    "servo": lambda clock: ServoRobot(at.load("desktop5"), "no port", clock=clock),
    "replay": lambda clock: ReplayedRobot(ARM, recording(), clock=clock),
}


@pytest.fixture(params=MAKERS)
def robot(request):
    """One robot of every kind, not started."""
    return MAKERS[request.param](ManualClock())


def test_state_has_the_arm_s_shape(robot):
    """Positions, speeds and target have one number per joint when any robot is asked."""
    state = robot.state()
    assert isinstance(robot, Robot)
    for values in (state.q, state.qd, state.target):
        assert values.shape == (robot.arm.dof,)
    assert not state.moving or robot.kind == "recording"
    assert list(robot.alarms) == []


def test_impossible_requests_are_refused(robot):
    """An error of ours is raised when a robot that cannot move now gets a bad or any target."""
    q = np.zeros(robot.arm.dof)
    with pytest.raises((InputError, NotPermittedError)):
        asyncio.run(robot.move(q, 1.5))
    with pytest.raises((InputError, NotPermittedError)):
        asyncio.run(robot.follow(q, 0.0))
    q[0] = 50.0
    with pytest.raises(at.ArmTwinError):
        asyncio.run(robot.move(q, 0.5))
    assert not robot.state().moving or robot.kind == "recording"


def test_only_the_clock_moves_a_simulated_arm():
    """The state is the same however often it is read when the clock stands."""
    clock = ManualClock()
    robot = SimulatedArm(ARM, clock=clock)
    asyncio.run(robot.follow(robot.state().q + 1.0, 1.0))
    clock.now = FOLLOW_TIMEOUT / 2
    first = robot.state()
    for _ in range(3):
        np.testing.assert_array_equal(robot.state().q, first.q)
    assert first.time == FOLLOW_TIMEOUT / 2


def sample(time, torque):
    """Return a sample of a resting robot with an external torque at joint 2."""
    zero = np.zeros(6)
    residual = np.array([0.0, torque, 0.0, 0.0, 0.0, 0.0])
    return Sample(
        time, zero, zero, zero, zero, zero, zero, residual, zero, (0.0, 0.0), 0.0, 0.0, 7, 1
    )


def test_a_contact_is_one_alarm_from_begin_to_end():
    """The robot's alarm has the monitor's joint, the largest torque and an end when it is over."""
    monitor, alarms = Monitor(ARM), deque()
    follower = RobotAlarms(monitor, alarms)
    largest = 2 * monitor.contact_torques[1]
    for step in range(400):
        time = 0.008 * step
        torque = largest if 0.8 <= time < 1.2 else 0.0
        taken = sample(time, torque)
        monitor.look(taken)
        follower.update(taken, 100.0 + time)
        if step == 125:
            assert alarms[-1].lasting
    assert [alarm.kind for alarm in alarms] == ["contact"]
    (alarm,) = alarms
    assert isinstance(alarm, Alarm)
    assert (alarm.joint, alarm.torque, alarm.lasting) == (2, largest, False)
    assert alarm.time == pytest.approx(100.81, abs=0.017)
    assert alarm.end == pytest.approx(101.2, abs=0.02)
    assert alarm.text == f"{largest:.1f} Nm at joint 2"


@pytest.mark.parametrize(
    ("pushes", "count"),
    [
        ([(0.5, 0.508)], 0),
        ([(0.5, 0.6)], 1),
        ([(0.5, 0.7), (0.85, 1.0)], 1),
        ([(0.5, 0.7), (1.3, 1.5)], 2),
    ],
)
def test_contacts_are_counted_by_the_detectors_rule(pushes, count):
    """Contacts close together are one, and one sample is none, when torques cross the threshold."""
    monitor = Monitor(ARM)
    for step in range(300):
        time = 0.008 * step
        pushed = any(begin <= time < end for begin, end in pushes)
        monitor.look(sample(time, 1.8 * monitor.contact_torques[1] * pushed))
    assert monitor.contacts == len(monitor.alarms) == count
    assert not monitor.in_contact
