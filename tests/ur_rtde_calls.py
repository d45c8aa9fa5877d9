"""Every public method of ur_rtde with a call and the effect that proves that it works.

``do`` is run in a process with ur_rtde (c: Control, r: Receive, io: IO, d: Dashboard); then one of
two conditions comes true there: ``works``, or ``refused``, which proves that it has no effect.
``note`` is the reason, for the table in docs/virtual_robot.md.
"""

from dataclasses import dataclass

PRELUDE = """
import os, socket, tempfile, threading, time
import numpy as np
import dashboard_client, rtde_control, rtde_io, rtde_receive
import armtwin as at
from armtwin.robots.ur.tcp import Tcp
arm = at.load(ARM)
Q = [0.1, -1.4, 1.5, -1.6, -1.5, 0.2]
NEAR = [0.25, -1.3, 1.4, -1.5, -1.4, 0.3]
NO = [0.0] * 6
pose = lambda q: np.array(Tcp(arm).state(np.array(q, float), np.zeros(6)).vector)
UP = (pose(Q) + [0, 0, 0.03, 0, 0, 0]).tolist()
near = lambda a, b, tol=0.0: bool(np.allclose(a, b, rtol=0, atol=tol or TOL))
rest = lambda: near(r.getActualQd(), NO, 0.01)
bit = lambda bits, n: bool(bits >> n & 1)

def send(text):
    with socket.create_connection((HOST, 30002), 180) as sock:
        sock.sendall(text.encode())

def push(torque=20, seconds=1.0):
    send(f"sec push():\\n armtwin_push(1, {torque}, {seconds})\\nend\\n")

def nudge():
    \"\"\"Push again after a rest; a contact counts that begins after the watch for it.\"\"\"
    time.sleep(1.0)
    push(20, 0.3)

def situation():
    \"\"\"Describe the robot's state, for the message of a failed test.\"\"\"
    return (f"program runs: {c.isProgramRunning()}, stopped: {r.isProtectiveStopped()}, "
            f"force {np.round(r.getActualTCPForce(), 1)}, connected: {r.isConnected()}")

def push_when_moving():
    start = r.getActualTCPPose()[2]
    while abs(r.getActualTCPPose()[2] - start) < 0.002:
        time.sleep(0.005)
    push()

def read(kind, number):
    \"\"\"Copy an input register into an output register that Receive reads.\"\"\"
    name = {"int": "integer", "double": "float"}[kind]
    send(f"sec copy():\\n write_output_{name}_register(14, "
         f"read_input_{name}_register({number}))\\nend\\n")
    return r.getOutputIntRegister(14) if kind == "int" else r.getOutputDoubleRegister(14)

def script(number):
    return f"write_output_integer_register(15, {number})\\n"

def whole(number):
    \"\"\"Return a program that ends with what ur_rtde waits for.\"\"\"
    return f"def f():\\n {script(number)} write_output_integer_register(0, 2)\\nend\\n"

def file(text):
    handle, path = tempfile.mkstemp(".script")
    os.write(handle, text.encode())
    os.close(handle)
    return path

def settle():
    \"\"\"Wait for the end of a push.\"\"\"
    while np.linalg.norm(r.getActualTCPForce()[:3]) > 2.0:
        time.sleep(0.02)

def ready():
    \"\"\"Bring arm and program to where a call starts.\"\"\"
    while r.isProtectiveStopped():
        try:
            d.unlockProtectiveStop()
        except RuntimeError:  # too early after the stop
            pass
        time.sleep(0.05)
    while not c.isProgramRunning():
        try:
            c.disconnect()
            c.reconnect()
        except RuntimeError:  # ur_rtde waits 5 s for its script, too little on a busy machine
            pass
    settle()
    if not near(r.getActualQ(), Q, 2e-2):
        c.moveJ(Q, 3.0, 12.0)

d = dashboard_client.DashboardClient(HOST)
d.connect()
if d.running():  # Control waits for the program's end
    d.stop()
c = patient(rtde_control.RTDEControlInterface, HOST)
r = patient(rtde_receive.RTDEReceiveInterface, HOST)
io = patient(rtde_io.RTDEIOInterface, HOST)
"""


