"""What a virtual controller makes of its commands, without a network and faster than the clock."""

import numpy as np
import pytest
from virtual_robots import needs_mujoco

import armtwin as at
from armtwin.robots.ur.tcp import pose_from_vector, vector_from_pose
from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.motion.blending import Leg
from armtwin.robots.ur_controller.motion.commands import Commands
from armtwin.robots.ur_controller.script_programs import run_script
from armtwin.robots.ur_controller.state.modes import RobotMode, RuntimeState, SafetyMode
from armtwin.simulation.pushes import Post

Q = np.array([0.1, -1.4, 1.5, -1.6, -1.5, 0.2])
DT = 0.002


@pytest.fixture
def controller():
    """A controller of a UR5e at Q."""
    return virtual_robot("ur5e", start=Q, unlock_after=0.1).controller


def run(controller, seconds=60.0, *, until_idle=True):
    """Let time pass; return references q, qd (n, 6) and tool poses (n, 4, 4)."""
    q, qd, T = [], [], []
    for _ in range(int(seconds / DT)):
        controller.cycle()
        q.append(controller.reference.q.copy())
        qd.append(controller.reference.qd.copy())
        T.append(controller.tcp.state(q[-1], qd[-1]).T.copy())
        if until_idle and controller.idle:
            return np.array(q), np.array(qd), np.array(T)
    assert not until_idle, "the arm did not come to rest"
    return np.array(q), np.array(qd), np.array(T)


def messages(controller):
    """Return what the controller has said."""
    return " ".join(text.message for text in controller.texts)


def test_movej_is_a_trapezoid(controller):
    """Duration, top speed and end are those of the trapezoid when movej runs."""
    goal = Q + [1.0, 0.5, 0, 0, 0, 0]
    Commands(controller).movej(goal, a=2.0, v=0.8)
    q, qd, _ = run(controller)
    assert len(q) * DT == pytest.approx(1.0 / 0.8 + 0.8 / 2.0, abs=2 * DT)
    assert np.abs(qd).max() == pytest.approx(0.8)
    np.testing.assert_allclose(q[-1], goal, atol=1e-12)
    assert not controller.reference.qd.any()
    np.testing.assert_allclose(np.diff(q, axis=0) / DT, (qd[1:] + qd[:-1]) / 2, atol=1e-2)
    along = (q - Q)[:, :2]
    np.testing.assert_allclose(along[:, 1], along[:, 0] / 2, atol=1e-12)


def test_movej_never_exceeds_joint_speeds(controller):
    """The joints stay within their own top speeds when a program asks for more."""
    Commands(controller).movej(Q + [2.0, 0, 0, 0, 0, -2.0], a=50.0, v=9.0)
    _, qd, _ = run(controller)
    assert np.abs(qd).max() <= np.pi + 1e-9
    assert controller.modes.safety == SafetyMode.NORMAL


def test_movej_in_given_time(controller):
    """The move takes as long as was asked for when it is given a time."""
    Commands(controller).movej(Q + 0.3, t=2.0)
    assert len(run(controller)[0]) * DT == pytest.approx(2.0, abs=2 * DT)


def test_movel_is_straight(controller):
    """The tool stays on its line and turns about one axis when movel runs."""
    start = controller.tcp.state(Q, 0 * Q).T
    end = pose_from_vector([-0.45, -0.3, 0.35, 2.0, 2.2, 0.2])
    Commands(controller).movel(end, a=1.2, v=0.25)
    _, qd, T = run(controller)
    way = end[:3, 3] - start[:3, 3]
    along = (T[:, :3, 3] - start[:3, 3]) @ way / (way @ way)
    np.testing.assert_allclose(T[:, :3, 3], start[:3, 3] + np.outer(along, way), atol=1e-8)
    assert (np.diff(along) > -1e-12).all()
    np.testing.assert_allclose(T[-1], end, atol=1e-8)
    turns = [vector_from_pose(X @ np.linalg.inv(start))[3:] for X in T[5:]]
    axes = turns / np.linalg.norm(turns, axis=1)[:, None]
    np.testing.assert_allclose(axes, np.tile(axes[-1], (len(axes), 1)), atol=1e-5)


