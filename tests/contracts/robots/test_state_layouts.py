"""Bytes of the state streams, decoded a second time from UR's description of them."""

import math
import struct

import numpy as np
import pytest
from state_streams import Bytes, robot_message, robot_state
from virtual_robots import needs_mujoco

import armtwin as at
from armtwin.robots.ur.protocol.codec import Level, TextMessage
from armtwin.robots.ur_controller.build import parse_version, virtual_robot
from armtwin.robots.ur_controller.script_programs import run_script
from armtwin.robots.ur_controller.state.events import PopupShown
from armtwin.robots.ur_controller.state.modes import RobotMode, RuntimeState, SafetyMode
from armtwin.robots.ur_controller.state.registers import Registers
from armtwin.robots.ur_controller.streams.fixed_packages import NOMINAL, dh_rows, robot_type
from armtwin.robots.ur_controller.streams.realtime import Realtime
from armtwin.robots.ur_controller.streams.robot_messages import (
    hardware_message,
    protective_stop_code,
    report_message,
    safety_mode_message,
    version_message,
)
from armtwin.robots.ur_controller.streams.robot_state import RobotStateMessage

Q = [0.1, -1.4, 1.5, -1.6, -1.5, 0.2]
SIZES = {
    "3.1.0": {0: 38, 1: 251, 4: 53, 3: 72, 2: 37},
    "3.4.5": {0: 46, 1: 251, 4: 101, 5: 225, 9: 53, 3: 74, 2: 37, 6: 445, 7: 61, 8: 7, 10: 43},
    "3.5.3": {0: 47, 1: 251, 4: 101, 5: 225, 9: 53, 3: 74, 2: 37, 6: 445, 7: 61, 8: 8, 10: 43},
    "3.15.8": {0: 47, 1: 251, 4: 101, 5: 225, 9: 53, 3: 75, 2: 37, 6: 445, 7: 61, 8: 9, 10: 43},
    "5.0.5": {0: 47, 1: 251, 4: 101, 5: 225, 9: 53, 3: 74, 2: 37, 6: 445, 7: 61, 8: 8, 10: 43,
              11: 26},
    "5.8.0": {0: 47, 1: 251, 4: 101, 5: 225, 9: 53, 3: 75, 2: 37, 6: 445, 7: 61, 8: 9, 10: 43,
              11: 26, 12: 8},
}  # fmt: skip
"""Sub-packages by type, in their order, with their sizes."""
FORCE_MODE = "force_mode(p[0,0,0,0,0,0], [0,0,1,0,0,0], [0,0,5,0,0,0], 2, [1,1,1,1,1,1])"
CAPTURED = {"3.5.3": 1350, "5.0.5": 1376, "5.8.0": 1386}
"""Sizes of first robot states of UR controllers, from captures that their users published."""
REALTIME_SIZES = {
    "3.1.0": 1044, "3.4.5": 1060, "3.5.3": 1108, "5.0.5": 1108, "3.10.0": 1116, "5.4.0": 1116,
    "3.14.3": 1140, "5.9.0": 1140, "3.15.8": 1220, "5.10.0": 1220, "5.25.0": 1220, "10.7.0": 1220,
}  # fmt: skip
HASHES = {"ur5e": 12788084448423163542, "ur10e": 5119701370761913513}
"""Of the kinematics that UR's client library has in its tests and UR's robot descriptions."""
FACTORY = """kinematics:
  shoulder: {x: 0, y: 0, z: 0.1626, roll: 0, pitch: 0, yaw: 1.0e-07}
  upper_arm: {x: 1.0e-04, y: 0, z: 0, roll: 1.5717, pitch: 0, yaw: 5.0e-07}
  forearm: {x: -0.42515, y: 0, z: 0, roll: 4.7e-03, pitch: -3.0e-04, yaw: 6.0e-06}
  wrist_1: {x: -0.3925, y: -6.0e-04, z: 0.1336, roll: 4.9e-03, pitch: 5.0e-04, yaw: -6.0e-06}
  wrist_2: {x: 5.0e-05, y: -0.0996, z: 1.0e-04, roll: 1.5699, pitch: 0, yaw: 2.0e-06}
  wrist_3: {x: 8.0e-05, y: 0.0997, z: -1.0e-05, roll: 1.5707, pitch: 3.14159, yaw: 3.14159}
  hash: calib_1
"""


@pytest.fixture
def controller():
    """A controller of a UR5e at Q."""
    return virtual_robot("ur5e", start=Q).controller


def state_of(controller, *, first=False):
    """Return the decoded robot state."""
    version = controller.version[:2]
    return robot_state(RobotStateMessage(controller).packet(first=first), version)[0]


