"""Force mode, freedrive and direct torque of the virtual controller on a body with physics."""

import numpy as np
import pytest
from virtual_forces import Q, arm, controller_of, floor, messages, play, steps
from virtual_robots import needs_mujoco

import armtwin as at
from armtwin.model.drive import torque_scales
from armtwin.robots.ur_controller.motion.task_frames import TaskFrame
from armtwin.robots.ur_controller.state.modes import SafetyMode
from armtwin.simulation.sensors import Sensors

pytestmark = needs_mujoco
ZERO = "[0,0,0,0,0,0]"


def torque_program(torque=ZERO, scales=""):
    """Return a program that sets torques in every cycle."""
    return f"def torque():\n while True:\n  direct_torque({torque}{scales})\n end\nend\n"


def tool(controller):
    """Return the actual pose vector of the tool (6,)."""
    return controller.registers["actual_TCP_pose"].copy()


# Direct torque


def test_direct_torque_accelerates_by_the_mass_matrix():
    """An arm without friction accelerates by M^-1 tau when torques are set: gravity is taken.

    M is that of the body, whose wrist has rotors.
    """
    controller = controller_of("ur5e")
    tau = np.array([4.0, -3.0, 2.0, 0.1, 0.05, 0.002])
    play(controller, torque_program(tau.tolist()))
    steps(controller, 0.02)
    wanted = np.linalg.solve(at.mass_matrix(controller.body.arm, Q), tau)
    np.testing.assert_allclose(controller.body.qd / 0.02, wanted, rtol=0.02, atol=0.05)


def test_zero_torque_arm_stays():
    """The arm moves below 1e-4 rad and 2e-4 rad/s in 5 s when it came to rest at zero torque."""
    controller = controller_of(sensors=Sensors())
    viscous, coulomb = (share.tolist() for share in torque_scales(arm()))
    scales = f", viscous_scale={viscous}, coulomb_scale={coulomb}"
    play(controller, torque_program(scales=scales))
    controller.external_push.push(2, 25.0, 0.1)
    steps(controller, 1.0)
    plant = controller.body.plant
    assert abs(plant.q[1] - Q[1]) > 0.01
    start, speeds = plant.q.copy(), []
    steps(controller, 5.0, lambda c: speeds.append(np.abs(plant.qd).max()))
    assert np.abs(plant.q - start).max() < 1e-4
    assert max(speeds) < 2e-4
    assert controller.modes.safety == SafetyMode.NORMAL


def test_friction_compensation_lets_the_arm_coast():
    """A joint that was pushed coasts farther when more of its friction is compensated."""
    ways = []
    for share in (0.0, 0.5, 0.8):
        controller = controller_of()
        scale = f"[{', '.join([str(share)] * 6)}]"
        scales = f", viscous_scale={scale}, coulomb_scale={scale}"
        play(controller, torque_program(scales=scales))
        controller.external_push.push(1, 40.0, 0.1)
        steps(controller, 0.6)
        ways.append(controller.body.q[0] - Q[0])
    assert 0 < ways[0] < 0.8 * ways[1] < 0.8 * ways[2]


def test_position_control_takes_over_without_new_torques():
    """The arm brakes and holds its place when the program sets torques no more."""
    controller = controller_of("ur5e")
    source = (
        "def once():\n direct_torque([20,0,0,0,0,0])\n direct_torque([20,0,0,0,0,0])\n sleep(9)\n"
    )
    play(controller, source + "end\n")
    steps(controller, 0.006)
    assert controller.body.qd[0] > 0.01
    steps(controller, 0.5)
    held = controller.body.q.copy()
    controller.push = np.array([10.0, 0, 0, 0, 0, 0])
    steps(controller, 1.0)
    np.testing.assert_allclose(controller.body.q, held, atol=2e-3)


# Freedrive


def test_freedrive_follows_a_push_and_stays():
    """The arm moves when it is pushed and stays where it is let go; ending it holds the place."""
    controller = controller_of()
    play(controller, "def free():\n freedrive_mode()\n sleep(2.5)\n end_freedrive_mode()\n"
         " sleep(9)\nend\n")  # fmt: skip
    steps(controller, 0.2)
    np.testing.assert_allclose(controller.body.q, Q, atol=1e-4)
    controller.external_push.push(2, 20.0, 0.3)
    steps(controller, 1.5)
    place = controller.body.q.copy()
    assert place[1] > Q[1] + 0.05
    steps(controller, 1.0)
    np.testing.assert_allclose(controller.body.q, place, atol=2e-3)
    assert controller.modes.safety == SafetyMode.NORMAL