def test_tool_centre_point_is_led(controller):
    """The tip, not the flange, goes straight when a tool centre point is set."""
    controller.tcp.set([0.05, 0, 0.2, 0.3, 0, 0])
    start = controller.tcp.state(Q, 0 * Q).T
    end = start.copy()
    end[2, 3] += 0.1
    end[:3, :3] = pose_from_vector([0, 0, 0, 0, 0, 0.4])[:3, :3] @ end[:3, :3]
    Commands(controller).movel(end)
    _, _, T = run(controller)
    np.testing.assert_allclose(T[:, :2, 3], np.tile(start[:2, 3], (len(T), 1)), atol=1e-8)
    np.testing.assert_allclose(T[-1], end, atol=1e-8)
    flange = at.fk(controller.arm, controller.reference.q)
    assert np.linalg.norm(flange[:2, 3] - at.fk(controller.arm, Q)[:2, 3]) > 0.01


def test_stop_on_the_line(controller):
    """The tool brakes along its line at the given rate when stopl comes amid a movel."""
    start = controller.tcp.state(Q, 0 * Q).T
    end = start.copy()
    end[:3, 3] += [0.0, 0.0, 0.2]
    commands = Commands(controller)
    commands.movel(end, v=0.25, a=2.0)
    run(controller, 0.4, until_idle=False)
    speed = controller.tcp.state(controller.reference.q, controller.reference.qd).twist[2]
    commands.stopl(0.5)
    _, _, T = run(controller)
    assert len(T) * DT == pytest.approx(speed / 0.5, abs=0.01)
    np.testing.assert_allclose(T[:, :2, 3], np.tile(start[:2, 3], (len(T), 1)), atol=1e-6)


def test_servo_lags_by_the_lookahead(controller):
    """An evenly moving target is followed the lookahead time late when servoj is streamed."""
    commands, speed, lookahead = Commands(controller), 0.4, 0.12
    for k in range(1000):
        commands.servoj(Q + [speed * k * DT, 0, 0, 0, 0, 0], lookahead_time=lookahead, gain=300)
        controller.cycle()
    late = speed * 999 * DT - (controller.reference.q[0] - Q[0])
    assert late / speed == pytest.approx(lookahead, rel=0.02)


def test_servo_far_away_keeps_to_speeds(controller):
    """The joints stay within their speeds and arrive when servoj's target is far away."""
    commands = Commands(controller)
    commands.servoj(Q + [1.5, 0, 0, 0, 0, 0], lookahead_time=0.03, gain=2000)
    q, qd, _ = run(controller, 2.0, until_idle=False)
    assert np.abs(qd).max() <= np.pi + 1e-9
    np.testing.assert_allclose(q[-1], Q + [1.5, 0, 0, 0, 0, 0], atol=1e-6)


@pytest.mark.parametrize("blend", [0.0, 0.02, 0.05])
def test_blend_radius(controller, blend):
    """The tool passes the corner within the radius, without a stop, when legs are blended."""
    a = Q + [0.4, 0, 0, 0, 0, 0]
    b = a + [0, -0.3, 0, 0, 0, 0]
    corner = controller.tcp.state(a, 0 * Q).T[:3, 3]
    Commands(controller).path([Leg(a, 1.0, 3.0, blend), Leg(b, 1.0, 3.0)])
    q, qd, T = run(controller)
    nearest = np.linalg.norm(T[:, :3, 3] - corner, axis=1)
    assert nearest.min() <= max(blend, 1e-5)
    slowest = np.abs(qd[10:-10]).max(axis=1).min()
    assert (slowest < 0.02) == (blend == 0.0)
    np.testing.assert_allclose(q[-1], b, atol=1e-12)