@pytest.mark.parametrize("version", SIZES)
def test_sub_packages_of_a_version(version):
    """Sub-packages have the documented order and sizes when the first state is sent."""
    made = virtual_robot("ur5e", version=version).controller
    packet = RobotStateMessage(made).packet(first=True)
    sizes = robot_state(packet, made.version[:2])[1]
    assert list(sizes.items()) == list(SIZES[version].items())
    assert CAPTURED.get(version, len(packet)) == len(packet)


def test_later_states_are_shorter(controller):
    """Kinematics and configuration are left out when a client has got them."""
    assert set(state_of(controller, first=True)) - set(state_of(controller)) == {5, 6}


def test_joints_and_pose(controller):
    """Positions, speeds and the tool's pose are those of the arm when it moves."""
    controller.tcp.set([0, 0, 0.1, 0, 0, 0])
    run_script(controller, "speedj([0.1, 0.2, 0, 0, 0, -0.3], 5, 1)\n")
    for _ in range(100):
        controller.cycle()
    state, body = state_of(controller), controller.body
    np.testing.assert_allclose(state[1]["q"], body.q, rtol=0, atol=0)
    np.testing.assert_allclose(state[1]["qd"], [0.1, 0.2, 0, 0, 0, -0.3], atol=1e-9)
    np.testing.assert_allclose(state[1]["target_q"], controller.reference.q)
    assert state[1]["mode"] == [253] * 6
    assert state[1]["voltage"] == [48.0] * 6
    T = at.fk("ur5e", body.q) @ controller.tcp.offset
    np.testing.assert_allclose(state[4]["pose"][:3], T[:3, 3], atol=1e-12)
    assert state[4]["offset"] == (0, 0, 0.1, 0, 0, 0)
    assert state[0]["time"] == round(controller.clock * 1e6)


@pytest.mark.parametrize(
    ("modes", "flags"),
    [
        ({}, {"power_on": 1, "robot_mode": 7}),
        ({"robot": RobotMode.IDLE}, {"power_on": 1, "robot_mode": 5}),
        ({"robot": RobotMode.POWER_OFF}, {"power_on": 0, "robot_mode": 3}),
        ({"robot": RobotMode.NO_CONTROLLER}, {"power_on": 0, "robot_mode": -1}),
        ({"safety": SafetyMode.PROTECTIVE_STOP}, {"protective": 1, "emergency": 0}),
        ({"safety": SafetyMode.ROBOT_EMERGENCY_STOP}, {"protective": 0, "emergency": 1}),
        ({"runtime": RuntimeState.PLAYING}, {"running": 1, "paused": 0}),
        ({"runtime": RuntimeState.PAUSED}, {"running": 0, "paused": 1}),
        ({"runtime": RuntimeState.STOPPED}, {"running": 0, "paused": 0}),
    ],
)
def test_modes(controller, modes, flags):
    """The flags of the robot mode data say so when a mode changes."""
    controller.modes.set(**modes)
    state = state_of(controller)
    assert {name: state[0][name] for name in flags} == flags
    assert state[3]["safety_mode"] == controller.modes.safety


@needs_mujoco
@pytest.mark.parametrize(
    ("script", "mode"),
    [
        ("sleep(1)", 0),
        ("freedrive_mode()\n  sleep(1)", 1),
        (
            "force_mode(p[0,0,0,0,0,0], [0,0,1,0,0,0], [0,0,5,0,0,0], 2, [1,1,1,1,1,1])\n sleep(1)",
            2,
        ),
        ("while True:\n    direct_torque([0, 0, 0, 0, 0, 0])\n  end", 3),
    ],
)
def test_control_mode(script, mode):
    """The control mode is that of the joints when a program leads them by position or force."""
    made = virtual_robot("ur5e", start=Q, body="dynamic").controller
    run_script(made, f"def lead():\n  {script}\nend\n")
    for _ in range(5):
        made.cycle()
    assert state_of(made)[0]["control_mode"] == mode


def test_inputs_and_outputs(controller):
    """The masterboard data has outputs, domains and supply when they are set."""
    controller.io.set_digital(3, True)
    controller.io.set_analog(0, 0.5, 1)
    controller.io.set_analog(1, 0.5, 0)
    controller.cycle()
    board = state_of(controller)[3]
    assert board["outputs"] == 8
    assert (board["domain0"], board["domain1"]) == (1, 0)
    assert (board["output0"], board["output1"]) == (5.0, pytest.approx(0.012))
    assert board["voltage"] == 48.0
    assert board["current"] > 1.0


