"""Unmodified ur_rtde talks to a virtual robot as to a real one."""

import threading

import numpy as np
import pytest
from virtual_robots import needs_ur_rtde, running, wait_for, wait_until, worker

import armtwin as at
from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.state.modes import RuntimeState, SafetyMode

pytestmark = needs_ur_rtde

Q = [0.1, -1.4, 1.5, -1.6, -1.5, 0.2]
REST = [0.0, -1.57, 1.57, -1.57, -1.57, 0.0]
CONNECT = """
import rtde_control, rtde_receive, rtde_io
r = patient(rtde_receive.RTDEReceiveInterface, HOST)
c = patient(rtde_control.RTDEControlInterface, HOST)
io = patient(rtde_io.RTDEIOInterface, HOST)
import dashboard_client
d = dashboard_client.DashboardClient(HOST)
d.connect()
"""


@pytest.fixture(scope="module")
def station():
    """A robot whose protective stop can be unlocked soon."""
    with running(unlock_after=0.2) as made:
        yield made


@pytest.fixture(scope="module")
def ur(station):
    """A process with Receive, Control and IO connected."""
    with worker(station.robots[0].host) as run:
        run(CONNECT)
        yield run


@pytest.fixture
def home(ur, station):
    """The arm at rest where a test starts, whatever the one before left."""
    if controller(station).modes.safety == SafetyMode.PROTECTIVE_STOP:
        unlock(ur, station)
    if not controller(station).modes.program_running:
        reconnect(ur)
    assert ur(f"c.moveJ({Q}, 3.0, 20.0)"), ur.complaints()


def unlock(ur, station):
    """End a protective stop over the dashboard, as soon as the robot's clock allows it."""
    made = controller(station)
    wait_until(lambda: made.cycles * made.dt - made.stopped_at > made.unlock_after)
    ur("d.unlockProtectiveStop()")
    wait_until(lambda: not ur("r.isProtectiveStopped()"))


def reconnect(ur):
    """Connect Control anew, which also clears the command that was sent last."""

    def done():
        try:
            ur("c.disconnect()\nc.reconnect()")
        except RuntimeError:  # ur_rtde waits 5 s for its script, too little on a very busy machine
            return False
        return ur("c.isProgramRunning()")

    wait_until(done, 120, "Control")


def controller(station):
    """The controller behind the station."""
    return station.robots[0].controller


def test_receive(ur, station, home):
    """Every kind of field arrives unchanged when Receive reads it."""
    wait_for(ur, "r.getActualQ()", Q)
    wait_for(ur, "[r.getRobotMode(), r.getSafetyMode(), r.getRuntimeState()]", [7, 1, 2])
    wait_for(ur, "[r.getRobotStatus(), r.getSafetyStatusBits()]", [0b1011, 1])
    np.testing.assert_allclose(ur("r.getJointTemperatures()"), 25.0)
    assert ur("r.getJointMode()") == [253] * 6
    assert ur("r.getTimestamp()") > 40
    pose = at.fk(at.load("ur5e"), Q)
    wait_for(ur, "r.getActualTCPPose()[:3]", pose[:3, 3].tolist(), atol=1e-12)


def test_connect_while_the_robot_warns(ur, station):
    """Receive knows the controller's version when warnings are sent while it connects."""
    over = threading.Event()

    def warn():
        while not over.wait(0.0005):
            controller(station).say("mind the gap", Level.WARNING)

    warning = threading.Thread(target=warn)
    warning.start()
    try:
        for _ in range(4):
            ur("other = patient(rtde_receive.RTDEReceiveInterface, HOST)")
            assert ur("other.getPayload()") == 0.0  # an output of new versions
    finally:
        over.set()
        warning.join()


def test_time_goes_on(ur):
    """Time stamps advance when Receive is asked twice."""
    first = ur("r.getTimestamp()")
    wait_until(lambda: ur("r.getTimestamp()") > first)


def test_move_j(ur, home):
    """The arm is at its goal when moveJ returns."""
    assert ur(f"c.moveJ({REST}, 2.0, 10.0)")
    wait_for(ur, "r.getActualQ()", REST)
    wait_for(ur, "r.getActualQd()", [0.0] * 6)