@dataclass(frozen=True)
class Call:
    """A call of a method.

    Attributes:
        method: its name.
        do: code that calls it; may set ``value``.
        works: what is true once it has worked.
        refused: what is true once it has had no effect.
        note: why it has none; ``fault``: the reason lies in ur_rtde.
        fault: whether ur_rtde is to blame.
        fresh: whether it needs a new process and connection.
        complaint: what ur_rtde prints once it has had no effect, where nothing else stays: it
            connects again at once when the robot ends the connection.
    """

    method: str
    do: str
    works: str = "value"
    refused: str = "False"
    note: str = ""
    fault: bool = False
    fresh: bool = False
    complaint: str = ""


STOPS = "not c.isProgramRunning()"
FORCE = "[0, 0, 1, 0, 0, 0], [0, 0, 20.0, 0, 0, 0], 2, [0.1, 0.1, 0.5, 0.5, 0.5, 0.5]"
NO_MASS = "needs a body with mass: the program ends with the reason"
SHORT = "sends 53 bytes on a recipe of 57; the controller ends the connection, ur_rtde may crash"

CONTROL = [
    Call("isConnected", "value = c.isConnected()"),
    Call("moveJ", "value = c.moveJ(Q, 2.0, 8.0)", "value and near(r.getActualQ(), Q)"),
    Call("moveL", "value = c.moveL(UP, 0.5, 2.0)", "value and near(r.getActualTCPPose(), UP)"),
    Call("moveJ_IK", "value = c.moveJ_IK(pose(Q).tolist(), 2.0, 8.0)",
         "value and near(r.getActualQ(), Q)"),
    Call("moveL_FK", "value = c.moveL_FK(NEAR, 1.0, 4.0)", "value and near(r.getActualQ(), NEAR)"),
    Call("movePath", "p = rtde_control.Path()\nE = rtde_control.PathEntry\n"
         "p.addEntry(E(E.MoveJ, E.PositionJoints, [*NEAR, 2.0, 8.0, 0.02]))\n"
         "p.addEntry(E(E.MoveJ, E.PositionJoints, [*Q, 2.0, 8.0, 0.0]))\nvalue = c.movePath(p)",
         "value and near(r.getActualQ(), Q)"),
    Call("servoJ", "for k in range(100):\n c.servoJ([Q[0] + 0.0005 * k, *Q[1:]], 0, 0, 0.002, 0.05,"
         " 300)\n time.sleep(0.002)", "near(r.getActualQ()[0], Q[0] + 0.0495)"),
    Call("servoStop", "value = c.servoStop(10.0)", "value and rest()"),
    Call("servoL", "for k in range(50):\n c.servoL(UP, 0, 0, 0.002, 0.05, 300)\n time.sleep(0.002)",
         "near(r.getActualTCPPose()[2], UP[2], 5e-3)"),
    Call("servoC", "c.servoStop(10.0)\nvalue = c.servoC(pose(NEAR).tolist(), 0.25, 1.2, 0.0)",
         "value and near(r.getActualTCPPose()[:3], pose(NEAR)[:3], 5e-3)"),
    Call("speedJ", "c.servoStop()\nc.servoStop()\nvalue = c.speedJ([0.1, 0, 0, 0, 0, 0], 2.0)",
         "value and near(r.getActualQd()[0], 0.1)"),
    Call("speedStop", "value = c.speedStop(10.0)", "value and rest()"),
    Call("speedL", "value = c.speedL([0, 0, 0.02, 0, 0, 0], 0.5)",
         "value and near(r.getActualTCPSpeed()[2], 0.02)"),
    Call("jogStart", "c.speedStop(10.0)\nvalue = c.jogStart([0, 0, 0.02, 0, 0, 0], 0)",
         "value and r.getActualTCPSpeed()[2] > 0.005"),
    Call("jogStop", "value = c.jogStop()", "value and rest()"),
    Call("stopJ", "ready()\nc.moveJ(NEAR, 0.1, 1.0, True)\nwhile rest():\n time.sleep(0.005)\n"
         "c.stopJ(5.0)",
         "rest() and not near(r.getActualQ(), NEAR, 1e-3)"),
    Call("stopL", "ready()\nc.moveL(UP, 0.05, 0.5, True)\nwhile rest():\n time.sleep(0.005)\n"
         "c.stopL(5.0)",
         "rest() and not near(r.getActualTCPPose(), UP, 1e-3)"),
    Call("getAsyncOperationProgress", "ready()\nc.moveJ(NEAR, 0.2, 1.0, True)",
         "c.getAsyncOperationProgress() >= 0"),
    Call("getAsyncOperationProgressEx", "", "c.getAsyncOperationProgressEx().operationId() >= 0"),
    Call("isSteady", "c.stopJ(5.0)", "c.isSteady()"),
    Call("moveUntilContact", "ready()\nthreading.Thread(target=push_when_moving).start()\n"
         "value = c.moveUntilContact([0, 0, 0.05, 0, 0, 0])", "value and rest()"),
    Call("startContactDetection", "ready()\nvalue = c.startContactDetection()",
         "value and (c.readContactDetection() or nudge())"),
    Call("readContactDetection", "", "c.readContactDetection()"),
    Call("stopContactDetection", "value = c.stopContactDetection()"),
    Call("toolContact", "ready()\npush()", "c.toolContact(NO) > 0"),
    Call("getForwardKinematics", "ready()\nc.setTcp(NO)\nvalue = c.getForwardKinematics("
         "Q, [0, 0, 0.1, 0, 0, 0])", "near(value, pose(Q) + [0, 0, -0.1, 0, 0, 0], 5e-3)",
         "near(c.getForwardKinematics(), pose(r.getActualQ()), 5e-3)",
         "12 numbers on a recipe of 6: the offset is read from older registers; without an offset "
         "it works", fault=True),
    Call("getInverseKinematics", "value = c.getInverseKinematics(pose(Q).tolist(), Q)",
         "near(value, Q)"),
    Call("getInverseKinematicsHasSolution", "", "c.getInverseKinematicsHasSolution("
         "pose(Q).tolist()) and not c.getInverseKinematicsHasSolution([3.0, 0, 0, 0, 0, 0])"),
    Call("poseTrans", "value = c.poseTrans([0, 0, 1, 0, 0, np.pi], [1, 0, 0, 0, 0, 0])",
         "near(value[:3], [-1, 0, 1], 1e-9)"),
    Call("getJacobian", "",
         "near(c.getJacobian(), at.jacobian(arm, r.getActualQ()).T.ravel(), TOL * 10)"),
    Call("getMassMatrix", "",
         "near(c.getMassMatrix(), at.mass_matrix(arm, r.getActualQ()).ravel(), TOL * 10)"),
    Call("getJointTorques", "push(20, 2.0)", "abs(c.getJointTorques()[0]) > 5"),
    Call("getTargetJointAccelerations", "c.speedJ([1.0, 0.2, 0.2, 0, 0, 0], 0.1)\n"
         "while r.getTargetQd()[0] <= 0:\n time.sleep(0.005)",
         "near(c.getTargetJointAccelerations()[0], 0.1, 1e-6)"),
    Call("getJacobianTimeDerivative", "J = lambda q: at.jacobian(arm, q)",
         "near(c.getJacobianTimeDerivative(), [(J(q + d) - J(q - d)).T.ravel() / 2e-6 for q, d in "
         "[(np.array(r.getActualQ()), 1e-6 * np.array(r.getActualQd()))]][0], 0.02)"),
    Call("getCoriolisAndCentrifugalTorques", "", "near(c.getCoriolisAndCentrifugalTorques(), "
         "at.coriolis(arm, r.getActualQ(), r.getActualQd()) @ r.getActualQd(), 0.02)"),
    Call("getTargetWaypoint", "c.speedStop()\nc.moveJ(Q, 2.0, 8.0)",
         "near(c.getTargetWaypoint(), pose(Q)) or near(c.getTargetWaypoint(), Q)"),
    Call("getActualJointPositionsHistory", "",
         "near(c.getActualJointPositionsHistory(0), r.getActualQ(), 1e-3)"),
    Call("getActualToolFlangePose", "", "near(c.getActualToolFlangePose(), pose(Q), 5e-3)"),
    Call("getStepTime", "", "near(c.getStepTime(), 0.002, 1e-9)"),
    Call("setTcp", "value = c.setTcp([0, 0, 0.1, 0, 0, 0])",
         "value and near(r.getActualTCPPose()[2], pose(Q)[2] - 0.1, 0.01)"),
    Call("getTCPOffset", "", "near(c.getTCPOffset(), [0, 0, 0.1, 0, 0, 0], 1e-9)"),
    Call("setPayload", "c.setTcp(NO)\nvalue = c.setPayload(1.5, [0, 0, 0.05])",
         "value and r.getPayload() == 1.5"),
    Call("setTargetPayload", "value = c.setTargetPayload(0.5, [0, 0, 0.02], NO)",
         "value and r.getPayload() == 0.5"),
    Call("getRobotStatus", "c.setPayload(0.0, [0, 0, 0])", "c.getRobotStatus() == 0b1011"),
    Call("isJointsWithinSafetyLimits", "", "c.isJointsWithinSafetyLimits(Q) and not "
         "c.isJointsWithinSafetyLimits([7.0, 0, 0, 0, 0, 0])"),
    Call("isPoseWithinSafetyLimits", "", "c.isPoseWithinSafetyLimits(pose(Q).tolist())"),
    Call("isProgramRunning", "", "c.isProgramRunning()"),
    Call("initPeriod", "value = c.initPeriod()", "value.total_seconds() >= 0"),
    Call("waitPeriod", "t = time.perf_counter()\nc.waitPeriod(c.initPeriod())",
         "time.perf_counter() - t > 1.5e-3"),
    Call("zeroFtSensor", "settle()\nvalue = c.zeroFtSensor()"),
    Call("forceModeSetDamping", "value = c.forceModeSetDamping(0.1)"),
    Call("forceModeSetGainScaling", "value = c.forceModeSetGainScaling(0.5)"),
    Call("getFreedriveStatus", "", "c.getFreedriveStatus() == 0"),
    Call("sendCustomScriptFunction", "value = c.sendCustomScriptFunction('f', script(1))",
         "value and r.getOutputIntRegister(15) == 1"),
    Call("sendCustomScript", "value = c.sendCustomScript(whole(2))",
         "value and r.getOutputIntRegister(15) == 2"),
    Call("sendCustomScriptFile", "value = c.sendCustomScriptFile(file(whole(3)))",
         "value and r.getOutputIntRegister(15) == 3"),
    Call("setGravity", "ready()\nvalue = c.setGravity([0, 0, 5.0])",
         "value and near(np.linalg.norm(r.getActualToolAccelerometer()), 5.0, 0.3)",
         f"not value and {STOPS}", NO_MASS),
    Call("ftRtdeInputEnable", "ready()\nc.setGravity((-np.array(arm.gravity)).tolist())\n"
         "value = c.ftRtdeInputEnable(True)", "value",
         f"not value and {STOPS}", NO_MASS),
    Call("enableExternalFtSensor", "ready()\nvalue = c.enableExternalFtSensor(True)", "value",
         f"not value and {STOPS}", NO_MASS),
    Call("freedriveMode", "ready()\nc.enableExternalFtSensor(False)\n"
         "value = c.freedriveMode()", "value", f"not value and {STOPS}", NO_MASS),
    Call("endFreedriveMode", "ready()\nvalue = c.endFreedriveMode()"),
    Call("teachMode", "ready()\nvalue = c.teachMode()", "value", f"not value and {STOPS}",
         NO_MASS),
    Call("endTeachMode", "ready()\nvalue = c.endTeachMode()"),
    Call("forceMode", "ready()\nz = r.getActualTCPPose()[2]\nend = time.monotonic() + 180\n"
         f"while c.isProgramRunning() and time.monotonic() < end:\n c.forceMode(NO, {FORCE})\n"
         " time.sleep(0.002)\n if abs(r.getActualTCPPose()[2] - z) > 0.005:\n  break",
         "abs(r.getActualTCPPose()[2] - z) > 0.005", STOPS, NO_MASS),
    Call("forceModeStop", "ready()\nvalue = c.forceModeStop()"),
    Call("directTorque", "ready()\nend = r.getTimestamp() + 1\n"
         "while r.getTimestamp() < end and c.isProgramRunning():\n value = c.directTorque(NO)\n"
         " time.sleep(0.002)", "value and c.isProgramRunning()", STOPS,
         NO_MASS),
    Call("triggerProtectiveStop", "ready()\nc.triggerProtectiveStop()", "r.isProtectiveStopped()"),
    Call("setWatchdog", "ready()\nvalue = c.setWatchdog(5.0)", f"value and {STOPS}"),
    Call("kickWatchdog", "ready()\nc.setWatchdog(2.0)\nfor k in range(20):\n value = "
         "c.kickWatchdog()\n time.sleep(0.05)"),
    Call("stopScript", "ready()\nc.stopScript()", STOPS),
    Call("reuploadScript", "value = c.reuploadScript()", "value and c.isProgramRunning()"),
    Call("disconnect", "c.disconnect()", "not c.isConnected()"),
    Call("reconnect", "while not value:\n try:\n  value = c.reconnect()\n"
         " except RuntimeError:  # on a busy machine\n  c.disconnect()",
         "value and c.isProgramRunning()"),
    Call("setCustomScriptFile", "c.setCustomScriptFile(file('def f():\\n ' + script(4) + "
         "'sleep(2)\\nend\\n'))\nc.reuploadScript()", "r.getOutputIntRegister(15) == 4"),
    Call("setExternalForceTorque", "ready()\n"
         "value = c.setExternalForceTorque([1.0, 2, 3, 4, 5, 6])", "False",
         complaint="Robot is disconnected", note=SHORT, fault=True, fresh=True),
]  # fmt: skip