def std_hash(data):
    """Return ``std::hash`` of GNU's C++ library, MurmurHash64A, with which UR hashes kinematics."""
    factor, mask = 0xC6A4A7935BD1E995, (1 << 64) - 1
    found, whole = 0xC70F6907 ^ (len(data) * factor & mask), len(data) // 8 * 8
    for k in range(0, whole, 8):
        part = int.from_bytes(data[k : k + 8], "little") * factor & mask
        part = (part ^ part >> 47) * factor & mask
        found = (found ^ part) * factor & mask
    if whole < len(data):
        found = (found ^ int.from_bytes(data[whole:], "little")) * factor & mask
    found = (found ^ found >> 47) * factor & mask
    return found ^ found >> 47


@pytest.mark.parametrize("arm", HASHES)
def test_kinematics_have_the_published_hash(arm):
    """UR's hash of the kinematics is the published one when the arm is nominal."""
    info = state_of(virtual_robot(arm).controller, first=True)[5]
    rows = zip(info["theta"], info["d"], info["a"], info["alpha"], strict=True)
    assert std_hash("".join(f"{v:g}" for row in rows for v in row).encode()) == HASHES[arm]
    assert info["checksum"] == (NOMINAL,) * 6


def from_rows(rows, q):
    """Return the flange's pose of Denavit-Hartenberg rows, written out."""
    T = np.eye(4)
    for (theta, a, d, alpha), turn in zip(rows, q, strict=True):
        c, s = math.cos(theta + turn), math.sin(theta + turn)
        ca, sa = math.cos(alpha), math.sin(alpha)
        row = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d]]
        T = T @ np.array([*row, [0, 0, 0, 1]])
    return T


def test_rows_of_screws_are_urs():
    """The rows are UR's when the arm's file has screws instead."""
    np.testing.assert_allclose(
        dh_rows(at.load("ur3e-screws"))[:, 1], dh_rows(at.load("ur3e"))[:, 1], atol=1e-3
    )
    theta = dh_rows(at.load("ur3e-screws"))[:, 0]
    np.testing.assert_allclose(theta, 0.0, atol=1e-12)


def test_kinematics_of_a_factory_calibration(tmp_path):
    """Rows give the calibrated arm's poses, with checksums, when it has a factory calibration."""
    (tmp_path / "factory.yaml").write_text(FACTORY)
    arm = at.with_factory_calibration(at.load("ur5e"), tmp_path / "factory.yaml")
    info = state_of(virtual_robot(arm).controller, first=True)[5]
    rows = np.column_stack([info[name] for name in ("theta", "a", "d", "alpha")])
    off = from_rows(rows, Q)[:3, 3] - at.fk("ur5e", Q)[:3, 3]
    np.testing.assert_allclose(from_rows(rows, Q), at.fk(arm, Q), atol=1e-9)
    assert np.linalg.norm(off) > 1e-4
    assert len(set(info["checksum"]) - {NOMINAL}) == 6


def test_configuration(controller):
    """Limits, rows and the robot's type are those of the arm when the first state comes."""
    found = state_of(controller, first=True)[6]
    assert found["limits"] == [(-2 * math.pi, 2 * math.pi)] * 6
    np.testing.assert_allclose([speed for speed, _ in found["rates"]], math.pi)
    np.testing.assert_allclose(found["a"], [0, -0.425, -0.3922, 0, 0, 0])
    np.testing.assert_allclose(found["d"], [0.1625, 0, 0, 0.1333, 0.0997, 0.0996])
    assert (found["robot_type"], found["sub_type"], found["box"]) == (1, 3, 4)


@pytest.mark.parametrize(
    ("name", "number"),
    [("ur3e", 3), ("ur5", 1), ("ur5e-energy", 1), ("ur10e", 2), ("ur16e", 4), ("ur20", 7),
     ("ur8long", 6), ("puma", 0)],
)  # fmt: skip
def test_robot_types(name, number):
    """The robot type is UR's number when the arm is a UR arm, else 0."""
    assert robot_type(name) == number


@pytest.mark.parametrize("version", REALTIME_SIZES)
def test_realtime_sizes(version):
    """The real-time packet has the documented size when the version is given."""
    packet = Realtime(Registers(), parse_version(version)).packet()
    assert len(packet) == struct.unpack(">i", packet[:4])[0] == REALTIME_SIZES[version]


