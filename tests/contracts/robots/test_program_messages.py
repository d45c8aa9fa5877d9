"""Labels and global variables of a running program on the primary interface."""

import struct

import numpy as np
import pytest

from armtwin.robots.ur_controller.build import virtual_robot
from armtwin.robots.ur_controller.ports.intake import Intake
from armtwin.robots.ur_controller.script import ScriptProgram
from armtwin.robots.ur_controller.script.runtime.values import List, Pose, Struct
from armtwin.robots.ur_controller.script_programs import run_script
from armtwin.robots.ur_controller.streams.broadcast import Broadcast
from armtwin.robots.ur_controller.streams.variables import VariableMessages

HEAD = struct.Struct(">iBQbH")
"""Size, type, time, kind and first index of a program state message."""


class Client:
    """A client of the primary interface that keeps what it gets."""

    first, names = False, ()

    def __init__(self):
        """Start with nothing."""
        self.got = []

    def send_state(self, packet):
        """Take one message or several."""
        while packet:
            size = struct.unpack_from(">i", packet)[0]
            self.got.append(packet[:size])
            packet = packet[size:]

    send_message = send_state

    def of(self, kind):
        """Return the messages of a type."""
        return [packet for packet in self.got if packet[4] == kind]


@pytest.fixture
def controller():
    """A controller of version 5.25."""
    return virtual_robot("ur5e", version="5.25.0").controller


@pytest.fixture
def client():
    """A client."""
    return Client()


def played(controller, client, text, cycles=120):
    """Run a program for some cycles with a client of port 30001."""
    broadcast = Broadcast(controller, Intake(), lambda text: iter(()))
    broadcast.clients[30001].add(client)
    run_script(controller, text)
    for _ in range(cycles):
        controller.cycle()
        broadcast.send()


def labels(client):
    """Return number and text of the labels that came."""
    return [
        (struct.unpack(">i", packet[15:19])[0], packet[19:].decode())
        for packet in client.of(20)
        if packet[14] == 1
    ]


def test_labels_come_as_they_are_passed(controller, client):
    """Number and text of a label come when the program passes it, in order; else not."""
    text = (
        'def labelled():\n  $ 1 "Robot Program"\n  i = 0\n  while i < 2:\n'
        '    $ 2 "Wait: 0.01" "noBreak"\n    sleep(0.01)\n    i = i + 1\n  end\n'
        '  if i == 3:\n    $ 3 "never"\n  end\n  $ 4 "Schluß"\nend\n'
    )
    played(controller, client, text)
    seen = [(1, "Robot Program"), (2, "Wait: 0.01"), (2, "Wait: 0.01"), (4, "Schluß")]
    assert labels(client) == seen
    keys = [packet for packet in client.of(20) if packet[14] == 7]
    assert len(keys) == 2
    assert all(packet.endswith(b"labelled") for packet in keys)


def test_labels_beside_a_definition_are_no_statements():
    """The definition is the program when labels stand beside it; other ``$`` lines are comments."""
    program = ScriptProgram.load('$ 1 "head"\ndef main():\n  sync()\n  $ what\nend\n$ 9 "foot"\n')
    assert program.name == "main"


def test_lines_keep_their_numbers():
    """The place of a mistake is right when labels stand above it."""
    with pytest.raises(Exception, match="nowhere") as failure:
        ScriptProgram.load('def main():\n  $ 1 "one"\n  $ 2 "two"\n  nowhere()\nend\n')
    assert (failure.value.line, failure.value.column) == (4, 3)


def test_global_variables_come_with_the_states(controller, client):
    """Names come once and values ten times a second when a program has global variables."""
    text = (
        "def counting():\n  global count = 7\n  other = 1\n  local mine = 2\n"
        "  def inner():\n    global flag = True\n  end\n  while True:\n"
        "    count = count + 1\n    sleep(0.1)\n    inner()\n  end\nend\n"
    )
    played(controller, client, text, 160)
    heads = [HEAD.unpack_from(packet) for packet in client.of(25)]
    bodies = [packet[HEAD.size :] for packet in client.of(25)]
    assert [head[0] for head in heads] == [len(packet) for packet in client.of(25)]
    assert [head[3] for head in heads] == [0, 1, 1, 1, 1]
    assert bodies[0] == b"count\nflag\n"
    assert bodies[1] == b"\x0f" + struct.pack(">i", 8) + b"\n\x00\n"
    assert bodies[-1][5:] == b"\n\x0d\x01\n"
    counts = [struct.unpack(">i", body[1:5])[0] for body in bodies[1:]]
    assert counts == sorted(counts)
    assert counts[-1] >= 10