def test_blended_lines(controller):
    """Straight legs meet in a rounded corner inside the radius when movel legs are blended."""
    start = controller.tcp.state(Q, 0 * Q).T
    first, second = start.copy(), start.copy()
    first[2, 3] += 0.1
    second[:3, 3] = first[:3, 3] + [0, 0.1, 0]
    progress = []
    legs = [Leg(first, 0.2, 1.0, 0.03), Leg(second, 0.2, 1.0)]
    Commands(controller).path(legs, progress.append)
    _, _, T = run(controller)
    off = np.linalg.norm(T[:, :3, 3] - first[:3, 3], axis=1)
    assert 1e-4 < off.min() <= 0.03
    outside = off > 0.03
    on_first = np.abs(T[:, 1, 3] - start[1, 3]) < 1e-7
    on_second = np.abs(T[:, 2, 3] - first[2, 3]) < 1e-7
    assert (on_first | on_second)[outside].all()
    assert progress == [0, 1]
    np.testing.assert_allclose(T[-1], second, atol=1e-8)


def test_slider_slows_a_move(controller):
    """The same way is made at the slider's share of the speed when it is pulled down."""
    controller.io.set_slider(0.25)
    for _ in range(500):
        controller.cycle()
    Commands(controller).movej(Q + [1.0, 0, 0, 0, 0, 0], a=5.0, v=1.0)
    q, qd, _ = run(controller)
    assert np.abs(qd).max() == pytest.approx(0.25)
    assert q[-1][0] == pytest.approx(Q[0] + 1.0)


def test_new_move_from_a_running_one(controller):
    """The speed never jumps when a move replaces another one."""
    commands = Commands(controller)
    commands.movej(Q + [1.5, 0, 0, 0, 0, 0], a=2.0, v=1.0)
    _, first, _ = run(controller, 0.7, until_idle=False)
    commands.movej(Q, a=2.0, v=1.0)
    _, second, _ = run(controller)
    qd = np.vstack([first, second])
    assert np.abs(np.diff(qd, axis=0)).max() <= 2.0 * DT + 1e-9
    np.testing.assert_allclose(controller.reference.q, Q, atol=1e-12)


def test_singularity_is_a_protective_stop(controller):
    """A protective stop, not a jump, comes when a line leads out of reach."""
    end = controller.tcp.state(Q, 0 * Q).T.copy()
    end[0, 3] -= 1.5
    Commands(controller).movel(end, v=0.5)
    q, _, _ = run(controller)
    assert controller.modes.safety == SafetyMode.PROTECTIVE_STOP
    assert np.abs(np.diff(q, axis=0)).max() <= 1.06 * np.pi * DT
    assert "protective stop" in messages(controller)


def test_protective_stop_brakes_and_unlocks(controller):
    """The arm brakes, refuses programs, and moves again when it is unlocked after a while."""
    Commands(controller).movej(Q + [1.5, 0, 0, 0, 0, 0], v=1.0)
    run(controller, 0.8, until_idle=False)
    controller.protective_stop("test")
    _, qd, _ = run(controller)
    assert not qd[-1].any()
    assert "Cannot unlock" in controller.panel.unlock_protective_stop()
    run_script(controller, "movej([0,0,0,0,0,0])\n")
    assert controller.idle
    for _ in range(60):
        controller.cycle()
    assert controller.panel.unlock_protective_stop() == "Protective stop releasing"
    assert controller.modes.safety == SafetyMode.NORMAL
    assert controller.modes.runtime == RuntimeState.STOPPED


def test_pause_and_play(controller):
    """The arm brakes, holds while the program is paused, and arrives when it plays again."""
    run_script(controller, f"def p():\n movej({Q.tolist()[:5] + [1.0]}, a=5, v=1)\nend\n")
    run(controller, 0.4, until_idle=False)
    assert controller.panel.pause() == "Pausing program"
    held, qd, _ = run(controller, 0.5, until_idle=False)
    np.testing.assert_array_equal(held[-1], held[-100])
    assert np.abs(np.diff(qd[:, 5])).max() < 0.02  # no jump of the speed
    assert controller.panel.play() == "Starting program"
    run(controller)
    assert controller.reference.q[5] == pytest.approx(1.0)