def test_realtime_fields(controller):
    """Every documented field of the real-time packet is at its place when the arm moves."""
    run_script(controller, "speedj([0.1, 0.2, 0, 0, 0, -0.3], 5, 1)\n")
    for _ in range(50):
        controller.cycle()
    controller.set_payload(1.5, np.array([0, 0.01, 0.02]))
    controller.registers["actual_digital_input_bits"] = 5
    controller.io.set_digital(1, True)
    r = controller.registers
    b = Bytes(Realtime(r, controller.version).packet())
    assert b.take("i") == 1220
    assert b.take("d") == controller.clock
    order = (
        "target_q target_qd target_qdd target_current target_moment actual_q actual_qd "
        "actual_current joint_control_output actual_TCP_pose actual_TCP_speed actual_TCP_force "
        "target_TCP_pose target_TCP_speed"
    )
    for name in order.split():
        np.testing.assert_array_equal(b.take("6d"), r[name], err_msg=name)
    assert b.take("q") == 5
    np.testing.assert_array_equal(b.take("6d"), r["joint_temperatures"])
    assert b.take("dd") == (0.0, 0.0)
    assert b.take("d") == RobotMode.RUNNING
    assert b.take("6d") == (253.0,) * 6
    assert b.take("d") == SafetyMode.NORMAL
    b.take("6d")
    np.testing.assert_array_equal(b.take("3d"), r["actual_tool_accelerometer"])
    b.take("6d")
    assert b.take("dddd") == (1.0, 0.0, 0.0, 0.0)
    assert b.take("ddd") == (48.0, 48.0, r.number("actual_robot_current"))
    assert b.take("6d") == (48.0,) * 6
    assert b.take("dd") == (2.0, RuntimeState.PLAYING)
    b.take("6d")
    assert b.take("d") == SafetyMode.NORMAL
    b.take("3d")
    assert b.take("dddd") == (1.5, 0.0, 0.01, 0.02)
    assert b.take("6d") == (0.0,) * 6
    assert b.data == b""


def test_version_message():
    """Project name and version are at their places when a client connects."""
    kind, found = robot_message(version_message((5, 25, 1, 1234)))
    assert (kind, found["project"], found["version"]) == ("version", "URControl", (5, 25, 1, 1234))


@pytest.mark.parametrize(
    ("version", "sent"), [("5.25.0", 0), ("5.26.0", 1), ("10.13.0", 0), ("10.14.0", 1)]
)
def test_hardware_message(version, sent):
    """Robot type, control box and flange come when the release has the message."""
    packet = hardware_message(parse_version(version), 7)
    found = [robot_message(packet)] if packet else []
    assert [m["robot_type"] for _, m in found] == [7] * sent
    assert [(m["control_box"], m["tool_flange"]) for _, m in found] == [(5, 1)] * sent


def test_safety_mode_message():
    """The safety mode is at its place when it changes."""
    kind, found = robot_message(safety_mode_message(41.5, SafetyMode.FAULT))
    assert (kind, found["mode"], found["time"]) == ("safety mode", 9, 41_500_000)


def test_popup_message():
    """Title, text and kind are at their places when a popup is shown."""
    kind, found = robot_message(report_message(PopupShown("Oh", "no", "warning", True), 1.0))
    assert kind == "popup"
    assert (found["warning"], found["error"], found["blocking"]) == (True, False, True)
    assert (found["title"], found["text"]) == ("Oh", "no")


def test_long_texts_are_cut():
    """A message has a bounded size when a program says very much."""
    packet = report_message(TextMessage("x" * 5000, "armtwin", Level.INFO), 1.0)
    assert len(robot_message(packet)[1]["text"]) == 1024


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("protective_stop()\n", (209, 0)),
        ("movel(p[10, 0, 0, 0, 0, 0], a=5, v=2)\n", (204, 1)),
        ("speedj([0, 0, 0, 0, 0, 3], 20, 5)\n", (150, 0)),
    ],
)
def test_error_codes_of_protective_stops(controller, script, code):
    """The error code names the reason and the joint when the controller stops the arm."""
    run_script(controller, script)
    for _ in range(2500):
        controller.cycle()
        if controller.modes.safety == SafetyMode.PROTECTIVE_STOP:
            break
    packets = [report_message(report, 1.0) for report in controller.reports]
    found = [m for kind, m in map(robot_message, filter(None, packets)) if kind == "error code"]
    assert [(m["code"], m["argument"]) for m in found] == [code]
    assert found[0]["level"] == 2


def test_error_code_of_a_collision(controller):
    """The error code names the joint when something pushes the arm."""
    run_script(controller, "armtwin_push(2, 100, 0.5)\n")
    for _ in range(500):
        controller.cycle()
    stop = next(r.message for r in controller.reports if "protective stop" in str(r))
    found = protective_stop_code(stop)
    assert (found.code, found.argument) == (157, 1)
