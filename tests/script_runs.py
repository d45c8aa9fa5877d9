"""Runs of URScript programs on a fake controller, for tests."""

from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets, run_cycles
from armtwin.robots.ur_controller.script.program import ScriptProgram, State
from armtwin.robots.ur_controller.script.runtime.budget import DEFAULT_BUDGET


def execute(source, *, cycles=1000, host=None, sockets=None, budget=DEFAULT_BUDGET):
    """Return a run after at most some cycles, and its host."""
    host = FakeHost() if host is None else host
    run = ScriptProgram.load(source, budget).start(
        host, FakeSockets() if sockets is None else sockets
    )
    run_cycles(run, host, cycles)
    return run, host


def finish(source, **options):
    """Return the host of a program after it has ended without error."""
    run, host = execute(source, **options)
    assert run.state is State.FINISHED, run.error
    return host


def variables(source, **options):
    """Return a function that gives the variables of a program that has ended without error."""
    run, _ = execute(source, **options)
    assert run.state is State.FINISHED, run.error
    return run.variable


def value(expression, before=""):
    """Return the value of an expression."""
    return variables(f"{before}\nx = {expression}\n")("x")


def failure(source, **options):
    """Return the error that a program ends with."""
    run, _ = execute(source, **options)
    assert run.state is State.FAILED, run.state
    return run.error
