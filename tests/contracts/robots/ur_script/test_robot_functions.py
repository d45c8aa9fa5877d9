"""Functions of the robot reach the host with the arguments that UR documents."""

import pytest
from script_runs import execute, failure, finish, variables

import armtwin as at
from armtwin.robots.ur_controller.script import commands as c
from armtwin.robots.ur_controller.script import motions as m
from armtwin.robots.ur_controller.script.fake import FakeHost
from armtwin.robots.ur_controller.script.runtime.values import List, Pose

Q = (0.1, -1.5, 1.4, -1.4, -1.5, 0.2)
X = (0.3, -0.2, 0.4, 0.0, 3.1, 0.0)
JOINTS, POSE = f"[{', '.join(map(str, Q))}]", f"p[{', '.join(map(str, X))}]"
TO_Q, TO_X = m.MotionTarget(Q, False), m.MotionTarget(X, True)


@pytest.mark.parametrize(
    ("call", "motion"),
    [
        (f"movej({JOINTS})", m.JointMoveCommand(TO_Q, 1.4, 1.05)),
        (f"movej({JOINTS}, 2, 3, 4, 0.01)", m.JointMoveCommand(TO_Q, 2, 3, 4, 0.01)),
        (f"movej({JOINTS}, v=0.5, r=0.02)", m.JointMoveCommand(TO_Q, 1.4, 0.5, 0, 0.02)),
        (f"movej({POSE}, a=1)", m.JointMoveCommand(TO_X, 1, 1.05)),
        (f"movel({POSE})", m.ToolMoveCommand(TO_X, 1.2, 0.25)),
        (f"movel({JOINTS}, t=2)", m.ToolMoveCommand(TO_Q, 1.2, 0.25, 2)),
        (f"movep({POSE}, v=0.1, r=0.05)", m.MoveProcess(TO_X, 1.2, 0.1, 0.05)),
        (f"movec({POSE}, {JOINTS}, mode=1)", m.MoveCircle(TO_X, TO_Q, 1.2, 0.25, 0, True)),
        (f"movec({POSE}, {POSE}, 1, 0.2, 0, 0.0)", m.MoveCircle(TO_X, TO_X, 1, 0.2)),
        (f"optimovej({JOINTS}, a=0.5, v=1)", m.JointMoveCommand(TO_Q, 0.5, 1, optimal=True)),
        (f"optimovel({POSE})", m.ToolMoveCommand(TO_X, 0.3, 0.3, optimal=True)),
        (
            f"servoj({JOINTS}, t=0.004, lookahead_time=0.05, gain=500)",
            m.ServoJoints(Q, 0.004, 0.05, 500),
        ),
        (f"servoj({JOINTS}, 0, 0)", m.ServoJoints(Q, 0.002, 0.1, 300)),
        (f"servoc({POSE}, v=0.1)", m.ServoCircle(TO_X, 1.2, 0.1)),
        (f"speedj({JOINTS}, 0.5, 0.1)", m.JointSpeedCommand(Q, 0.5, 0.1)),
        (f"speedj({JOINTS})", m.JointSpeedCommand(Q, 1.4, None)),
        (f"speedl({POSE}, a=0.5, t=0.1, aRot=4)", m.ToolSpeedCommand(X, 0.5, 0.1, 4)),
        ("stopj(2.5)", m.StopJoints(2.5)),
        ("stopl(3, aRot=1)", m.StopTool(3, 1)),
        (
            f"direct_torque({JOINTS}, viscous_scale=[1,1,1,1,1,1], coulomb_scale=[0,0,0,0,0,0])",
            m.DirectTorque(Q, (1.0,) * 6, (0.0,) * 6),
        ),
        (f"direct_torque({JOINTS}, friction_comp=False)", m.DirectTorque(Q, None, None, False)),
        (f"direct_torque({JOINTS}, True)", m.DirectTorque(Q, None, None, True)),
        (
            f"direct_torque({JOINTS})",
            m.DirectTorque(Q, (0.9, 0.9, 0.8, 0.9, 0.9, 0.9), (0.8, 0.8, 0.7, 0.8, 0.8, 0.8)),
        ),
        (f"movej({JOINTS}, a=0, v=0, t=1)", m.JointMoveCommand(TO_Q, 0, 0, 1)),
    ],
)
def test_motions(call, motion):
    """A motion reaches the host as UR documents its arguments and defaults."""
    assert finish(call + "\n", cycles=5000).started == [motion]