def test_freedrive_knows_the_payload():
    """A loaded arm without friction neither sinks nor coasts on when it was pushed and let go."""
    controller = controller_of("ur5e")
    controller.set_payload(3.0, np.array([0, 0, 0.05]), np.array([0.02, 0.02, 0.02, 0, 0, 0]))
    controller.body._coming.result(60)
    play(controller, "def free():\n freedrive_mode()\n sleep(20)\nend\n")
    steps(controller, 0.2)
    np.testing.assert_allclose(controller.body.q, Q, atol=1e-4)
    controller.external_push.push(3, 15.0, 0.2)
    steps(controller, 3.0)
    assert controller.body.q[2] > Q[2] + 0.1
    assert np.abs(controller.body.qd).max() < 0.02


def test_freedrive_keeps_constrained_axes():
    """The tool moves along its free axis only when a force pushes it askew."""
    controller = controller_of()
    play(controller, "def free():\n freedrive_mode([1,0,0,0,0,0])\n sleep(20)\nend\n")
    steps(controller, 0.1)
    before, J = tool(controller), controller.tcp.state(controller.body.q, controller.body.qd).J
    controller.push = J.T @ np.array([50.0, 30.0, -30.0, 0, 0, 0])
    steps(controller, 0.2)
    controller.push = np.zeros(6)
    steps(controller, 0.8)
    T = [at.robots.ur.tcp.pose_from_vector(x) for x in (before, tool(controller))]
    shift = T[1][:3, 3] - T[0][:3, 3]
    assert shift[0] > 0.02
    assert np.abs(shift[1:]).max() < 2e-3
    assert np.trace(T[0][:3, :3].T @ T[1][:3, :3]) > 3 - 1e-4
    assert messages(controller) == ""


def test_freedrive_status():
    """The status is 0 in normal operation and 1 where constrained axes are near a singularity."""
    near = np.array([0.1, -1.4, 0.1, -1.6, -1.5, 0.2])  # elbow almost stretched
    found = []
    for start in (Q, near):
        controller = controller_of(start=start)
        run = play(controller, "def free():\n global x = 0\n freedrive_mode([1,1,1,0,0,0])\n"
                   " sleep(0.1)\n x = get_freedrive_status()\n sleep(9)\nend\n")  # fmt: skip
        steps(controller, 0.15)
        found.append(run.variable("x"))
    assert found == [0, 1]


# Force mode


def force_program(wrench, limits, *, axes="[0,0,1,0,0,0]", frame=ZERO, kind=2, then="sleep(20)"):
    """Return a program that enters force mode."""
    call = f"force_mode(p{frame}, {axes}, {wrench}, {kind}, {limits})"
    return f"def push():\n {call}\n {then}\nend\n"


@pytest.mark.parametrize(("force", "limit", "softness"), [(20.0, 0.05, 0.01), (90.0, 0.03, 0.005)])
def test_force_mode_reaches_its_force(force, limit, softness):
    """The floor takes the force within 1 N or 5 %, and the way there keeps the speed limit."""
    controller = controller_of(posts=[floor(0.004, softness=softness)])
    limits = [0.1, 0.1, limit, 0.2, 0.2, 0.2]
    play(controller, force_program([0, 0, -force, 0, 0, 0], limits))
    speeds, forces, before = [], [], tool(controller)

    def look(controller):
        speeds.append(-controller.registers["actual_TCP_speed"][2])
        forces.append(controller.body.plant.force[2])

    steps(controller, 2.6, look)
    assert max(speeds) < limit
    assert np.abs(np.array(forces[-250:]) - force).max() < max(1.0, 0.05 * force)
    assert np.abs(tool(controller) - before)[:2].max() < 1e-3
    assert controller.modes.safety == SafetyMode.NORMAL


def test_force_mode_yields_and_leads_the_other_axes():
    """The tool follows a line along led axes while it presses along the compliant one."""
    controller = controller_of(posts=[floor(0.001)])
    along = "movel(pose_add(get_target_tcp_pose(), p[0.05,0,0.03,0,0,0]), v=0.05)\n sleep(9)"
    program = force_program(
        [0, 0, -15, 0, 0, 0], [0.05] * 3 + [0.2] * 3, then=f"sleep(0.6)\n {along}"
    )
    play(controller, program)
    before, forces = tool(controller), []
    steps(controller, 0.8)
    steps(controller, 1.6, lambda c: forces.append(c.body.plant.force[2]))
    shift = tool(controller) - before
    np.testing.assert_allclose(shift[:2], [0.05, 0.0], atol=2e-3)
    assert abs(shift[2]) < 5e-3  # not the 30 mm of the planned line
    assert 5 < np.mean(forces) < 25