RECEIVE = [
    Call("isConnected", "ready()\nvalue = r.isConnected()"),
    Call("getTimestamp", "value = r.getTimestamp()", "r.getTimestamp() > value > 40"),
    Call("getActualQ", "c.moveJ(Q, 2.0, 8.0)", "near(r.getActualQ(), Q)"),
    Call("getTargetQ", "", "near(r.getTargetQ(), Q, 1e-9)"),
    Call("getActualTCPPose", "", "near(r.getActualTCPPose(), pose(r.getActualQ()), 1e-4)"),
    Call("getTargetTCPPose", "", "near(r.getTargetTCPPose(), pose(Q), 1e-9)"),
    Call("getTargetMoment", "", "near(r.getTargetMoment(), at.gravity(arm, Q), 1.0)"),
    Call("getActualCurrent", "", "abs(r.getActualCurrent()[1]) > 0.1"),
    Call("getTargetCurrent", "", "abs(r.getTargetCurrent()[1]) > 0.1"),
    Call("getJointControlOutput", "", "abs(r.getJointControlOutput()[1]) > 0.1"),
    Call("getActualJointVoltage", "", "near(r.getActualJointVoltage(), 48.0, 1e-9)"),
    Call("getActualMainVoltage", "", "near(r.getActualMainVoltage(), 48.0, 1e-9)"),
    Call("getActualRobotVoltage", "", "near(r.getActualRobotVoltage(), 48.0, 1e-9)"),
    Call("getActualRobotCurrent", "", "r.getActualRobotCurrent() > 1"),
    Call("getJointTemperatures", "", "near(r.getJointTemperatures(), 25.0, 1.0)"),
    Call("getActualToolAccelerometer", "",
         "near(np.linalg.norm(r.getActualToolAccelerometer()), 9.81, 0.3)"),
    Call("getJointMode", "", "r.getJointMode() == [253] * 6"),
    Call("getRobotMode", "", "r.getRobotMode() == 7"),
    Call("getSafetyMode", "", "r.getSafetyMode() == 1"),
    Call("getSafetyStatusBits", "", "r.getSafetyStatusBits() == 1"),
    Call("getRobotStatus", "", "r.getRobotStatus() == 0b1011"),
    Call("getRuntimeState", "", "r.getRuntimeState() == 2"),
    Call("isProtectiveStopped", "", "not r.isProtectiveStopped()"),
    Call("isEmergencyStopped", "", "not r.isEmergencyStopped()"),
    Call("getSpeedScaling", "", "r.getSpeedScaling() == 1.0"),
    Call("getSpeedScalingCombined", "", "r.getSpeedScalingCombined() == 1.0"),
    Call("getTargetSpeedFraction", "", "r.getTargetSpeedFraction() == 1.0"),
    Call("getPayload", "c.setPayload(1.0, [0, 0, 0.04])", "r.getPayload() == 1.0"),
    Call("getPayloadCog", "", "r.getPayloadCog() == [0, 0, 0.04]"),
    Call("getPayloadInertia", "c.setTargetPayload(1.0, [0, 0, 0.04], [0.01, 0.02, 0.03, 0, 0, 0])",
         "near(r.getPayloadInertia(), [0.01, 0.02, 0.03, 0, 0, 0], 1e-9)"),
    Call("getActualQd", "c.setPayload(0.0, [0, 0, 0])\nc.speedJ([0.1, 0, 0, 0, 0, 0], 1.0)",
         "near(r.getActualQd()[0], 0.1)"),
    Call("getTargetQd", "", "near(r.getTargetQd()[0], 0.1, 1e-9)"),
    Call("getActualTCPSpeed", "", "near(np.linalg.norm(r.getActualTCPSpeed()[3:]), 0.1, 0.02)"),
    Call("getTargetTCPSpeed", "", "near(np.linalg.norm(r.getTargetTCPSpeed()[3:]), 0.1, 1e-3)"),
    Call("getTargetQdd", "c.speedJ([-0.3, 0, 0, 0, 0, 0], 0.2)",
         "near(r.getTargetQdd()[0], -0.2, 1e-6)"),
    Call("getActualTCPForce", "c.speedStop()\npush(30, 3.0)",
         "np.linalg.norm(r.getActualTCPForce()[:3]) > 5"),
    Call("getFtRawWrench", "push(30, 3.0)", "np.linalg.norm(r.getFtRawWrench()[:3]) > 5"),
    Call("getOutputIntRegister", "send('sec f():\\n write_output_integer_register(13, 7)\\n"
         "end\\n')",
         "r.getOutputIntRegister(13) == 7"),
    Call("getOutputDoubleRegister", "send('sec f():\\n write_output_float_register(13, 0.5)\\n"
         "end\\n')",
         "r.getOutputDoubleRegister(13) == 0.5"),
    Call("getActualDigitalOutputBits", "io.setStandardDigitalOut(3, True)",
         "bit(r.getActualDigitalOutputBits(), 3)"),
    Call("getDigitalOutState", "", "r.getDigitalOutState(3) and not r.getDigitalOutState(4)"),
    Call("getActualDigitalInputBits", "", "r.getActualDigitalInputBits() == 0"),
    Call("getDigitalInState", "", "not r.getDigitalInState(0)"),
    Call("getStandardAnalogInput0", "", "r.getStandardAnalogInput0() == 0"),
    Call("getStandardAnalogInput1", "", "r.getStandardAnalogInput1() == 0"),
    Call("getStandardAnalogOutput0", "io.setAnalogOutputVoltage(0, 0.5)",
         "r.getStandardAnalogOutput0() == 5.0"),
    Call("getStandardAnalogOutput1", "io.setAnalogOutputVoltage(1, 0.3)",
         "r.getStandardAnalogOutput1() == 3.0"),
    Call("getActualMomentum", "", "r.getActualMomentum() > 0", "r.getActualMomentum() == 0",
         "stays 0: not computed"),
    Call("getActualExecutionTime", "", "r.getActualExecutionTime() > 0",
         "r.getActualExecutionTime() == 0", "stays 0: not measured"),
    Call("initPeriod", "value = r.initPeriod()", "value.total_seconds() >= 0"),
    Call("waitPeriod", "t = time.perf_counter()\nr.waitPeriod(r.initPeriod())",
         "time.perf_counter() - t > 1.5e-3"),
    Call("startFileRecording", "log = file('')\nvalue = r.startFileRecording(log)\ntime.sleep(0.1)",
         "value"),
    Call("stopFileRecording", "value = r.stopFileRecording()",
         "value and 'actual_q_0' in open(log).readline()"),
    Call("disconnect", "r.disconnect()", "not r.isConnected()"),
    Call("reconnect", "value = r.reconnect()", "value and r.getTimestamp() > 40"),
]  # fmt: skip

