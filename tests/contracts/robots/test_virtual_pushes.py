"""A push of any joint of a virtual UR robot with mass is detected by its twin."""

import numpy as np
import pytest
from catalogue_arms import has_masses
from virtual_robots import needs_mujoco

import armtwin as at
from armtwin.app.api.choices import virtual_arms
from armtwin.model.drive import armature
from armtwin.robots.robot import sure_pushes
from armtwin.robots.ur.live_twin import FIELDS, OPTIONAL, Twin
from armtwin.robots.ur.monitor import Monitor
from armtwin.robots.ur_controller.body.rotors import with_rotors
from armtwin.robots.ur_controller.build import START, virtual_robot

pytestmark = needs_mujoco
ARMS = [name for name in virtual_arms("ur10e") if has_masses(name)]
NEAR = 0.05
"""So far a joint may be pushed away [rad]: a UR robot holds its position."""


def sample(controller):
    """Return the controller's readings as a row of RTDE."""
    found = {name: np.squeeze(controller.registers[name]) for name in (*FIELDS, *OPTIONAL)}
    found["timestamp"] = np.array(controller.clock)
    row = np.zeros(1, [(name, float, value.shape) for name, value in found.items()])
    for name, value in found.items():
        row[name] = value
    return row


@pytest.mark.parametrize("name", ARMS)
def test_default_push_of_every_joint_is_reported(name):
    """The alarm names the joint, which stays where it is, when it is pushed with the default."""
    arm = at.load(name)
    controller = virtual_robot(arm, body="dynamic").controller
    defaults = sure_pushes(arm, Monitor(arm).contact_torques)
    for joint, torque in enumerate(defaults, 1):
        monitor = Monitor(arm)
        twin, before = Twin(arm, monitor), controller.body.q[joint - 1]
        controller.external_push.push(joint, float(torque), 0.4)
        for cycle in range(200):
            controller.cycle()
            if cycle % 4 == 0:
                twin.add(sample(controller))
            if monitor.alarms:
                break
        [alarm] = monitor.alarms
        assert (alarm.kind, alarm.joint) == ("contact", joint)
        assert abs(controller.body.q[joint - 1] - before) < NEAR
        controller.push[:] = 0.0
        for _ in range(50):
            controller.cycle()


def test_only_light_links_get_rotors():
    """The wrist of an arm without rotors gets them, heavier links and given rotors stay."""
    q = np.array(START)
    found = [armature(joint.drive) for joint in with_rotors(at.load("ur10e"), q).driven]
    np.testing.assert_allclose(found, [0, 0, 0, 0.42, 0.42, 0.42])
    given = at.load("ur5e-energy")
    assert with_rotors(given, q) is given
