"""Circles and optimised moves of the virtual controller, on both bodies where it matters."""

import numpy as np
import pytest
from virtual_forces import Q, arm, controller_of, finish, messages
from virtual_robots import needs_mujoco

from armtwin.robots.motion_generator import RateLimits
from armtwin.robots.ur.tcp import pose_from_vector
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.motion.tool_moves import Arc

HALF_CIRCLE = (
    "x = get_actual_tcp_pose()\n"
    "movec(pose_add(x, p[0.1,0.1,0,0,0,0]), {to}, a=1, v=0.25, mode={mode})\n"
)
BESIDE = "pose_add(x, p[0,0.2,0,0,0,0])"


def traced(controller, source):
    """Return the poses (n, 4, 4) of the tool and the references' speeds while a program runs."""
    poses, references = [], []

    def look(controller):
        poses.append(pose_from_vector(controller.registers["actual_TCP_pose"]))
        references.append((controller.reference.qd, controller.reference.qdd))

    run = finish(controller, source, 10.0, look)
    assert run.error is None, messages(controller)
    return np.array(poses), np.array(references)


@pytest.mark.parametrize("mode", [0, 1])
def test_movec_is_a_circle(mode):
    """The tool keeps its distance to the centre and its speed; mode 1 turns with the tangent."""
    controller = virtual_robot(arm("ur5e"), start=Q).controller
    start = pose_from_vector(controller.registers["actual_TCP_pose"])
    poses, _ = traced(controller, HALF_CIRCLE.format(to=BESIDE, mode=mode))
    places = poses[:, :3, 3]
    centre = start[:3, 3] + [0, 0.1, 0]
    np.testing.assert_allclose(np.linalg.norm(places - centre, axis=1), 0.1, atol=1e-8)
    np.testing.assert_allclose(places[-1], start[:3, 3] + [0, 0.2, 0], atol=1e-8)
    assert places[:, 0].max() == pytest.approx(start[0, 3] + 0.1, abs=1e-5)
    speeds = np.linalg.norm(np.diff(places, axis=0), axis=1) / controller.dt
    assert speeds.max() == pytest.approx(0.25, rel=1e-3)
    turn = start[:3, :3].T @ poses[-1, :3, :3]
    about_z = np.diag([1.0, 1.0, 1.0] if mode == 0 else [-1.0, -1.0, 1.0])
    np.testing.assert_allclose(turn, start[:3, :3].T @ about_z @ start[:3, :3], atol=1e-7)


def test_movec_continues_a_blended_path():
    """The circle begins at the end of the leg before when that ends in a blend."""
    controller = virtual_robot(arm("ur5e"), start=Q).controller
    start = controller.registers["actual_TCP_pose"][:3].copy()
    blended = "movel(pose_add(get_actual_tcp_pose(), p[0,0,0.05,0,0,0]), r=0.02)\n"
    up = "pose_add(x, p[{},{},0.05,0,0,0])"
    source = ("x = get_actual_tcp_pose()\n" + blended
              + f"movec({up.format(0.05, 0.05)}, {up.format(0, 0.1)})\n")  # fmt: skip
    poses, _ = traced(controller, source)
    places = poses[:, :3, 3]
    level = np.abs(places[:, 2] - start[2] - 0.05) < 1e-9
    assert level.sum() > 200
    away = np.linalg.norm(places[level] - start - [0, 0.05, 0.05], axis=1)
    np.testing.assert_allclose(away, 0.05, atol=1e-7)


def test_movec_needs_three_points_of_a_circle():
    """The program fails with the reason when the points lie on a line."""
    controller = virtual_robot(arm("ur5e"), start=Q).controller
    source = "x = get_actual_tcp_pose()\nmovec(pose_add(x, p[0.1,0,0,0,0,0]), pose_add(x, p[0.2,0,0,0,0,0]))\n"  # fmt: skip # noqa: E501
    finish(controller, source, 1.0)
    assert "must not lie on a line" in messages(controller)


def test_arc_goes_the_way_of_its_via_point():
    """The angle is above or below half a turn as the via point says."""
    start, end = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
    short = Arc(start, np.array([np.sqrt(0.5), np.sqrt(0.5), 0]), end)
    long = Arc(start, np.array([-1.0, 0, 0]), end)
    assert (short.angle, long.angle) == pytest.approx((np.pi / 2, 3 * np.pi / 2))
    np.testing.assert_allclose(long.point(long.angle), end, atol=1e-12)


def test_optimovej_takes_its_shares():
    """Some joint runs at its share of speed or acceleration, and none exceeds them."""
    controller = virtual_robot(arm("ur5e"), start=Q).controller
    target = Q + [0.4, 0.4, -0.3, 0, 0, 1.0]
    _, references = traced(controller, f"optimovej({target.tolist()}, a=0.5, v=0.4)\n")
    np.testing.assert_allclose(controller.body.q, target, atol=1e-9)
    limits = RateLimits.of(arm("ur5e"))
    speeds = np.abs(references[:, 0]).max(0) / (0.4 * limits.speed)
    rates = np.abs(references[:, 1]).max(0) / (0.5 * limits.acceleration)
    assert (speeds.max(), rates.max()) == pytest.approx((1.0, 1.0), abs=1e-6)


