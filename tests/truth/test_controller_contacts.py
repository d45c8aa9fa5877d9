"""Contacts and forces that the virtual controller reports, against the physics that makes them."""

import numpy as np
import pytest
from virtual_forces import Q, arm, controller_of, finish, floor, messages, play, steps
from virtual_robots import needs_mujoco

import armtwin as at
from armtwin.robots.ur_controller.body.collisions import CONTACT
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.motion.commands import Commands
from armtwin.robots.ur_controller.state.modes import SafetyMode

pytestmark = needs_mujoco
DOWN = "speedl([0,0,-0.05,0,0,0], 0.5, get_steptime())"


@pytest.fixture(scope="module")
def moved():
    """Return a controller at rest after ordinary moves, and what it saw: residuals and ratios."""
    controller, rng = controller_of(), np.random.default_rng(1)
    raw, ratios = [], []

    def look(controller):
        raw.append(np.abs(controller.collisions._observer.residual).max())
        ratios.append(controller.collisions.ratio)

    for _ in range(6):
        Commands(controller).movej(Q + rng.uniform(-0.4, 0.4, 6), a=3.0, v=1.5)
        while not controller.idle:
            controller.cycle()
            look(controller)
        steps(controller, 0.5, look)
    return controller, np.array(raw), np.array(ratios)


def test_stiction_is_no_contact(moved):
    """No contact is seen during and after ordinary moves when stiction alone would make one."""
    controller, raw, ratios = moved
    limit = CONTACT * controller.collisions._limits[0]
    assert raw.max() > 0.8 * limit  # stiction: with the observer alone this is nearly a contact
    assert ratios.max() < 0.25 * CONTACT
    assert controller.modes.safety == SafetyMode.NORMAL


@pytest.mark.parametrize("joint", [1, 2])
def test_push_at_rest_is_a_contact(moved, joint):
    """A push at rest is a contact when it exceeds the joint's dry friction and the threshold."""
    controller = moved[0]
    controller.collisions.reset()
    seen = []
    controller.external_push.push(joint, 35.0, 0.3)
    steps(controller, 0.3, lambda c: seen.append(c.collisions.ratio))
    assert max(seen) > CONTACT
    steps(controller, 0.6)
    assert controller.collisions.ratio < CONTACT


def test_hard_push_at_rest_is_a_collision():
    """A protective stop names the joint when it is pushed hard at rest."""
    controller = controller_of()
    steps(controller, 0.1)
    controller.external_push.push(2, 90.0, 0.5)
    steps(controller, 0.5)
    assert controller.modes.safety == SafetyMode.PROTECTIVE_STOP
    assert "joint 2" in messages(controller)


def lowered(direction):
    """Return a program that lowers the tool until a contact from a direction, 50 mm at most."""
    return (
        "def lower():\n global touched = 0\n start = get_actual_tcp_pose()\n"
        " while touched == 0 and point_dist(start, get_actual_tcp_pose()) < 0.05:\n"
        f"  touched = tool_contact(direction={direction})\n  {DOWN}\n end\n stopl(5)\nend\n"
    )


@pytest.mark.parametrize(
    ("direction", "seen"),
    [("[0,0,-1,0,0,0]", True), ("[0,0,1,0,0,0]", False), ("[1,0,0,0,0,0]", False)],
)  # fmt: skip
def test_tool_contact_has_a_direction(direction, seen):
    """A floor below is a contact when the tool moves down, not when another direction is asked."""
    controller = controller_of(posts=[floor(0.01, softness=0.05)])
    first = []

    def each(controller):
        if not first and controller.body.plant.force.any():
            first.append(controller.cycles)

    run = play(controller, lowered(direction))
    ends = None
    for _ in range(350):
        controller.cycle()
        each(controller)
        if run.variable("touched") and ends is None:
            ends = controller.cycles
            break
    assert bool(run.variable("touched")) is seen
    if seen:
        assert abs(ends - run.variable("touched") - first[0]) < 15


def test_wrist_sensor_measures_the_contact_force():
    """The force at the tool is the floor's when the wrist rests on it; zeroing takes it away."""
    controller = controller_of(posts=[floor(0.001)])
    press = "force_mode(p[0,0,0,0,0,0],[0,0,1,0,0,0],[0,0,-20,0,0,0],2,[0.1,0.1,0.05,0.2,0.2,0.2])"
    play(controller, f"def press():\n {press}\n sleep(9)\nend\n")
    steps(controller, 1.5)
    force = controller.registers["actual_TCP_force"][:3]
    np.testing.assert_allclose(force, controller.body.plant.force, atol=0.3)
    np.testing.assert_allclose(force[2], 20.0, atol=2.0)
    assert controller.registers.number("tcp_force_scalar") == pytest.approx(np.linalg.norm(force))
    controller.wrist.zero()
    controller.cycle()
    assert np.abs(controller.registers["actual_TCP_force"][:3]).max() < 1.0
    np.testing.assert_allclose(controller.wrist.contact[2], 20.0, atol=2.0)