IO = [
    Call("isConnected", "value = io.isConnected()"),
    Call("setStandardDigitalOut", "value = io.setStandardDigitalOut(1, True)",
         "value and r.getDigitalOutState(1)"),
    Call("setConfigurableDigitalOut", "value = io.setConfigurableDigitalOut(2, True)",
         "value and bit(r.getActualDigitalOutputBits(), 10)"),
    Call("setToolDigitalOut", "value = io.setToolDigitalOut(1, True)",
         "value and bit(r.getActualDigitalOutputBits(), 17)"),
    Call("setSpeedSlider", "value = io.setSpeedSlider(0.5)",
         "value and r.getSpeedScaling() == 0.5"),
    Call("setAnalogOutputVoltage", "io.setSpeedSlider(1.0)\nvalue = "
         "io.setAnalogOutputVoltage(0, 0.25)",
         "value and r.getStandardAnalogOutput0() == 2.5"),
    Call("setAnalogOutputCurrent", "value = io.setAnalogOutputCurrent(1, 0.5)",
         "value and near(r.getStandardAnalogOutput1(), 0.012, 1e-9)"),
    Call("setInputIntRegister", "value = io.setInputIntRegister(20, 7)",
         "value and read('int', 20) == 7"),
    Call("setInputDoubleRegister", "value = io.setInputDoubleRegister(20, 1.5)",
         "value and read('double', 20) == 1.5"),
    Call("disconnect", "io.disconnect()", "not io.isConnected()"),
    Call("reconnect", "value = io.reconnect()", "value and io.isConnected()"),
]  # fmt: skip

