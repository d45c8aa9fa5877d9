"""Programs on the virtual controller, with its motions in place of the fake ones."""

import numpy as np
import pytest

from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.programs.player import SHORTEST_PLAY
from armtwin.robots.ur_controller.script_programs import run_script

Q = [0.1, -1.4, 1.5, -1.6, -1.5, 0.2]


def play(controller, source):
    """Start a program on a controller."""
    run_script(controller, source)
    return controller.program.run


@pytest.fixture
def controller():
    """Return a controller of a UR5e at Q."""
    return virtual_robot("ur5e", start=Q).controller


def finish(controller, source, seconds=30.0, each=None):
    """Run a program to its end and return the run."""
    run = play(controller, source)
    for _ in range(int(seconds / controller.dt)):
        controller.cycle()
        if each is not None:
            each(controller)
        if not run.running and controller.idle:
            return run
    pytest.fail(f"the program did not end: line {run.line}")


def test_motions_end_at_their_targets(controller):
    """Each motion ends at its target before the next statement runs."""
    run = finish(
        controller,
        "def prog():\n movej([0.2,-1.5,1.5,-1.5,-1.5,0.1], v=2, a=3)\n"
        " a = get_actual_joint_positions()\n"
        " x = pose_add(get_actual_tcp_pose(), p[0,0,0.05,0,0,0])\n"
        " movel(x, v=0.5)\n d = pose_dist(x, get_actual_tcp_pose())\n"
        " movej(x)\n movel([0.2,-1.5,1.5,-1.5,-1.5,0.1])\n b = get_actual_joint_positions()\nend\n",
    )
    assert run.error is None
    assert run.variable("a").items == pytest.approx((0.2, -1.5, 1.5, -1.5, -1.5, 0.1), abs=1e-6)
    assert run.variable("b").items == pytest.approx((0.2, -1.5, 1.5, -1.5, -1.5, 0.1), abs=1e-6)
    assert run.variable("d") < 1e-6


def test_speed_and_servo_take_their_time(controller):
    """Commands of speed and servo commands take as many cycles as they say."""
    source = (
        "t0 = time()\nspeedj([0.1,0,0,0,0,0], 1, 0.1)\nt1 = time()\nstopj(2)\n"
        "q = get_actual_joint_positions()\nservoj(q, t=0.02)\nt2 = time()\nstopj(2)\n"
    )
    run = play(controller, source)
    for _ in range(500):
        controller.cycle()
    assert run.error is None
    assert run.variable("t1") - run.variable("t0") == pytest.approx(0.1)
    assert run.variable("t2") > run.variable("t1") + 0.02


SLOW_SPEEDS = """
x = get_target_tcp_pose()
q = get_target_joint_positions()
t0 = time()
speedl([0, 0, 0.1, 0, 0, 0], 0.4, 0.25)
speedl([0, 0, 0, 0, 0, 0], 0.4, 0.25)
t1 = time()
y = get_target_tcp_pose()
r = get_target_joint_positions()
speedj([0.2, 0, 0, 0, 0, 0], 0.8, 0.25)
speedj([0, 0, 0, 0, 0, 0], 0.8, 0.25)
turned = get_target_joint_positions() - r
up = y[2] - x[2]
"""


@pytest.mark.parametrize("slider", [1.0, 0.5, 0.25])
def test_the_slider_scales_speed_commands_in_time(controller, slider):
    """Speed commands lead to the same place, more slowly, when the speed slider is lower."""
    controller.registers["target_speed_fraction"] = slider
    for _ in range(250):
        controller.cycle()
    run = finish(controller, SLOW_SPEEDS)
    assert run.error is None
    assert run.variable("t1") - run.variable("t0") == pytest.approx(0.5 / slider, abs=0.003)
    assert run.variable("up") == pytest.approx(0.1 * 0.25, abs=1e-4)
    assert run.variable("turned").items[0] == pytest.approx(0.2 * 0.25, abs=1e-4)


@pytest.mark.parametrize("move", ["movej", "movel"])
def test_too_short_a_time_is_lengthened(controller, move):
    """A move reaches its target within the joints' speeds when its time is too short."""
    fastest = []
    run = finish(
        controller,
        f"{move}([1.1,-1.4,1.5,-1.6,-1.5,0.2], t=0.05)\nq = get_actual_joint_positions()\n",
        each=lambda made: fastest.append(np.abs(made.reference.qd)),
    )
    assert run.error is None
    assert run.variable("q").items[0] == pytest.approx(1.1, abs=1e-5)
    assert (np.array(fastest) <= 1.0001 * controller.top).all()
    assert len(fastest) * controller.dt > 1.0 / controller.top[0]


def test_killed_motion_stops_the_arm(controller):
    """The arm comes to rest when the thread that moves it is killed."""
    finish(controller, "thread t():\n movej([1.5,-1.4,1.5,-1.6,-1.5,0.2])\nend\nh = run t()\n"
           "sleep(0.3)\nkill h\nsleep(1.0)\n")  # fmt: skip
    assert not controller.reference.qd.any()
    assert Q[0] < controller.body.q[0] < 1.5


def test_failure_is_reported_with_its_line(controller):
    """Clients get line and column when a program fails; the controller goes on."""
    finish(controller, "def prog():\n  a = 1\n  b = a / 0\nend\n")
    text = " ".join(t.message for t in controller.texts)
    assert "3:7: Division by zero" in text
    for _ in range(round(SHORTEST_PLAY / controller.dt) + 1):
        controller.cycle()
    assert not controller.modes.program_running


@pytest.mark.parametrize("call", ["freedrive_mode()", "direct_torque([0,0,0,0,0,0])"])
def test_what_is_missing_ends_the_program(controller, call):
    """A program fails with a reason when it asks for what the body cannot do."""
    run = finish(controller, call + "\n")
    assert "needs forces, which a kinematic body has not" in run.error.text


def test_registers_and_outputs(controller):
    """Registers and outputs of the program are those of RTDE clients."""
    controller.registers["input_double_register_2"] = 1.5
    controller.registers["input_int_register_3"] = 7
    run = finish(
        controller,
        "write_output_float_register(4, read_input_float_register(2) * 2)\n"
        "write_output_integer_register(5, read_input_integer_register(3))\n"
        "write_output_boolean_register(3, True)\nset_digital_out(2, True)\n"
        "set_payload(1.5, [0,0,0.05])\nset_tcp(p[0,0,0.1,0,0,0])\n",
    )
    assert run.error is None
    registers = controller.registers
    assert registers["output_double_register_4"][0] == 3.0
    assert registers["output_int_register_5"][0] == 7
    assert registers["output_bit_registers0_to_31"][0] == 8
    assert registers["actual_digital_output_bits"][0] == 4
    assert registers["payload"][0] == 1.5
    np.testing.assert_allclose(controller.tcp.vector, [0, 0, 0.1, 0, 0, 0])
