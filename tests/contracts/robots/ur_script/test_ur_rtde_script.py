"""ur_rtde's control script runs as sent; the text is taken from ur_rtde at test time."""

import pytest
from virtual_robots import Worker, needs_ur_rtde, running

import armtwin as at
from armtwin.robots.ur_controller.script import commands as c
from armtwin.robots.ur_controller.script import motions as m
from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets, run_cycles
from armtwin.robots.ur_controller.script.program import ScriptProgram, State

pytestmark = needs_ur_rtde
READY, DONE = 1, 2
Q = (0.1, -1.5, 1.4, -1.4, -1.5, 0.2)


@pytest.fixture(scope="module")
def program():
    """Return the program that ur_rtde sends when it connects."""
    texts = []
    with running("ur5e") as station:
        robot = station.robots[0]
        run_script = robot.run_script
        robot.run_script = lambda text, sender: (texts.append(text), run_script(text, sender))[1]
        worker = Worker(robot.host)
        worker("import rtde_control\nrtde = patient(rtde_control.RTDEControlInterface, HOST)")
        worker("rtde.disconnect()")
        worker.close()
    found = [text for text in texts if "def rtde_control" in text]
    return ScriptProgram.load(found[0])


class Client:
    """Writes commands into input registers and reads answers, as ur_rtde does."""

    def __init__(self, program):
        self.host = FakeHost(at.load("ur5e"))
        self.run = program.start(self.host, FakeSockets())
        self.cycle(3)

    def cycle(self, count):
        """Let cycles pass."""
        run_cycles(self.run, self.host, count)

    @property
    def answer(self):
        """Whether the script is ready or done."""
        return self.host.fields["output_int_register_0"]

    def outputs(self, count):
        """Return the first output registers."""
        return tuple(self.host.fields[f"output_double_register_{k}"] for k in range(count))

    def command(self, number, values=(), *, by_itself=0, cycles=2000):
        """Give a command and wait until it is answered."""
        assert self.answer == READY
        for k, value in enumerate(values):
            self.host.fields[f"input_double_register_{k}"] = float(value)
        self.host.fields["input_int_register_1"] = by_itself
        self.host.fields["input_int_register_0"] = number
        for _ in range(cycles):
            self.cycle(1)
            if self.answer == DONE:
                break
        assert self.answer == DONE, self.run.error
        self.host.fields["input_int_register_0"] = 0
        self.cycle(2)
        assert self.answer == READY


@pytest.fixture
def client(program):
    """Return a client of a fresh run."""
    return Client(program)


def test_script_starts(client):
    """The script reports ready and sets up force mode when it is started."""
    assert client.run.state is State.RUNNING
    assert client.answer == READY
    assert c.ForceModeGain(0.5) in client.host.done


def test_move_joints(client):
    """A moveJ is answered when the motion is done."""
    client.command(1, (*Q, 1.0, 1.4))
    assert client.host.started == [m.JointMoveCommand(m.MotionTarget(Q, False), 1.4, 1.0)]


def test_move_by_itself_and_stop(client):
    """An asynchronous move is answered at once, shows progress, and ends with stopJ."""
    client.command(1, (*Q, 0.1, 1.4), by_itself=1, cycles=3)
    assert client.host.fields["output_int_register_2"] & 1 << 15
    client.command(34, (2.0,))
    assert client.host.cancelled == [1]
    assert not client.host.fields["output_int_register_2"] & 1 << 15
    # ur_rtde's script calls stopl here: only an asynchronous stop sets the kind of stop.
    assert isinstance(client.host.started[-1], m.StopJoints | m.StopTool)


def test_kinematics(client):
    """Inverse and forward kinematics are answered in registers."""
    pose = client.host.forward(Q, (0.0,) * 6)
    client.command(30, (*pose, *Q))
    assert client.outputs(6) == pytest.approx(Q, abs=1e-9)
    client.command(44, (*Q, 0, 0, 0, 0, 0, 0))
    assert client.outputs(6) == pytest.approx(pose, abs=1e-9)


def test_servo(client):
    """A servoJ follows the registers in every cycle while its command stands."""
    client.host.fields["input_int_register_0"] = 11
    for k in range(20):
        for j, q in enumerate((*Q, 0, 0, 0.002, 0.1, 300)):
            client.host.fields[f"input_double_register_{j}"] = q + (0.001 * k if j == 0 else 0)
        client.cycle(1)
    servos = [s for s in client.host.started if isinstance(s, m.ServoJoints)]
    assert len(servos) >= 18
    assert servos[-1].joints[0] > servos[0].joints[0]
    assert servos[-1].gain == 300


def test_settings(client):
    """Payload and tool centre point reach the controller."""
    client.command(17, (1.5, 0.0, 0.0, 0.1))
    client.command(29, (0.0, 0.0, 0.12, 0.0, 0.0, 0.0))
    assert client.host.fields["payload"] == 1.5
    assert client.host.fields["tcp_offset"] == (0.0, 0.0, 0.12, 0.0, 0.0, 0.0)


def test_stop_script(client):
    """The script ends when ur_rtde stops it."""
    client.host.fields["input_int_register_0"] = 255
    client.cycle(3)
    assert client.run.state is State.FINISHED


@pytest.mark.parametrize("command", range(1, 72))
def test_every_command_leaves_the_script_running(program, command):
    """The script goes on, or names what is not available, when any command is given."""
    client = Client(program)
    # Values that are valid for most commands: small numbers, positive speeds.
    for k, value in enumerate((*Q, 1, 0.5, 0.1, 0.1, 300, 0, 0, 0, 0, 0, 0, 0)):
        client.host.fields[f"input_double_register_{k}"] = value
    client.host.fields["input_int_register_0"] = command
    client.cycle(30)
    if client.run.error is not None:
        assert client.run.error.line > 0
        assert "not defined" not in client.run.error.text
        assert "unexpected" not in client.run.error.text
