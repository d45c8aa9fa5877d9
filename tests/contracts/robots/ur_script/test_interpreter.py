"""Interpreter mode: statements sent to a running program."""

import pytest

from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets, run_cycles
from armtwin.robots.ur_controller.script.language.parser import TOKENS, finished
from armtwin.robots.ur_controller.script.program import ScriptProgram, State
from armtwin.robots.ur_controller.script.runtime.budget import Budget

PROGRAM = 'def prog():\n  a = 1\n  interpreter_mode()\n  textmsg("end ", a)\nend\n'


@pytest.fixture
def session():
    """Return a run in interpreter mode and its host."""
    host = FakeHost()
    run = ScriptProgram.load(PROGRAM).start(host, FakeSockets())
    run_cycles(run, host, 2)
    return run, host


def test_statements_run_in_the_program(session):
    """A statement reads and writes the program's variables when it is sent."""
    run, host = session
    assert run.interpreter.command("a = a + 5\n") == "ack: 1: a = a + 5"
    assert run.interpreter.command("b = a * 2") == "ack: 2: b = a * 2"
    assert (
        run.interpreter.command("def f(x): return x + b end")
        == "ack: 3: def f(x): return x + b end"
    )
    assert run.interpreter.command("textmsg(f(1))") == "ack: 4: textmsg(f(1))"
    run_cycles(run, host, 5)
    assert host.messages == ["13"]
    assert run.interpreter.command("end_interpreter()") == "ack: 5: end_interpreter()"
    run_cycles(run, host, 3)
    assert run.state is State.FINISHED
    assert host.messages == ["13", "end 6"]


def test_wrong_statements_are_discarded(session):
    """A statement is discarded with its reason when it cannot be compiled."""
    run, host = session
    assert run.interpreter.command("a = = 1") == "discard: Syntax error: a = = 1"
    assert run.interpreter.command("nothing()") == "discard: Compile error: nothing()"
    run_cycles(run, host, 5)
    assert run.state is State.RUNNING


def test_statements_take_their_time(session):
    """Statements run one after the other when they take time; the state counts them."""
    run, host = session
    for _ in range(3):
        run.interpreter.command("sleep(0.01)")
    assert run.interpreter.command("statelastinterpreted") == "state: 3: statelastinterpreted"
    run_cycles(run, host, 7)
    assert run.interpreter.command("statelastexecuted") == "state: 1: statelastexecuted"
    assert run.interpreter.command("stateunexecuted") == "state: 1: stateunexecuted"
    assert run.interpreter.command("skipbuffer") == "ack: 1: skipbuffer"
    run_cycles(run, host, 10)
    assert run.interpreter.command("statelastexecuted") == "state: 2: statelastexecuted"


def test_abort(session):
    """The statement under way ends and its motion is given up when a client aborts."""
    run, host = session
    run.interpreter.command("movej([1,0,0,0,0,0])")
    run_cycles(run, host, 5)
    assert run.interpreter.command("abort") == "ack: 0: abort"
    run_cycles(run, host, 2)
    assert host.cancelled == [1]
    assert run.state is State.RUNNING
    run.interpreter.command("end_interpreter()")
    run_cycles(run, host, 3)
    assert run.state is State.FINISHED


def test_runtime_error_ends_the_program(session):
    """The program fails when a sent statement fails."""
    run, host = session
    run.interpreter.command("c = 1 / 0")
    run_cycles(run, host, 2)
    assert run.state is State.FAILED
    assert run.error.text == "Division by zero"


def test_queue_is_bounded():
    """Statements are discarded when too many were sent, until they are cleared."""
    host = FakeHost()
    run = ScriptProgram.load(PROGRAM, Budget(queued_statements=2)).start(host, FakeSockets())
    run_cycles(run, host, 2)
    answers = [run.interpreter.command("a = 1") for _ in range(3)]
    assert answers[2] == "discard: Too many interpreted messages: a = 1"
    run_cycles(run, host, 5)
    run.runtime.clear_interpreter()
    assert run.interpreter.command("statelastcleared") == "state: 2: statelastcleared"
    assert run.interpreter.command("a = 1") == "ack: 3: a = 1"


def test_statements_do_not_outlive_their_run(session):
    """A variable of one run is unknown in the next when a statement has declared it."""
    run, host = session
    assert run.interpreter.command("extra = 1").startswith("ack")
    again = run.program.start(host, FakeSockets())
    run_cycles(again, host, 2)
    assert again.interpreter.command("a = extra") == "discard: Compile error: a = extra"


def test_no_interpreter_mode():
    """A statement is discarded when the program is not in interpreter mode."""
    host = FakeHost()
    run = ScriptProgram.load("sleep(1)\n").start(host, FakeSockets())
    run_cycles(run, host, 2)
    assert run.interpreter.command("a = 1").startswith("discard: ")


LONG = "x = " + "1+" * 200 + "1"


def test_long_statement_is_compiled_in_steps(session):
    """A statement takes several steps and has the same effect when it is long."""
    run, host = session
    steps = [*run.interpreter.command_steps(LONG)]
    assert len(steps) == (2 * 200 + 3) // TOKENS + 2
    run_cycles(run, host, 3)
    assert run.variable("x") == 201
    assert not [*run.interpreter.command_steps("x = 1")]


def test_statements_of_two_clients_do_not_mix(session):
    """The second one waits, until the first is compiled or its client has gone, when both send."""
    run, host = session
    first, second = (run.interpreter.command_steps(text) for text in (LONG, "y = 5"))
    for _ in range(3):
        next(first)
        next(second)
    assert finished(first) == f"ack: 1: {LONG}"
    assert finished(second) == "ack: 2: y = 5"
    gone = run.interpreter.command_steps(LONG)
    next(gone)
    gone.close()
    assert run.interpreter.command("z = x + y") == "ack: 3: z = x + y"
    run_cycles(run, host, 5)
    assert run.variable("z") == 206