def test_power_and_brakes(controller):
    """Programs are refused without power and accepted when the brakes are open again."""
    assert controller.panel.power_off() == "Powering off"
    controller.cycle()
    assert controller.registers.number("robot_mode") == RobotMode.POWER_OFF
    run_script(controller, "movej([0,0,0,0,0,0])\n")
    assert not controller.modes.program_running
    controller.panel.power_on()
    assert controller.modes.robot == RobotMode.IDLE
    controller.panel.brake_release()
    assert controller.modes.may_move


def test_emergency_stop(controller):
    """The arm stands without power until the safety is restarted when the button is pressed."""
    controller.panel.emergency_stop()
    assert controller.registers.number("safety_status_bits") == 1 << 6 | 1 << 7
    assert not controller.modes.may_move
    controller.panel.restart_safety()
    controller.panel.brake_release()
    assert controller.modes.may_move


def test_watchdog_stops_the_program(controller):
    """The program ends when its client falls silent."""
    controller.watchdog.set("input_int_register_0", 10.0, "stop")
    run_script(controller, "def p():\n movej([1.5,-1.4,1.5,-1.6,-1.5,0.2], v=0.2)\nend\n")
    run(controller, 0.05, until_idle=False)
    controller.written(("input_int_register_0",))
    run(controller, 0.08, until_idle=False)
    assert controller.modes.program_running
    run(controller, 0.1, until_idle=False)
    assert not controller.modes.program_running


@pytest.mark.parametrize("q", [Q, [0.4, -0.9, 0.7, -0.2, 1.1, 2.0]])
def test_payload_torque_is_exact(q):
    """Torques with a payload are those of an arm with that body when it is set at run time."""
    q, com = np.array(q), np.array([0.02, -0.03, 0.08])
    controller = virtual_robot("ur5e", start=q).controller
    controller.set_payload(2.5, com)
    controller.cycle()
    loaded = at.with_payload(controller.arm, 2.5, com=com)
    np.testing.assert_allclose(controller.body.tau, at.gravity(loaded, q), atol=1e-9)
    qd, qdd = np.linspace(-1, 1, 6), np.linspace(2, -3, 6)
    both = at.inverse_dynamics(controller.arm, q, qd, qdd) + controller.payload.torque(q, qd, qdd)
    np.testing.assert_allclose(both, at.inverse_dynamics(loaded, q, qd, qdd), atol=1e-9)


@pytest.mark.parametrize("arm", ["ur5e", "ur5e-energy"])
def test_push_is_a_collision(arm):
    """A protective stop names the joint when it is pushed hard, and a light push has no effect."""
    controller = virtual_robot(arm, start=Q).controller
    controller.push = np.array([0, 10.0, 0, 0, 0, 0])
    run(controller, 0.5, until_idle=False)
    assert controller.modes.safety == SafetyMode.NORMAL
    controller.push = np.array([0, 60.0, 0, 0, 0, 0])
    run(controller, 0.5, until_idle=False)
    assert controller.modes.safety == SafetyMode.PROTECTIVE_STOP
    assert "joint 2" in messages(controller)


def test_motion_alone_is_no_collision():
    """No collision is seen when a loaded arm moves fast by itself."""
    controller = virtual_robot("ur5e-energy", start=Q).controller
    controller.set_payload(3.0, np.array([0, 0, 0.1]))
    Commands(controller).movej(Q + [1.5, 0.3, -0.5, 1, 1, 1], a=8.0, v=3.0)
    worst = 0.0
    while not controller.idle:
        controller.cycle()
        worst = max(worst, controller.collisions.ratio)
    assert controller.modes.safety == SafetyMode.NORMAL
    assert worst < 0.5


def test_currents_follow_the_drives():
    """Currents are the model's own when the arm file has torque constants."""
    controller = virtual_robot("ur5e-energy", start=Q).controller
    Commands(controller).movej(Q + 0.5, v=0.5)
    run(controller, 0.8, until_idle=False)
    reference = controller.reference
    load = at.inverse_dynamics(controller.arm, reference.q, reference.qd, reference.qdd)
    wanted = at.motor_current(controller.arm, reference.qd, load)
    np.testing.assert_allclose(controller.registers["actual_current"], wanted, atol=1e-9)
    drawn = 48.0 * controller.registers.number("actual_robot_current")
    power = at.electric_power(controller.arm, reference.qd, load).sum()
    assert drawn == pytest.approx(controller.electrics.supply.idle_power + power)