DASHBOARD = [
    Call("isConnected", "value = d.isConnected()"),
    Call("robotmode", "", "d.robotmode() == 'Robotmode: RUNNING'"),
    Call("safetymode", "", "d.safetymode() == 'Safetymode: NORMAL'"),
    Call("safetystatus", "", "d.safetystatus() == 'Safetystatus: NORMAL'"),
    Call("polyscopeVersion", "", "d.polyscopeVersion().startswith('5.26.0')"),
    Call("getSerialNumber", "", "d.getSerialNumber().isdigit()"),
    Call("getRobotModel", "", "d.getRobotModel() == 'UR5'"),
    Call("isInRemoteControl", "", "d.isInRemoteControl()"),
    Call("popup", "d.popup('hello')", "True"),
    Call("closePopup", "d.closePopup()", "True"),
    Call("closeSafetyPopup", "d.closeSafetyPopup()", "True"),
    Call("addToLog", "d.addToLog('hello')", "True"),
    Call("setUserRole", "try:\n d.setUserRole(0)\nexcept TypeError as error:\n value = str(error)",
         "value is None", "'UserRole' in value", "its argument, UserRole, cannot be made in Python",
         fault=True),
    Call("send", "d.send('robotmode\\n')", "True"),
    Call("receive", "value = d.receive()", "'Robotmode: RUNNING' in value"),
    Call("running", "ready()", "d.running()"),
    Call("pause", "d.pause()", "r.getRuntimeState() == 4"),
    Call("programState", "", "d.programState().startswith('PAUSED')"),
    Call("play", "d.play()", "r.getRuntimeState() == 2"),
    Call("stop", "d.stop()", "r.getRuntimeState() == 1"),
    Call("loadURP", "d.loadURP(PROGRAM)", "PROGRAM in d.getLoadedProgram()"),
    Call("getLoadedProgram", "value = d.getLoadedProgram()", "PROGRAM in value"),
    Call("isProgramSaved", "d.send('isProgramSaved\\n')\nvalue = d.receive()", "d.isProgramSaved()",
         "value.startswith('true') and not d.isProgramSaved()",
         "looks for True; controllers answer true, in small letters", fault=True),
    Call("unlockProtectiveStop", "ready()\nc.triggerProtectiveStop()\n"
         "while not r.isProtectiveStopped():\n time.sleep(0.01)\ntime.sleep(0.3)\n"
         "d.unlockProtectiveStop()", "not r.isProtectiveStopped()"),
    Call("powerOff", "d.powerOff()", "r.getRobotMode() == 3"),
    Call("powerOn", "d.powerOn()", "r.getRobotMode() == 5"),
    Call("brakeRelease", "d.brakeRelease()", "r.getRobotMode() == 7"),
    Call("restartSafety", "d.restartSafety()", "True"),
    Call("disconnect", "d.disconnect()", "not d.isConnected()"),
    Call("connect", "d.connect()", "d.isConnected()"),
    Call("quit", "d.quit()", "True"),
    Call("shutdown", "d = dashboard_client.DashboardClient(HOST)\nd.connect()\nd.shutdown()",
         "True"),
]  # fmt: skip

CLASSES = {
    "RTDEControlInterface": ("rtde_control", CONTROL),
    "RTDEReceiveInterface": ("rtde_receive", RECEIVE),
    "RTDEIOInterface": ("rtde_io", IO),
    "DashboardClient": ("dashboard_client", DASHBOARD),
}