def test_force_mode_stops_at_its_deviation_limit():
    """A protective stop comes when a led axis is pushed farther off than its limit."""
    controller = controller_of("ur5e")
    play(controller, force_program(ZERO, [0.002, 0.1, 0.1, 0.2, 0.2, 0.2]))
    steps(controller, 0.05)
    J = controller.tcp.state(controller.body.q, controller.body.qd).J
    controller.push = J.T @ np.array([250.0, 0, 0, 0, 0, 0])
    steps(controller, 0.1)
    assert controller.modes.safety == SafetyMode.PROTECTIVE_STOP
    assert "axis x is too far" in messages(controller)


def test_force_mode_ends_with_the_program():
    """The arm holds its place when the program that pushed it has ended."""
    controller = controller_of("ur5e")
    play(controller, force_program([0, 20, 0, 0, 0, 0], [0.1] * 6, axes="[0,1,0,0,0,0]",
                                   then="sleep(0.4)"))  # fmt: skip
    start = tool(controller)
    steps(controller, 0.6)
    assert controller.motion.compliance is None
    assert tool(controller)[1] > start[1] + 0.01
    held = controller.body.q.copy()
    steps(controller, 0.3)
    np.testing.assert_allclose(controller.body.q, held, atol=1e-3)


def test_pause_holds_the_arm():
    """The arm stands while its program pauses, and pushes on when it is resumed."""
    controller = controller_of("ur5e")
    play(controller, force_program([0, 20, 0, 0, 0, 0], [0.1] * 6, axes="[0,1,0,0,0,0]"))
    steps(controller, 0.3)
    controller.programs.pause()
    steps(controller, 0.1)
    place = tool(controller)
    steps(controller, 0.2)
    np.testing.assert_allclose(tool(controller), place, atol=1e-3)
    controller.programs.resume()
    steps(controller, 0.3)
    assert tool(controller)[1] > place[1] + 0.01


def test_motion_goes_on_after_force_mode():
    """A line that another thread has begun is led back to, slowly, when force mode ends."""
    controller = controller_of("ur5e")
    target = "pose_add(x, p[0.06,0,0,0,0,0])"
    play(controller, "def both():\n x = get_actual_tcp_pose()\n thread line():\n"
         f"  movel({target}, v=0.05)\n end\n"
         " force_mode(p[0,0,0,0,0,0], [0,1,0,0,0,0], [0,20,0,0,0,0], 2,"
         " [0.1,0.1,0.1,0.2,0.2,0.2])\n h = run line()\n sleep(0.4)\n end_force_mode()\n"
         " join h\n sleep(0.2)\nend\n")  # fmt: skip
    start, offs, speeds = tool(controller), [], []

    def look(controller):
        offs.append(tool(controller)[1] - start[1])
        speeds.append(np.abs(controller.reference.qd).max())

    steps(controller, 1.7, look)
    assert max(offs) > 0.015
    np.testing.assert_allclose(tool(controller)[:3] - start[:3], [0.06, 0, 0], atol=1e-3)
    assert max(speeds) < 0.5
    assert messages(controller) == ""


def test_task_frames():
    """Axes point as UR documents them when a frame follows the tool's place or velocity."""
    tool_at, frame = np.eye(4), np.eye(4)
    tool_at[:3, 3], frame[:3, 3] = (0.3, 0.1, 0.2), (0.3, 0.5, 0.2)
    still, moving = np.zeros(6), np.array([0.1, 0.1, 0.4, 0, 0, 0])
    np.testing.assert_array_equal(TaskFrame(frame, 2).axes(tool_at, moving), np.eye(3))
    pointing = TaskFrame(frame, 1)
    np.testing.assert_allclose(pointing.axes(tool_at, still)[:, 1], [0, 1, 0])
    tool_at[:3, 3] = (0.8, 0.5, 0.2)
    R = pointing.axes(tool_at, still)
    np.testing.assert_allclose(R[:, 1], [-1, 0, 0])
    np.testing.assert_allclose([np.linalg.det(R), *(R.T @ R).ravel()], [1, *np.eye(3).ravel()])
    following = TaskFrame(frame, 3)
    assert following.axes(tool_at, still) is None
    R = following.axes(tool_at, moving)
    np.testing.assert_allclose(R[:, 0], [np.sqrt(0.5), np.sqrt(0.5), 0])
    np.testing.assert_allclose(R[:, 2], [0, 0, 1])
    np.testing.assert_array_equal(following.axes(tool_at, still), R)