def test_joints_warm_up():
    """Joints that hold a load get warmer, and the others less, when time passes."""
    controller = virtual_robot("ur5e-energy", start=[0, 0, 0, 0, 0, 0]).controller
    run(controller, 20.0, until_idle=False)
    warmth = controller.registers["joint_temperatures"]
    assert warmth[1] > warmth[0] + 0.01
    assert (warmth >= 25.0).all()


@needs_mujoco
def test_dynamic_body_follows():
    """A body with mass and friction stays within millirads when it is led along a move."""
    controller = virtual_robot("ur5e-energy", start=Q, body="dynamic").controller
    Commands(controller).movej(Q + [0.6, 0.2, 0, 0.3, 0, 0], v=1.0, a=2.0)
    worst = 0.0
    for _ in range(700):
        controller.cycle()
        worst = max(worst, np.abs(controller.body.q - controller.reference.q).max())
    assert worst < 5e-3
    np.testing.assert_allclose(controller.body.q, controller.reference.q, atol=1e-3)
    assert controller.modes.safety == SafetyMode.NORMAL


@needs_mujoco
def test_dynamic_body_comes_to_rest():
    """Torques are steady and joints in place 4 s after a body with friction was pushed."""
    controller = virtual_robot("ur5e-energy", start=Q, body="dynamic").controller
    controller.external_push.push(2, 25.0, 0.4)
    run(controller, 4.4, until_idle=False)
    torques = []
    for _ in range(1000):
        controller.cycle()
        torques.append(controller.body.tau)
    assert np.ptp(torques, axis=0).max() < 0.2
    np.testing.assert_allclose(controller.body.q, Q, atol=1e-5)


@needs_mujoco
def test_dynamic_body_hits_a_post():
    """A protective stop comes when a dynamic body runs into something."""
    tool = at.fk(at.load("ur5e"), Q)[:3, 3]
    beside = at.fk(at.load("ur5e"), Q + [0.5, 0, 0, 0, 0, 0])[:3, 3]
    post = Post(beside, radius=0.04, height=0.6)
    controller = virtual_robot("ur5e", start=Q, body="dynamic", posts=[post]).controller
    Commands(controller).movej(Q + [1.0, 0, 0, 0, 0, 0], v=0.5)
    run(controller, 2.5, until_idle=False)
    assert controller.modes.safety == SafetyMode.PROTECTIVE_STOP
    assert np.linalg.norm(tool - beside) > 0.1
    assert controller.body.q[0] < Q[0] + 0.6


@needs_mujoco
def test_dynamic_body_carries():
    """The arm holds a payload without sagging when it is set at run time."""
    controller = virtual_robot("ur5e", start=Q, body="dynamic").controller
    run(controller, 0.2, until_idle=False)
    controller.set_payload(3.0, np.array([0, 0, 0.05]))
    controller.body._coming.result(60)
    run(controller, 0.5, until_idle=False)
    loaded = at.with_payload(controller.arm, 3.0, com=[0, 0, 0.05])
    np.testing.assert_allclose(controller.body.tau, at.gravity(loaded, Q), atol=0.05)
    np.testing.assert_allclose(controller.body.q, Q, atol=1e-3)


@pytest.mark.parametrize("name", ["ur3", "ur10e", "ur3e-screws"])
def test_other_arms(name):
    """The arm reports its own kinematics when it is another one, with or without masses."""
    controller = virtual_robot(name, start=Q).controller
    Commands(controller).movej(Q + 0.1, a=5.0, v=2.0)
    run(controller)
    controller.cycle()
    pose = pose_from_vector(controller.registers["actual_TCP_pose"])
    np.testing.assert_allclose(pose, at.fk(controller.arm, Q + 0.1), atol=1e-9)
    assert controller.modes.safety == SafetyMode.NORMAL