def test_move_j_async_and_stop(ur, home):
    """A move returns at once and reports its progress until stopJ when moveJ is asynchronous."""
    assert ur("c.moveJ([1.5, -1.4, 1.5, -1.6, -1.5, 0.2], 0.1, 2.0, True)")
    wait_until(lambda: ur("c.getAsyncOperationProgress()") == 0)
    wait_until(lambda: ur("r.getActualQ()[0]") > Q[0])
    ur("c.stopJ(10.0)")
    wait_until(lambda: ur("c.getAsyncOperationProgress()") < 0)
    wait_until(lambda: ur("r.getActualQd()") == [0.0] * 6)
    now, stopped = ur("[r.getTimestamp(), r.getActualQ()[0]]")
    assert Q[0] < stopped < 1.4
    wait_until(lambda: ur("r.getTimestamp()") > now + 0.05)
    assert ur("r.getActualQ()[0]") == stopped


def at_rest(ur, station):
    """Return the pose vector once Receive has it as the robot does."""
    pose = controller(station).registers["actual_TCP_pose"].tolist()
    return np.array(wait_for(ur, "r.getActualTCPPose()", pose))


def test_move_l(ur, station, home):
    """The tool goes straight up and turns not when moveL is called so."""
    start = at_rest(ur, station)
    goal = start + [0, 0, 0.05, 0, 0, 0]
    assert ur(f"c.moveL({goal.tolist()}, 0.5, 3.0)")
    wait_for(ur, "r.getActualTCPPose()", goal.tolist(), atol=1e-9)


def test_move_l_fk_and_move_j_ik(ur, station, home):
    """Both ways end at the same pose when one is given joints and the other the pose."""
    other = [0.2, -1.3, 1.4, -1.5, -1.5, 0.2]
    assert ur(f"c.moveL_FK({other}, 0.5, 3.0)")
    there = at_rest(ur, station).tolist()
    assert ur(f"c.moveJ({Q}, 2.0, 10.0)")
    assert ur(f"c.moveJ_IK({there}, 2.0, 10.0)")
    wait_for(ur, "r.getActualQ()", other, atol=1e-6)


def test_servo_j(ur, home):
    """The arm follows with the lookahead's lag and arrives when servoJ is streamed."""
    ur(
        f"q = {Q}\n"
        "for k in range(150):\n"
        "    t = c.initPeriod()\n"
        "    c.servoJ([q[0] + 0.001 * min(k, 100), *q[1:]], 0, 0, 0.002, 0.05, 300)\n"
        "    c.waitPeriod(t)\n"
    )
    wait_until(lambda: np.allclose(ur("r.getActualQ()"), [Q[0] + 0.1, *Q[1:]], atol=1e-4))
    assert ur("c.servoStop(10.0)")


def test_speed_j_and_speed_l(ur, home):
    """Joint and tool take up the wanted speeds, and stop, when speedJ and speedL are given."""
    assert ur("c.speedJ([0.2, 0, 0, 0, 0, -0.1], 2.0)")
    wanted = [0.2, 0, 0, 0, 0, -0.1]
    wait_until(lambda: np.allclose(ur("r.getActualQd()"), wanted, atol=1e-12))
    assert ur("c.speedStop(10.0)")
    wait_for(ur, "r.getActualQd()", [0.0] * 6)
    assert ur("c.speedL([0, 0, 0.05, 0, 0, 0], 1.0)")
    wanted = [0, 0, 0.05, 0, 0, 0]
    wait_until(lambda: np.allclose(ur("r.getActualTCPSpeed()"), wanted, atol=1e-9))
    assert ur("c.speedStop(10.0)")


def test_forward_and_inverse_kinematics(ur, home):
    """Pose and joints are those of our own kinematics when the controller is asked for them."""
    pose = ur("c.getForwardKinematics()")
    T = at.fk(at.load("ur5e"), Q)
    np.testing.assert_allclose(pose[:3], T[:3, 3], atol=1e-12)
    np.testing.assert_allclose(ur(f"c.getInverseKinematics({pose})"), Q, atol=1e-9)
    near = [q + 0.05 for q in Q]
    np.testing.assert_allclose(ur(f"c.getInverseKinematics({pose}, {near})"), Q, atol=1e-9)
    assert ur(f"c.getInverseKinematicsHasSolution({pose})")
    assert not ur("c.getInverseKinematicsHasSolution([3.0, 0, 0, 0, 0, 0])")


