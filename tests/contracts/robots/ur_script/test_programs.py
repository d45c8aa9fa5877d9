"""Whole programs: how a text becomes a program, and secondary programs."""

import pytest
from script_runs import execute

from armtwin.robots.ur_controller.script.errors import ScriptError
from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets
from armtwin.robots.ur_controller.script.program import ScriptProgram, State


@pytest.mark.parametrize(
    ("source", "name", "messages"),
    [
        ('def prog():\n textmsg("a")\nend\n', "prog", ["a"]),
        ('def other():\n textmsg("h")\nend\ndef prog():\n other()\nend\n', "prog", ["h"]),
        ('textmsg("a")\ntextmsg("b")\n', "unnamed", ["a", "b"]),
        ('def f():\n textmsg("f")\nend\nf()\n', "f", ["f"]),
        ('def f():\n textmsg("f")\nend\nf()\nf()\n', "unnamed", ["f", "f"]),
        ('textmsg("only")', "unnamed", ["only"]),
        ("", "unnamed", []),
        ("# nothing but a comment", "unnamed", []),
        ("def empty():\nend", "empty", []),
    ],
)
def test_texts(source, name, messages):
    """A text runs its last definition, or its statements when it has some outside."""
    run, host = execute(source)
    assert (run.program.name, run.state, host.messages) == (name, State.FINISHED, messages)


def test_a_program_runs_more_than_once():
    """Each run has variables of its own when a program is started twice."""
    program = ScriptProgram.load("def prog():\n a = 1\n a = a + 1\nend\n")
    runs = [program.start(FakeHost(), FakeSockets()) for _ in range(2)]
    for run in runs:
        run.step()
    assert [run.variable("a") for run in runs] == [2, 2]


def test_secondary_program():
    """A secondary program ends in the cycle in which it starts when it is short."""
    run, host = execute("sec s():\n set_digital_out(1, True)\nend\n", cycles=1)
    assert run.program.secondary
    assert (run.state, len(host.done)) == (State.FINISHED, 1)


def test_secondary_program_beside_a_program():
    """A main program goes on when a secondary program runs beside it."""
    host = FakeHost()
    main = ScriptProgram.load("i = 0\nwhile i < 9:\n i = i + 1\n sync()\nend\n").start(
        host, FakeSockets()
    )
    side = ScriptProgram.load('sec s():\n textmsg("beside")\nend\n').start(host, FakeSockets())
    for _ in range(10):
        main.step()
        side.step()
        host.advance()
    assert (main.state, side.state) == (State.FINISHED, State.FINISHED)
    assert host.messages == ["beside"]


@pytest.mark.parametrize("statement", ["sleep(1)", "movej([0,0,0,0,0,0])", "sync()"])
def test_secondary_program_has_no_time(statement):
    """A secondary program is refused when it would take time."""
    with pytest.raises(ScriptError) as caught:
        ScriptProgram.load(f"sec s():\n  {statement}\nend\n")
    assert caught.value.text.startswith("SECONDARY_PROGRAM_EXCEPTION_XXX")
    assert (caught.value.line, caught.value.column) == (2, 3)


def test_exception_in_a_secondary_program():
    """The exception's text begins as a real controller's when a secondary program fails."""
    run, _ = execute("sec s():\n x = 1 / 0\nend\n")
    assert run.state is State.FAILED
    assert run.error.text == "SECONDARY_PROGRAM_EXCEPTION_XXXDivision by zero"
    assert run.error.line == 2
