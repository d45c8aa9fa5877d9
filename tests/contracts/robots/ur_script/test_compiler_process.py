"""Long programs are compiled in a process of their own."""

import os
import select

import pytest
from waiting import wait_until

from armtwin.robots.ur_controller.ports.intake import LATER
from armtwin.robots.ur_controller.script import compiler_process
from armtwin.robots.ur_controller.script.compiler_process import LARGE, PIECE, CompilerProcess
from armtwin.robots.ur_controller.script.errors import ScriptCompileError, ScriptSyntaxError
from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets
from armtwin.robots.ur_controller.script.program import ScriptProgram

PROGRAM = """
def f():
  x = 3
  def g(a, b=2):
    return a + b
  end
  thread t():
    sync()
  end
  y = g(x)
  interpreter_mode()
end
"""
LONG = "def f():\n" + "  sync()\n" * (LARGE // 8) + "end\n"


@pytest.fixture(scope="module")
def compiler():
    """A process that is ready."""
    made = CompilerProcess()
    made.load(LONG)
    yield made
    made._close()


def test_program_runs_as_compiled_here(compiler):
    """The program and statements added to it do the same when another process compiles it."""
    results = []
    for program in (compiler.load(PROGRAM), ScriptProgram.load(PROGRAM)):
        run = program.start(FakeHost(), FakeSockets())
        run.step()
        lines = ("z = g(x, 4)", "z = g()", "join run t()", "g = 1")
        answers = [run.interpreter.command(line) for line in lines]
        for _ in range(5):
            run.step()
        results.append((program.name, program.secondary, answers, run.variable("z"), run.error))
    assert results[0] == results[1]
    assert results[0][3] == 7


@pytest.mark.parametrize(
    ("text", "kind"),
    [("def f():\n foo()\nend\n", ScriptCompileError), ("def f(:\nend\n", ScriptSyntaxError)],
)
def test_errors_are_the_same(compiler, text, kind):
    """Kind, place and words of an error are the same when another process compiles."""
    with pytest.raises(kind) as far:
        compiler.load(text)
    with pytest.raises(kind) as near:
        ScriptProgram.load(text)
    assert str(far.value) == str(near.value)


def test_long_program_is_not_compiled_here(compiler, monkeypatch):
    """This process neither parses nor compiles when a program is long."""

    def refuse(*_):
        raise AssertionError("compiled in this process")

    monkeypatch.setattr(ScriptProgram, "load", refuse)
    monkeypatch.setattr(ScriptProgram, "compile", refuse)
    assert compiler.load(LONG.replace("sync()", "sync() ")).name == "f"


def test_texts_and_programs_go_in_pieces(compiler, monkeypatch):
    """A step writes or reads one piece at most when text and program are long."""
    sizes = []
    read, write = os.read, os.write

    def noted_read(end, size):
        data = read(end, size)
        sizes[-1] += len(data)
        return data

    def noted_write(end, data):
        sizes[-1] += len(data)
        return write(end, data)

    monkeypatch.setattr(compiler_process.os, "read", noted_read)
    monkeypatch.setattr(compiler_process.os, "write", noted_write)
    work = compiler.steps(LONG + "# " + "x" * 3 * PIECE + "\n")
    with pytest.raises(StopIteration) as end:
        while True:
            sizes.append(0)
            if next(work) == LATER:
                wait_until(lambda: readable(compiler))
    assert end.value.value.name == "f"
    assert max(sizes) <= PIECE
    assert sum(sizes) > len(LONG) + 3 * PIECE


def readable(compiler):
    """Return whether something has come from the process."""
    return select.select([compiler._pipes()[1]], [], [], 0)[0]


def test_abandoned_compilation_ends(compiler):
    """The process ends, and another one compiles the next program, when nobody waits any more."""
    work = compiler.steps(LONG + "#\n")
    next(work)
    process = compiler._process
    work.close()
    assert process.returncode is not None
    assert compiler.load(PROGRAM).name == "f"


def test_short_program_does_not_wait_for_the_start():
    """A program is compiled here while the process is still starting."""
    made = CompilerProcess()
    try:
        assert made.load(PROGRAM).name == "f"
        assert not made._ready
    finally:
        made._close()


def test_process_is_started_again():
    """Programs are compiled on when the process has been killed."""
    made = CompilerProcess()
    try:
        made.load(LONG)
        made._process.kill()
        made._process.wait()
        assert made.load(PROGRAM).name == "f"
    finally:
        made._close()


def test_program_is_compiled_here_when_no_process_can_be_started(monkeypatch):
    """A program is compiled in this process when no other one can be started."""

    def fails(*arguments, **options):
        raise OSError("no processes here")

    monkeypatch.setattr(compiler_process.subprocess, "Popen", fails)
    assert CompilerProcess().load(PROGRAM).name == "f"