def test_is_steady(ur, home):
    """The arm is not steady in motion and is steady a moment after it stopped."""
    ur(f"c.moveJ({REST}, 0.02, 2.0, True)")
    wait_until(lambda: not ur("c.isSteady()"))
    ur("c.stopJ(10.0)")
    wait_until(lambda: ur("c.isSteady()"))


def test_tcp_and_payload(ur, station, home):
    """Tool centre point and payload are what was set when they are read back."""
    before = at_rest(ur, station)
    assert ur("c.setTcp([0, 0, 0.1, 0, 0, 0])")
    np.testing.assert_allclose(ur("c.getTCPOffset()"), [0, 0, 0.1, 0, 0, 0], atol=1e-15)
    far = "np.linalg.norm(np.array(r.getActualTCPPose()[:3]) - before[:3])"
    ur(f"import numpy as np\nbefore = np.array({before.tolist()})")
    wait_until(lambda: abs(ur(f"float({far})") - 0.1) < 1e-9)
    assert ur("c.setTcp([0, 0, 0, 0, 0, 0])")
    unloaded = at.gravity(at.load("ur5e"), Q)
    assert ur("c.setPayload(2.0, [0, 0, 0.05])")
    wait_until(lambda: ur("[r.getPayload(), r.getPayloadCog()]") == [2.0, [0, 0, 0.05]])
    held = at.gravity(at.with_payload(at.load("ur5e"), 2.0, com=[0, 0, 0.05]), Q)
    wait_until(lambda: np.allclose(ur("r.getTargetMoment()"), held, atol=1e-9))
    assert ur("c.setPayload(0.0, [0, 0, 0])")
    wait_until(lambda: np.allclose(ur("r.getTargetMoment()"), unloaded, atol=1e-9))


def test_pose_trans_step_time_and_limits(ur, home):
    """Small questions get right answers when they are put to the controller."""
    got = ur("c.poseTrans([0, 0, 1, 0, 0, 3.141592653589793], [1, 0, 0, 0, 0, 0])")
    np.testing.assert_allclose(got[:3], [-1, 0, 1], atol=1e-12)
    wait_for(ur, "c.getStepTime()", 0.002)
    assert ur(f"c.isJointsWithinSafetyLimits({Q})")
    assert not ur("c.isJointsWithinSafetyLimits([7.0, 0, 0, 0, 0, 0])")


def test_dynamics_of_a_new_controller(ur, home):
    """Mass matrix and Jacobian are our own when a controller of 5.23 or newer is asked."""
    arm = at.load("ur5e")
    M, J = at.mass_matrix(arm, Q), at.jacobian(arm, Q)
    wait_for(ur, "c.getMassMatrix()", M.ravel().tolist(), atol=1e-9)
    wait_for(ur, "c.getJacobian()", J.T.ravel().tolist(), atol=1e-9)  # column by column


def test_path_with_blends(ur, home):
    """The path's end is reached without a stop at its rounded corners when movePath runs."""
    ur(
        "qs = [[0.3, -1.4, 1.5, -1.6, -1.5, 0.2], [0.5, -1.3, 1.5, -1.6, -1.5, 0.2]]\n"
        "path = [[*qs[0], 2.0, 8.0, 0.03], [*qs[1], 2.0, 8.0, 0.0]]\n"
        "done = c.moveJ(path)"
    )
    assert ur("done")
    wait_for(ur, "r.getActualQ()", [0.5, -1.3, 1.5, -1.6, -1.5, 0.2], atol=1e-5)


def test_custom_script(ur, station, home):
    """A script of simple lines runs and control goes on afterwards when it is sent."""
    assert ur('c.sendCustomScriptFunction("hello", "set_digital_out(3, True)\\n")')
    wait_until(lambda: controller(station).registers.number("actual_digital_output_bits") & 8)
    assert ur(f"c.moveJ({REST}, 3.0, 20.0)")


def test_outputs(ur, station):
    """Digital and analogue outputs and the slider are set when IO writes them."""
    registers = controller(station).registers
    ur("io.setStandardDigitalOut(1, True)\nio.setToolDigitalOut(1, True)")
    ur("io.setConfigurableDigitalOut(2, True)")
    wanted = 1 << 1 | 1 << 17 | 1 << 10
    wait_until(lambda: registers.number("actual_digital_output_bits") & wanted == wanted)
    ur("io.setStandardDigitalOut(1, False)")
    wait_until(lambda: not registers.number("actual_digital_output_bits") & 2)
    ur("io.setAnalogOutputVoltage(0, 0.25)\nio.setAnalogOutputCurrent(1, 0.5)")
    wait_until(lambda: registers.number("standard_analog_output0") == 2.5)
    wait_until(lambda: abs(registers.number("standard_analog_output1") - 0.012) < 1e-12)
    ur("io.setInputIntRegister(20, 7)\nio.setInputDoubleRegister(20, 1.5)")
    wait_until(lambda: registers.number("input_double_register_20") == 1.5)