@pytest.mark.parametrize("gravity", [(0, 0, 9.82), (0, 9.82, 0)])
def test_raw_wrench_holds_the_payload(gravity):
    """The raw wrench is the payload's weight in flange axes when the arm rests; the force is 0."""
    controller = virtual_robot(arm("ur5e"), start=Q).controller
    controller.set_payload(2.0, np.array([0, 0, 0.1]))
    controller.tilt(-np.array(gravity, float))
    controller.cycle()
    R = at.fk(arm("ur5e"), Q)[:3, :3]
    weight = -2.0 * R.T @ np.array(gravity)
    raw = controller.registers["ft_raw_wrench"]
    np.testing.assert_allclose(raw[:3], weight, atol=1e-6)
    np.testing.assert_allclose(raw[3:], np.cross([0, 0, 0.1], weight), atol=1e-6)
    np.testing.assert_allclose(controller.registers["actual_TCP_force"], 0, atol=1e-9)


def test_external_sensor_replaces_the_arms_own():
    """The force at the tool is what clients write, turned to base and moved to the tool."""
    controller = virtual_robot(arm("ur5e"), start=Q).controller
    finish(controller, "def sensor():\n set_tcp(p[0,0,0.1,0,0,0])\n"
           " ft_rtde_input_enable(True, 0.5, [0,0,0.05], [0,0,0.02])\n sync()\nend\n")  # fmt: skip
    controller.registers["external_force_torque"] = [1, 2, 3, 0.1, 0.2, 0.3]
    controller.cycle()
    R = at.fk(arm("ur5e"), Q)[:3, :3]
    found = controller.registers["actual_TCP_force"]
    np.testing.assert_allclose(found[:3], R @ [1, 2, 3], atol=1e-9)
    moment = np.array([0.1, 0.2, 0.3]) + np.cross([0, 0, -0.05], [1, 2, 3])
    np.testing.assert_allclose(found[3:], R @ moment, atol=1e-9)
    finish(controller, "ft_rtde_input_enable(False)\n")
    controller.cycle()
    np.testing.assert_allclose(controller.registers["actual_TCP_force"], 0, atol=1e-9)


def test_payload_inertia_counts():
    """Torques are those of an arm with that body when a payload has moments of inertia."""
    controller = virtual_robot(arm("ur5e"), start=Q).controller
    inertia = (0.03, 0.02, 0.04, 0.001, 0.0, -0.002)
    finish(controller, f"set_target_payload(2, [0,0.01,0.1], {list(inertia)})\n")
    loaded = at.with_payload(arm("ur5e"), 2.0, com=[0, 0.01, 0.1], inertia=inertia)
    qd, qdd = np.linspace(-1, 1, 6), np.linspace(2, -3, 6)
    both = at.inverse_dynamics(arm("ur5e"), Q, qd, qdd) + controller.payload.torque(Q, qd, qdd)
    np.testing.assert_allclose(both, at.inverse_dynamics(loaded, Q, qd, qdd), atol=1e-9)
    assert controller.registers["payload_inertia"].tolist() == pytest.approx(inertia)
    run = finish(controller, "set_target_payload(2, [0,0,0.1], [-1,1,1,0,0,0])\n")
    assert "negative principal moment" in run.error.text


@pytest.mark.parametrize("body", ["kinematic", "dynamic"])
def test_tilted_base(body):
    """An arm on a wall holds its place with the torques of that mounting, payload included."""
    controller = virtual_robot(arm("ur5e"), start=Q, body=body).controller
    controller.set_payload(1.5, np.array([0, 0, 0.05]))
    if body == "dynamic":
        controller.body._coming.result(60)
    finish(controller, "set_gravity([0, 9.82, 0])\n")
    steps(controller, 0.5)
    wall = at.with_payload(arm("ur5e"), 1.5, com=[0, 0, 0.05]).with_(gravity=(0, -9.82, 0))
    np.testing.assert_allclose(controller.body.tau, at.gravity(wall, Q), atol=0.05)
    np.testing.assert_allclose(controller.body.q, Q, atol=1e-3)
    assert controller.collisions.ratio < CONTACT
    run = finish(controller, "set_gravity([0, 0, 0])\n")
    assert "is no gravity" in run.error.text
