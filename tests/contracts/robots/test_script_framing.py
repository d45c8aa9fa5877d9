"""Where programs on the script ports end, and what becomes of those that do not."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from script_clients import compiled, settle, unhurried_robot
from stream_clients import Transport
from waiting import ManualClock

from armtwin.robots.ur.protocol.codec import Level
from armtwin.robots.ur_controller.ports.intake import Deadlines
from armtwin.robots.ur_controller.ports.script_port import FRAMED, ScriptFramer, ScriptPort
from armtwin.robots.ur_controller.ports.text_port import LONGEST_SCRIPT, UNFINISHED
from armtwin.robots.ur_controller.state.events import RuntimeException
from armtwin.robots.ur_controller.streams.broadcast import SECONDARY

PROGRAM = b"def f():\n sleep(0.5)\n write_output_integer_register(15, 2)\nend\n"
PIECES = [b"if ", b"end", b"\n", b" ", b'"', b"'", b"#", b"$", b"def f(", b"x", b".", b"_", b"\r",
          b"while", b"1", b"thread t(", b"longlongword", b"for i in x:"]  # fmt: skip


class Closable(Transport):
    """A connection that can be closed."""

    def abort(self):
        """Take it."""

    pause_reading = resume_reading = abort


@pytest.fixture
def robot():
    """A robot that does not listen and has all the time for its clients."""
    return unhurried_robot()


@pytest.fixture
def client(robot):
    """A client of the secondary interface."""
    made = dict(robot.streams.ports())[SECONDARY[0]]()
    made.connection_made(Closable())
    return made


def register(robot, seconds=2.0):
    """Return what programs have written into a register after a while of the robot's time."""
    settle(robot, seconds)
    return robot.controller.registers.number("output_int_register_15")


def refusals(robot):
    """Return the texts of refused programs."""
    texts = [*robot.controller.texts, *robot.controller.log]
    return [text.message for text in texts if text.level == Level.EXCEPTION]


@pytest.mark.parametrize(
    "texts",
    [[PROGRAM + b"# done\n"], [PROGRAM + b"f()\n# done\n"], [PROGRAM + b"f() # run\n"],
     [PROGRAM.replace(b"\n", b"\r\n") + b"# done\r\n"], [PROGRAM, b" # hello\n"],
     [PROGRAM + b"run program\n"], [b"# f\n" + PROGRAM + b"\n \t\n"]],
)  # fmt: skip
def test_comments_are_no_programs(robot, client, texts):
    """The program runs to its end when comments and blank lines stand around it."""
    for text in texts:
        client.data_received(text)
        compiled(robot)
        robot.cycle()
    assert register(robot) == 2
    assert not refusals(robot)


@pytest.mark.parametrize(
    "text",
    [b"def f():\n write_output_integer_register(15, 2)\nend # f\n",
     b"  def f():\n   write_output_integer_register(15, 2)\n  end\n",
     b"def f(): write_output_integer_register(15, 2) end\n",
     b"def f():\nif True:\nsync()\nend\nwrite_output_integer_register(15, 2)\nend\n",
     b"while read_output_integer_register(15) < 2:\nwrite_output_integer_register(15, 2)\nend\n",
     b"def f():\n textmsg('if')\n# while\n$ 2 'end'\n write_output_integer_register(15, 2)\nend\n",
     b"def f():\n write_output_integer_register(15, 2)\n end_freedrive_mode()\nend\n"],
)  # fmt: skip
def test_blocks_decide_where_a_program_ends(robot, client, text):
    """A program runs whole when its lines are indented in any way, with comments behind."""
    client.data_received(text)
    assert register(robot) == 2