def test_speed_slider_slows_moves(ur, station, home, monkeypatch):
    """A move takes more cycles when the slider is pulled down."""
    made, moving = controller(station), []
    cycle = made.cycle

    def counted():
        cycle()
        moving.append(bool(made.reference.qd.any()))

    monkeypatch.setattr(made, "cycle", counted)
    assert ur(f"c.moveJ({[0.6, *Q[1:]]}, 2.0, 20.0)")
    fast = sum(moving)
    ur("io.setSpeedSlider(0.4)")
    wait_until(lambda: ur("r.getSpeedScaling()") == 0.4)
    assert ur(f"c.moveJ({Q}, 2.0, 20.0)")
    slow = sum(moving) - fast
    ur("io.setSpeedSlider(1.0)")
    wait_until(lambda: ur("r.getSpeedScaling()") == 1.0)
    assert slow > 1.5 * fast > 0


def reupload(ur):
    """Upload the control script again and wait until it runs."""
    assert ur("c.reuploadScript()")
    wait_until(lambda: ur("c.isProgramRunning()"))


def test_protective_stop_unlock_and_reupload(ur, station, home):
    """A move fails at a protective stop; control is back when it is unlocked and reuploaded."""
    ur("import threading\nresult = []")
    ur(
        "threading.Thread(target=lambda: result.append("
        "c.moveJ([2.0, -1.4, 1.5, -1.6, -1.5, 0.2], 0.3, 1.0))).start()"
    )
    wait_until(lambda: controller(station).reference.qd.any())
    station.call(controller(station).protective_stop, "test")
    wait_until(lambda: ur("result") == [False])
    wait_until(lambda: ur("r.isProtectiveStopped()"))
    assert ur("d.safetystatus()").endswith("PROTECTIVE_STOP")
    unlock(ur, station)
    wait_until(lambda: not ur("c.isProgramRunning()"))
    reupload(ur)
    assert ur(f"c.moveJ({Q}, 3.0, 20.0)")


def test_protective_stop_by_command(ur, station, home):
    """The controller stops when triggerProtectiveStop is sent."""
    ur("c.triggerProtectiveStop()")
    wait_until(lambda: ur("r.isProtectiveStopped()"))
    unlock(ur, station)
    reupload(ur)
    assert ur(f"c.moveJ({Q}, 3.0, 20.0)")


def test_joint_limit_stops(ur, station, home):
    """A protective stop comes when speedJ drives a joint into its limit."""
    ur("c.moveJ([6.0, -1.4, 1.5, -1.6, -1.5, 0.2], 3.1, 30.0)")
    ur("c.speedJ([3.0, 0, 0, 0, 0, 0], 30.0)")
    wait_until(lambda: ur("r.isProtectiveStopped()"))
    assert ur("r.getActualQ()[0]") <= 2 * np.pi
    unlock(ur, station)
    reconnect(ur)
    assert ur(f"c.moveJ({Q}, 3.1, 20.0)")


@pytest.mark.parametrize("call", ["freedriveMode()", "teachMode()"])
def test_calls_that_need_forces_return_false(ur, station, home, call):
    """The call returns False, the program stops and the reason is reported: a kinematic body."""
    log = controller(station).log
    log.clear()
    assert ur(f"c.{call}") is False
    wait_until(lambda: ur("r.getRuntimeState()") == RuntimeState.STOPPED)
    assert any("freedrive_mode needs forces" in text.message for text in tuple(log))


def test_mounting_and_external_sensor(ur, station, home):
    """The arm stands on a wall and uses the client's force sensor when both are set."""
    assert ur("c.setGravity([9.82, 0, 0])")
    assert ur("c.ftRtdeInputEnable(True)")
    assert controller(station).registers["target_gravity"].tolist() == [9.82, 0, 0]
    assert controller(station).wrist.external is not None
    assert ur("c.ftRtdeInputEnable(False)")
    assert ur("c.setGravity([0, 0, 9.82])")