@pytest.mark.parametrize(
    ("call", "command"),
    [
        (f"set_tcp({POSE})", c.SetTcp(X)),
        ("set_payload(1.5)", c.SetPayload(1.5)),
        ("set_payload(1.5, [0,0,0.1])", c.SetPayload(1.5, (0, 0, 0.1))),
        (
            "set_target_payload(2, [0,0,0.1], [1,2,3,0,0,0])",
            c.SetPayload(2, (0, 0, 0.1), (1, 2, 3, 0, 0, 0)),
        ),
        ("set_payload_cog([0,0,0.2])", c.SetPayload(0, (0, 0, 0.2))),
        ("set_gravity([0,0,9.82])", c.SetGravity((0, 0, 9.82))),
        ("set_digital_out(9, True)", c.SetDigitalOutput("tool", 1, True)),
        ("set_standard_digital_out(3, True)", c.SetDigitalOutput("standard", 3, True)),
        ("set_configurable_digital_out(7, False)", c.SetDigitalOutput("configurable", 7, False)),
        ("set_standard_analog_out(1, 0.5)", c.SetAnalogOutput(1, 0.5)),
        ("set_tool_voltage(24.0)", c.SetToolVoltage(24)),
        ("set_flag(3, True)", c.SetFlag(3, True)),
        ("zero_ftsensor()", c.ZeroForceSensor()),
        (
            f"force_mode({POSE}, [0,0,1,0,0,0], [0,0,-10,0,0,0], 2.0, [1,1,1,1,1,1])",
            c.ForceMode(X, (0, 0, 1, 0, 0, 0), (0, 0, -10, 0, 0, 0), 2, (1,) * 6),
        ),
        ("force_mode_set_damping(0.1)", c.ForceModeDamping(0.1)),
        ("force_mode_set_gain_scaling(1.5)", c.ForceModeGain(1.5)),
        ("end_force_mode()", c.EndForceMode()),
        ("freedrive_mode()", c.Freedrive((1,) * 6, "base")),
        ('freedrive_mode([1,1,0,0,0,0], "tool")', c.Freedrive((1, 1, 0, 0, 0, 0), "tool")),
        ("end_freedrive_mode()", c.EndFreedrive()),
        ("ft_rtde_input_enable(True)", c.ExternalForceInput(True, 0, (0,) * 3, (0,) * 3)),
        (
            'rtde_set_watchdog("input_int_register_0", 10, "STOP")',
            c.WatchdogCommand("input_int_register_0", 10, "stop"),
        ),
        ("protective_stop()", c.ProtectiveStop()),
    ],
)
def test_commands(call, command):
    """A setting reaches the host as UR documents its arguments and defaults."""
    assert finish(call + "\n").done == [command]


@pytest.mark.parametrize(
    "call",
    [
        "movej([0,0,0,0,0,0], v=0)", "movej([0,0,0,0,0,0], a=-1)", "movel([0,0])",
        f"movec({POSE}, {POSE}, mode=2)", "speedj([1,2])", "optimovej([0,0,0,0,0,0], v=2)",
        "set_tcp([0,0,0,0,0,0])", "set_tool_voltage(5)", "set_standard_analog_out(0, 1.5)",
        "force_mode_set_damping(2)", 'rtde_set_watchdog("a", 1, "explode")',
        "sleep(-1)", "direct_torque([0,0,0,0,0,0], viscous_scale=[2,0,0,0,0,0])",
        "movej([0,0,0,0,0,pow(10,300)*pow(10,300)])",
    ],
)  # fmt: skip
def test_wrong_arguments(call):
    """A call ends the program with a runtime exception when an argument is out of range."""
    assert failure(call + "\n").line == 1


def test_digital_inputs_and_outputs():
    """Inputs are read from the host's bits, outputs read back what was set."""
    host = FakeHost()
    host.fields["actual_digital_input_bits"] = 1 << 2 | 1 << 9 | 1 << 16
    source = (
        "a = get_standard_digital_in(2)\nb = get_configurable_digital_in(1)\n"
        "c = get_tool_digital_in(0)\nd = get_digital_in(8)\ne = get_digital_in(0)\n"
        "set_configurable_digital_out(0, True)\nf = get_configurable_digital_out(0)\n"
        "set_flag(5, True)\ng = get_flag(5)\n"
    )
    x = variables(source, host=host)
    assert [x(name) for name in "abcdefg"] == [True, True, True, True, False, True, True]