def test_interpreted_statements_add_variables(controller, client):
    """Names come again when a statement of interpreter mode declares another variable."""
    played(controller, client, "def open():\n  global a = 1\n  interpreter_mode()\nend\n", 60)
    controller.program.run.interpreter.command("global b = 2")
    broadcast = Broadcast(controller, Intake(), lambda text: iter(()))
    broadcast.clients[30001].add(client)
    client.got.clear()
    for _ in range(60):
        controller.cycle()
        broadcast.send()
    names = [p[HEAD.size :] for p in client.of(25) if HEAD.unpack_from(p)[3] == 0]
    assert names == [b"a\nb\n"]


def test_example_of_the_manual():
    """Bytes are those of UR's own example when a release up to 5.8 sends a bool and a text."""
    packet = VariableMessages((5, 8, 0, 0)).update(1.5, [True, "aaaa"])
    assert packet[HEAD.size :] == bytes.fromhex("0c010a 03000461616161 0a")
    assert HEAD.unpack_from(packet) == (len(packet), 25, 1_500_000, 1, 0)


@pytest.mark.parametrize(
    ("version", "types"),
    [
        ((3, 2, 0, 0), [9, 11, 13, 14, 4, 4]),
        ((3, 5, 0, 0), [10, 12, 14, 15, 5, 5]),
        ((3, 13, 0, 0), [10, 12, 14, 15, 5, 5]),
        ((3, 15, 0, 0), [12, 13, 15, 16, 17, 18]),
        ((5, 9, 0, 0), [12, 13, 15, 16, 17, 18]),
        ((10, 12, 0, 0), [12, 13, 15, 16, 17, 18]),
    ],
)
def test_types_of_values_by_release(version, types):
    """Type numbers are those of UR's table when a release sends a value of each type."""
    values = [Pose([0.0] * 6), False, 1, 1.0, List((1,)), List((List((1,)),))]
    encoder = VariableMessages(version)
    assert [encoder.value(value)[0] for value in values] == types


def test_data_of_values():
    """Every number is found again when a value is decoded by UR's table."""
    encoder = VariableMessages((5, 25, 0, 0))
    pose = encoder.value(Pose([1.0, -2.0, 0.5, 0.0, 3.0, 1e99]))
    assert struct.unpack(">B6f", pose) == (12, 1.0, -2.0, 0.5, 0.0, 3.0, np.inf)
    listed = encoder.value(List((1, 2.5, "ab")))
    assert struct.unpack(">BHBiBfBH2s", listed) == (17, 3, 15, 1, 16, 2.5, 3, 2, b"ab")
    matrix = encoder.value(List((List((1, 2, 3)), List((4, 5, 6)))))
    assert struct.unpack(">BHHBiBiBiBiBiBi", matrix) == (
        18, 2, 3, 15, 1, 15, 2, 15, 3, 15, 4, 15, 5, 15, 6,
    )  # fmt: skip
    assert encoder.value(None) == encoder.value(Struct(("a",), (1,))) == b"\x00"


def test_large_values_are_left_out():
    """No message grows without bound when a program holds large lists and texts."""
    encoder = VariableMessages((5, 25, 0, 0))
    update = encoder.update(0.0, [List(tuple(range(300))), "x" * 5000])
    assert update[HEAD.size : HEAD.size + 2] == b"\x00\n"
    assert len(update) < 1100


def test_pause_is_a_ramp(controller):
    """Speeds change evenly and the goal is reached when a move is paused and resumed."""
    goal = [0.4, -1.4, 1.5, -1.6, -1.5, 0.2]
    run_script(controller, f"def move():\n  movej({goal}, a=3, v=1)\nend\n")
    speeds = []

    def cycles(count):
        for _ in range(count):
            controller.cycle()
            speeds.append(controller.reference.qd.copy())

    cycles(150)
    top = np.abs(speeds[-1]).max()
    controller.panel.pause()
    cycles(150)
    assert not speeds[-1].any()
    controller.panel.play()
    while controller.program is not None:
        cycles(1)
    change = np.abs(np.diff(speeds, axis=0)).max() / controller.dt
    assert change < 3 + 1.1 * top / 0.25
    assert np.allclose(controller.reference.q, goal, atol=1e-9)