def test_contact_detection(ur, station, home):
    """No contact is reported when nothing touches the arm, and one when it is pushed."""
    assert ur("c.startContactDetection()")
    assert ur("c.readContactDetection()") is False
    station.call(controller(station).external_push.push, 1, 20.0, 0.5)
    wait_until(lambda: ur("c.readContactDetection()"))
    assert ur("c.stopContactDetection()") is True


@pytest.mark.parametrize(
    "call",
    ["forceMode([0] * 6, [0, 0, 1, 0, 0, 0], [0, 0, 5, 0, 0, 0], 2, [0.1] * 6)",
     "directTorque([0] * 6)"],
)  # fmt: skip
def test_streamed_calls_that_need_forces_stop_the_program(ur, station, home, call):
    """The program stops and every further call returns False when the call is a streamed one."""
    ur(f"c.{call}")
    wait_until(lambda: not ur("c.isProgramRunning()"))
    assert ur(f"c.{call}") is False
    assert ur(f"c.moveJ({Q}, 3.0, 20.0)") is False


def test_freedrive_status(ur, home):
    """Normal operation is answered when the register held another answer before."""
    assert ur("c.isJointsWithinSafetyLimits([0] * 6)")
    assert ur("c.getFreedriveStatus()") == 0


@pytest.mark.parametrize(
    ("line", "reason"),
    [("no_such_function()", "script refused: 3:2: compile_error_name_not_found:no_such_function"),
     ("x = 1 / 0", "Division by zero")],
)  # fmt: skip
def test_refused_script_does_not_hang(ur, station, home, line, reason):
    """An error is raised and the reason reported when a script is refused or fails."""
    with pytest.raises(RuntimeError, match="Failed to start control script"):
        ur(f'c.sendCustomScriptFunction("hello", "{line}\\n")')
    assert any(reason in t.message for t in tuple(controller(station).log))


@pytest.mark.parametrize(
    ("line", "last"),
    [("no_such_function()", "write_output_integer_register(0, 2)\\nend\\n"),
     ("sleep(0.2)\\n x = 1 / 0", "end\\n# done\\n")],
)  # fmt: skip
def test_failed_program_does_not_hang(ur, station, home, line, last):
    """An error is raised when the program of sendCustomScript fails, whatever its last line is."""
    with pytest.raises(RuntimeError, match="Failed to start control script"):
        ur(f'c.sendCustomScript("def f():\\n {line}\\n {last}")')
    assert not controller(station).modes.program_running
    reupload(ur)


def test_failed_file_does_not_hang(ur, station, home, tmp_path):
    """An error is raised when a program is refused that sendCustomScriptFile has sent."""
    file = tmp_path / "f.script"
    file.write_text("def f():\n none()\n write_output_integer_register(0, 2)\nend\n", "utf-8")
    with pytest.raises(RuntimeError, match="Failed to start control script"):
        ur(f"c.sendCustomScriptFile({str(file)!r})")


def test_script_as_in_the_documentation_of_ur_rtde(ur, station, home):
    """The script runs and control goes on when ``run program`` follows it."""
    text = "def f():\\n\\tdef g():\\nwrite_output_integer_register(7, 9)\\n\\tend\\n\\tg()\\n"
    end = "\\twrite_output_integer_register(0, 2)\\nend\\nrun program\\n"
    assert ur(f'c.sendCustomScript("{text}{end}")')
    assert controller(station).registers.number("output_int_register_7") == 9
    assert ur(f"c.moveJ({Q}, 3.0, 20.0)")


def test_custom_script_with_variables(ur, station, home):
    """A script with variables and a loop runs."""
    body = "i = 0\\nwhile i < 5:\\ni = i + 1\\nend\\nwrite_output_integer_register(7, i)\\n"
    assert ur(f'c.sendCustomScriptFunction("hello", "{body}")')
    assert controller(station).registers.number("output_int_register_7") == 5


def test_second_control_client_is_refused(ur, station, home):
    """The registers are in use when another Control connects."""
    with pytest.raises(RuntimeError, match="in use"):
        ur("rtde_control.RTDEControlInterface(HOST)")


def test_stop_script(ur, station, home):
    """The program ends when stopScript is called."""
    ur("c.stopScript()")
    wait_until(lambda: not controller(station).modes.program_running)
    reupload(ur)