def test_optimovel_is_straight_and_within_its_shares():
    """The tool goes straight and no joint exceeds its shares, while one comes close."""
    controller = virtual_robot(arm("ur5e"), start=Q).controller
    source = "optimovel(pose_add(get_actual_tcp_pose(), p[0.1,-0.2,0.1,0,0,0]), a=0.5, v=0.4)\n"
    poses, references = traced(controller, source)
    places = poses[:, :3, 3] - poses[0, :3, 3]
    along = places @ places[-1] / np.linalg.norm(places[-1])
    off = places - np.outer(along, places[-1] / np.linalg.norm(places[-1]))
    assert np.abs(off).max() < 1e-8
    limits = RateLimits.of(arm("ur5e"))
    speeds = np.abs(references[:, 0]).max(0) / (0.4 * limits.speed)
    rates = np.abs(references[:, 1]).max(0) / (0.5 * limits.acceleration)
    assert 0.8 < max(speeds.max(), rates.max()) < 1.02


@needs_mujoco
def test_circle_on_a_dynamic_body():
    """A body with mass and friction follows the circle within a millimetre."""
    controller = controller_of()
    start = controller.registers["actual_TCP_pose"][:3].copy()
    poses, _ = traced(controller, HALF_CIRCLE.format(to=BESIDE, mode=0))
    away = np.linalg.norm(poses[:, :3, 3] - start - [0, 0.1, 0], axis=1)
    assert np.abs(away - 0.1).max() < 1e-3


JOINT = "movej([{0}, -1.4, 1.5, -1.6, -1.5, 0.0], {1})\n"
CORNERS = {
    "movej t": JOINT.format(0.4, "t=1, r={r}") + JOINT.format(0.8, "t=1"),
    "movel t": "movel(pose_add(x, p[0,0.1,0,0,0,0]), t=1, r={r})\n"
    "movel(pose_add(x, p[0,0.1,0.1,0,0,0]), t=1)\n",
    "movec": "movec(pose_add(x, p[0.05,0.05,0,0,0,0]), pose_add(x, p[0,0.1,0,0,0,0]), v=0.2, r={r})"
    "\nmovel(pose_add(x, p[0,0.1,0.1,0,0,0]))\n",
    "optimovej": "optimovej([0.4, -1.4, 1.5, -1.6, -1.5, 0.0], a=0.2, v=0.2, r={r})\n"
    "optimovej([0.8, -1.4, 1.5, -1.6, -1.5, 0.0], a=0.2, v=0.2)\n",
    "optimovel": "optimovel(pose_add(x, p[0,0.1,0,0,0,0]), a=0.1, v=0.2, r={r})\n"
    "optimovel(pose_add(x, p[0,0.1,0.1,0,0,0]), a=0.1, v=0.2)\n",
}


@pytest.mark.parametrize("kind", CORNERS)
def test_corner_of_every_move_is_blended(kind):
    """The arm passes the corner without a stop, inside the radius, when a move has one."""
    seen = {}
    for radius in (0.0, 0.03):
        controller = virtual_robot(arm("ur5e"), start=Q).controller
        source = "x = get_actual_tcp_pose()\n" + CORNERS[kind].format(r=radius)
        poses, references = traced(controller, source)
        speed = np.abs(references[:, 0]).max(axis=1)
        middle = slice(len(speed) // 8, -len(speed) // 8)
        seen[radius] = (len(speed), speed[middle].min(), poses)
    assert seen[0.03][0] < seen[0.0][0]
    assert seen[0.0][1] < 0.01 < seen[0.03][1]
    np.testing.assert_allclose(seen[0.03][2][-1], seen[0.0][2][-1], atol=1e-6)
    stop = seen[0.0][2][:, :3, 3]
    still = np.linalg.norm(np.diff(stop, axis=0), axis=1)[len(stop) // 8 : -len(stop) // 8]
    corner = stop[len(stop) // 8 + int(np.argmin(still))]
    passed = np.linalg.norm(seen[0.03][2][:, :3, 3] - corner, axis=1).min()
    assert passed <= 0.03


def test_timed_blended_legs_keep_their_times():
    """Two legs of one second take one second each, less the blend, when both have a time."""
    controller = virtual_robot(arm("ur5e"), start=Q).controller
    poses, references = traced(controller, CORNERS["movej t"].format(r=0.01))
    seconds = len(poses) * controller.dt
    assert 1.8 < seconds < 2.0
    assert np.abs(references[:, 0]).max() <= 4 / 3 * 0.8 + 1e-9