def test_registers():
    """Registers are those of RTDE, by type and number."""
    host = FakeHost()
    host.fields |= {
        "input_int_register_3": 7, "input_double_register_47": 2.5,
        "input_bit_registers0_to_31": 1 << 4, "input_bit_register_64": True,
    }  # fmt: skip
    source = (
        "a = read_input_integer_register(3)\nb = read_input_float_register(47)\n"
        "c = read_input_boolean_register(4)\nd = read_input_boolean_register(64)\n"
        "write_output_integer_register(2, a + 1)\nwrite_output_float_register(1, b)\n"
        "write_output_boolean_register(33, True)\nwrite_output_boolean_register(127, True)\n"
        "e = read_output_integer_register(2)\nf = read_output_boolean_register(33)\n"
    )
    x = variables(source, host=host)
    assert [x(name) for name in "abcdef"] == [7, 2.5, True, True, 8, True]
    assert host.fields["output_double_register_1"] == 2.5
    assert host.fields["output_bit_registers32_to_63"] == 2
    assert host.fields["output_bit_register_127"] is True


def test_kinematics():
    """Inverse kinematics leads back to the joints of forward kinematics."""
    host = FakeHost(at.load("ur5e"))
    source = (
        f"q = {JOINTS}\nx = get_forward_kin(q)\nback = get_inverse_kin(x, q)\n"
        "ok = get_inverse_kin_has_solution(x)\n"
        "no = get_inverse_kin_has_solution(p[5,0,0,0,0,0])\n"
        "flange = get_forward_kin(q, p[0,0,0,0,0,0])\nset_tcp(p[0,0,0.1,0,0,0])\n"
        "tool = get_forward_kin(q)\nd = point_dist(flange, tool)\n"
        "j = get_jacobian(q)\nn = size(j)\n"
    )
    x = variables(source, host=host)
    assert x("back").items == pytest.approx(Q, abs=1e-9)
    assert (x("ok"), x("no")) == (True, False)
    assert x("d") == pytest.approx(0.1)
    assert x("n") == List((6, 6))


def test_unreachable_pose_ends_the_program():
    """get_inverse_kin raises a runtime exception when a pose is out of reach."""
    host = FakeHost(at.load("ur5e"))
    run, _ = execute("\nq = get_inverse_kin(p[5,0,0,0,0,0])\n", host=host)
    assert run.error.line == 2
    assert run.error.column == 5


def test_state():
    """State functions return the host's fields as lists, poses and numbers."""
    host = FakeHost()
    host.fields |= {
        "actual_TCP_force": (3.0, 4.0, 0.0, 0, 0, 0), "payload": 1.5, "steady": False,
        "joint_temperatures": (20, 21, 22, 23, 24, 25),
    }  # fmt: skip
    source = (
        "q = get_actual_joint_positions()\nf = force()\nw = get_tcp_force()\n"
        "m = get_target_payload()\ns = is_steady()\nt = get_joint_temp(3)\ndt = get_steptime()\n"
        "sync()\nnow = time()\nc = tool_contact()\nh = get_actual_joint_positions_history(1)\n"
    )
    x = variables(source, host=host)
    assert x("q") == List(host.q)
    assert (x("f"), x("m"), x("s"), x("t"), x("dt")) == (5.0, 1.5, False, 23.0, 0.002)
    assert x("w") == Pose((3, 4, 0, 0, 0, 0))
    assert x("now") == pytest.approx(40.002)
    assert x("c") == 0
    assert len(x("h").items) == 6


def test_contact():
    """A program stops its motion when a contact is detected in a thread."""
    source = "thread watch():\n while tool_contact() == 0:\n  sync()\n end\n touched = True\nend\n"
    source = (
        "touched = False\n"
        + source
        + (
            "run watch()\nwhile not touched:\n speedl([0,0,-0.01,0,0,0], 0.5, 0.002)\nend\n"
            "stopl(3)\n"
        )
    )
    host = FakeHost()
    run, _ = execute(source, host=host, cycles=20)
    assert run.running
    host.contact = 4
    from armtwin.robots.ur_controller.script.fake import run_cycles

    assert run_cycles(run, host, 10) < 5
    assert isinstance(host.started[-1], m.StopTool)