@pytest.mark.parametrize(
    "text",
    [b"def f():\nif True:\nnone()\nend\nwrite_output_integer_register(15, 2)\nend\n",
     b"def f():\nfor i in [1]:\nsync()\nend\nwrite_output_integer_register(15, 2)\nend\n",
     b"def f():\nswitch i:\nsync()\nend\nwrite_output_integer_register(15, 2)\nend\n",
     b"if none():\nwrite_output_integer_register(15, 2)\nend\n"],
)  # fmt: skip
def test_no_part_of_a_refused_program_runs(robot, client, text):
    """Nothing is executed when a program with blocks inside is refused."""
    client.data_received(text)
    assert register(robot) == 0
    assert len(refusals(robot)) == 1


def test_program_whose_last_line_break_is_missing_runs(robot, client):
    """The program runs when its client leaves after ``end`` without a line break."""
    client.data_received(PROGRAM[:-1])
    assert register(robot) == 0
    client.connection_lost(None)
    assert register(robot) == 2


@pytest.mark.parametrize("text", [b"def f():\n sync()\n en", b"def f():\n sync()", b"movej([0])"])
def test_incomplete_text_of_a_client_that_leaves(robot, client, text):
    """It is reported, and the running program goes on, when a client leaves before its end."""
    client.data_received(PROGRAM)
    client.data_received(text)
    client.connection_lost(None)
    assert register(robot) == 2
    assert "closed before its end" in " ".join(refusals(robot))
    assert repr(text.decode())[:60] in " ".join(refusals(robot))
    assert any(isinstance(event.report, RuntimeException) for event in robot.controller.events)


@pytest.mark.parametrize("text", [b"", b"# half a comment", b"  "])
def test_client_that_leaves_without_code(robot, client, text):
    """Nothing is reported when a client leaves after a program, blanks or a comment."""
    client.data_received(PROGRAM + text)
    client.connection_lost(None)
    assert register(robot) == 2
    assert not refusals(robot)


def test_text_that_stays_unfinished_is_reported(robot, client):
    """The reason is reported once when the end of a program has not come in time."""
    clock = ManualClock()
    robot.intake.deadlines = Deadlines(clock)
    client.data_received(b"def f():\n sleep(0.3)\n")
    clock.now = UNFINISHED + 1
    robot.intake.refill()
    client.connection_lost(None)
    compiled(robot)
    assert len(refusals(robot)) == 1
    assert f"its end has not come within {UNFINISHED:g} s" in refusals(robot)[0]


def test_text_that_is_too_long_is_reported(robot, client):
    """The reason is reported once when a program has no end within the longest script."""
    for _ in range(LONGEST_SCRIPT // (1 << 16) + 1):
        client.data_received(b"def f():\n" + b"x" * (1 << 16))
    client.connection_lost(None)
    compiled(robot)
    assert len(refusals(robot)) == 1
    assert f"more than {LONGEST_SCRIPT} bytes" in refusals(robot)[0]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.integers(1, 9))
def test_pieces_do_not_matter(words, size):
    """The same programs and lines are found when a text comes in pieces of any size."""
    data = b"".join(words)
    framer = ScriptFramer()
    parts = [data[k : k + size] for k in range(0, len(data), size)]
    assert [text for part in parts for text in framer.feed(part)] == [*ScriptFramer().feed(data)]


def test_nothing_is_lost():
    """All but blank lines and comments is found again when any text is cut."""
    words = random.Random(1).choices(PIECES, k=5000)
    data = b"".join(words)
    framer = ScriptFramer()
    found = b"".join([*framer.feed(data)]) + framer.unfinished
    kept = [line for line in data.split(b"\n") if line.strip() and line.strip()[:1] != b"#"]
    assert all(line in found for line in kept)


def test_a_step_cuts_a_bounded_number_of_bytes(robot):
    """The work on many short lines is divided into steps when they come at once."""
    fed = []
    port = ScriptPort(set(), robot.intake, lambda text, sender: iter(()))
    feed = port._framer.feed
    port._framer.feed = lambda data: (fed.append(len(data)), feed(data))[1]
    steps = [*port.work(b"\n" * 4 * FRAMED)]
    assert fed == [FRAMED] * 4
    assert len(steps) == 3
