"""Pushes of simulated arms of every size are detected; what is no push is not."""

import asyncio

import numpy as np
import pytest
from waiting import ManualClock

import armtwin as at
from armtwin.errors import InputError
from armtwin.model.drive import typical_efforts
from armtwin.robots.robot import sure_pushes
from armtwin.robots.simulated_arm import SimulatedArm
from armtwin.robots.ur.monitor import contact_torques

ARMS = at.arm_names()


def pushed(arm, joint, torque, seconds=0.4, every=0.02):
    """Push a joint and read the state for two seconds; return the robot and the estimates."""
    clock = ManualClock()
    robot = SimulatedArm(arm, clock=clock)
    assert robot.state().residual is None
    asyncio.run(robot.push(joint, torque, seconds))
    seen = []
    for _ in range(round(2.0 / every)):
        clock.now += every
        seen.append(robot.state().residual.copy())
    return robot, np.array(seen)


@pytest.mark.parametrize("name", ARMS)
def test_default_push_of_every_joint_is_one_contact(name):
    """One alarm names the joint and nearly the torque when it is pushed with the default."""
    arm = at.load(name)
    defaults = sure_pushes(arm, contact_torques(arm))
    assert (defaults > 1.6 * contact_torques(arm)).all()
    assert (defaults < 0.25 * typical_efforts(arm)).all()  # a UR controller stops there
    for joint, size in enumerate(defaults, 1):
        torque = size if joint % 2 else -size
        robot, _ = pushed(arm, joint, torque, every=0.1)
        [alarm] = robot.alarms
        assert (alarm.kind, alarm.joint, alarm.lasting) == ("contact", joint, False)
        assert alarm.torque == pytest.approx(torque, rel=1e-3)
        assert 0.0 < alarm.time < 0.2 < alarm.end < 1.0


def test_weak_push_is_no_contact():
    """Nothing is reported when a push stays below the threshold."""
    arm = at.load("panda")
    robot, seen = pushed(arm, 4, 0.9 * contact_torques(arm)[3])
    assert not robot.alarms
    assert seen[:, 3].max() == pytest.approx(0.9 * contact_torques(arm)[3], rel=1e-3)


def test_estimate_is_that_of_the_observer():
    """The estimate rises with 25 1/s, falls to zero, and is the same however often it is read."""
    arm = at.load("ur3e")
    coarse, fine = (pushed(arm, 1, 30.0, every=step)[1] for step in (0.08, 0.008))
    np.testing.assert_allclose(coarse, fine[9::10], atol=1e-12)
    time = 0.008 * np.arange(1, 51)
    np.testing.assert_allclose(fine[:50, 0], 30.0 * (1 - np.exp(-25.0 * time)), rtol=1e-9)
    assert not fine[-1].any()
    assert not fine[:, 1:].any()


def test_alarm_comes_from_a_clock_that_jumps():
    """The alarm is the same when nobody reads the state until the push is over."""
    arm = at.load("ur3e")
    robot, _ = pushed(arm, 2, 30.0, every=2.0)
    other, _ = pushed(arm, 2, 30.0)
    assert robot.alarms == other.alarms


def test_joint_that_is_not_there_is_refused():
    """An error names the joints when another one is pushed."""
    robot = SimulatedArm(at.load("panda"), clock=ManualClock())
    with pytest.raises(InputError, match="1 to 7"):
        asyncio.run(robot.push(8, 10.0, 0.4))
