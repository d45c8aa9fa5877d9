"""Programs that want too much end with a runtime exception, and nothing else happens."""

import tracemalloc

import pytest
from script_runs import execute, failure

from armtwin.errors import InputError
from armtwin.robots.ur_controller.script.errors import BudgetError, ScriptError
from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets, run_cycles
from armtwin.robots.ur_controller.script.language.parser import finished
from armtwin.robots.ur_controller.script.program import ScriptProgram, State
from armtwin.robots.ur_controller.script.runtime.budget import Budget

SMALL = Budget(busy_cycles=20)


@pytest.mark.parametrize(
    "source",
    [
        "while True:\n a = 1\nend\n",
        "while True:\nend\n",
        "def f():\n while True:\n  g()\n end\nend\ndef g():\n return 1\nend\nf()\n",
        "thread t():\n while True:\n end\nend\nrun t()\nwhile True:\n sync()\nend\n",
        "i = 0\nwhile i >= 0:\n i = (i + 1) % 1000\nend\n",
    ],
)
def test_endless_loop(source):
    """A program fails when a thread computes for too many cycles without waiting."""
    error = failure(source, budget=SMALL, cycles=200)
    assert isinstance(error, BudgetError)
    assert "too much behind" in error.text
    assert error.line > 0


def test_a_loop_that_waits_is_no_endless_loop():
    """A program goes on when its loop waits."""
    run, _ = execute("while True:\n sync()\nend\n", budget=SMALL, cycles=200)
    assert run.state is State.RUNNING


def test_long_computation_ends():
    """A computation is spread over cycles and ends when it needs less than the budget."""
    run, _ = execute("i = 0\nwhile i < 20000:\n i = i + 1\nend\n", cycles=500)
    assert run.state is State.FINISHED


def test_statements_of_a_cycle_are_bounded():
    """A cycle executes no more statements than the budget allows when threads compete."""
    thread = "thread t{k}():\n while True:\n  n{k} = n{k} + 1\n end\nend\n"
    ks = range(8)
    source = "".join(f"global n{k} = 0\n" for k in ks)
    source += "".join(thread.format(k=k) for k in ks)
    source += "".join(f"run t{k}()\n" for k in ks) + "while True:\n sync()\nend\n"
    budget = Budget(statements_per_cycle=800)
    run, _ = execute(source, budget=budget, cycles=10)
    assert run.state is State.RUNNING
    # A turn of the loop counts for two statements.
    assert 0 < sum(run.variable(f"n{k}") for k in ks) <= 10 * 800


@pytest.mark.parametrize(
    "source",
    [
        "thread t():\n run t()\n run t()\n while True:\n  sync()\n end\nend\n"
        "run t()\nwhile True:\n sync()\nend\n",
        "thread t():\n sleep(100)\nend\nwhile True:\n run t()\nend\n",
    ],
)
def test_thread_bomb(source):
    """A program fails when it starts too many threads."""
    error = failure(source, cycles=200)
    assert "Too many threads" in error.text


def test_threads_that_follow_each_other():
    """A cycle ends when each thread starts another one and ends itself."""
    source = "thread t():\n run t()\nend\nrun t()\nwhile True:\n sync()\nend\n"
    run, _ = execute(source, cycles=20)
    assert run.state is State.RUNNING


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n return f(n + 1)\nend\nf(0)\n",
        "def f():\n g()\nend\ndef g():\n f()\nend\nf()\n",
    ],
)
def test_endless_recursion(source):
    """A program fails when its calls are nested too deeply."""
    error = failure(source)
    assert isinstance(error, BudgetError)
    assert "Stack overflow" in error.text


def test_exponential_recursion():
    """A program fails when a recursion takes too long, though it is not deep."""
    source = "def f(n):\n if n < 2:\n return n\n end\n return f(n-1) + f(n-2)\nend\nx = f(60)\n"
    assert "too much behind" in failure(source, budget=SMALL, cycles=200).text


@pytest.mark.parametrize(
    "source",
    [
        "x = pow(9, pow(9, 9))\n",
        "x = make_list(1000000000, 0)\n",
        "x = make_list(10, 0, 1000000000)\n",
        "x = struct(a = 1, b = 2)\nwhile True:\n x = struct(a = x, b = x)\nend\n",
        'x = "0123456789"\nwhile True:\n x = str_cat(x, x)\nend\n',
        "x = make_list(9000, struct(a = 1, b = 2))\n",
    ],
)
def test_memory(source):
    """A program fails when a value would be too large, and little memory is used."""
    tracemalloc.start()
    error = failure(source, cycles=200)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(error, ScriptError)
    assert peak < 50e6


def test_integers_do_not_grow():
    """Integers stay within 32 bits when they are multiplied again and again."""
    run, _ = execute("x = 3\ni = 0\nwhile i < 500:\n x = x * x\n i = i + 1\nend\n")
    assert -(2**31) <= run.variable("x") < 2**31


def test_floats_overflow_to_infinity():
    """Floats become infinite when they overflow in a product."""
    run, _ = execute("x = 10.0\ni = 0\nwhile i < 20:\n x = x * x\n i = i + 1\nend\n")
    assert run.variable("x") == float("inf")


@pytest.mark.parametrize(
    "source",
    ["x = " + "(" * 5000 + "1" + ")" * 5000, "x = " + "-" * 5000 + "y", "x = 1" + "+1" * 20000,
     "if True:\n" * 300 + "end\n" * 300, "while True:\n" * 30 + "end\n" * 30],
)  # fmt: skip
def test_deep_nesting_is_refused_or_runs(source):
    """A deeply nested program is compiled or refused with a ScriptError, never more."""
    try:
        ScriptProgram.load(source)
    except ScriptError as error:
        assert error.line >= 1


def test_program_text_is_bounded():
    """A text is refused when it is longer than allowed."""
    with pytest.raises(ScriptError, match="too long"):
        ScriptProgram.load("a = 1\n" * 100, Budget(source_length=100))


def test_other_runs_go_on():
    """Another run is not disturbed when a program fails."""
    host = FakeHost()
    good = ScriptProgram.load("i = 0\nwhile i < 5:\n i = i + 1\n sync()\nend\n").start(
        host, FakeSockets()
    )
    bad = ScriptProgram.load("while True:\nend\n", SMALL).start(host, FakeSockets())
    for _ in range(30):
        good.step()
        bad.step()
        host.advance()
    assert (good.state, bad.state) == (State.FINISHED, State.FAILED)


def test_budget_is_positive():
    """A budget is refused when a limit is zero."""
    with pytest.raises(InputError, match="threads"):
        Budget(threads=0)


@pytest.mark.parametrize(
    "source",
    ["x = __import__", "x = (1).__class__", "x = v_a", "x = _s", "x = open(1)", "x = [].append",
     "_halt()", "x = struct(a=1).__class__"],
)  # fmt: skip
def test_python_is_out_of_reach(source):
    """Names and attributes of Python cannot be used when they are written in a program."""
    with pytest.raises((ScriptError, AssertionError)):
        run, _ = execute(source)
        assert run.state is State.FINISHED


@pytest.mark.parametrize("wrap", ["{}", "def f():\n{}end\nf()\n", "if True:\n{}end\n"])
def test_long_block_is_spread_over_cycles(wrap):
    """A block without loops takes several cycles when it is longer than a cycle allows."""
    run, host = execute(wrap.format("x = 1\n" * 5000) + "y = 2\n", cycles=2)
    assert run.state is State.RUNNING
    run_cycles(run, host, 10)
    assert run.state is State.FINISHED, run.error


def test_number_of_functions():
    """A program is refused at the first function too many when it defines more than it may."""
    text = "def f():\n" + "".join(f" def g{k}():\n  sync()\n end\n" for k in range(5)) + "end\n"
    assert ScriptProgram.load(text, Budget(functions=6)).name == "f"
    with pytest.raises(ScriptError, match="at most 5 functions") as caught:
        ScriptProgram.load(text, Budget(functions=5))
    assert (caught.value.line, caught.value.column) == (14, 2)


def test_long_line_is_compiled_in_steps():
    """Each step parses a bounded number of tokens, and the program is the same, for a long line."""
    for count, steps in ((5, 0), (50, 2), (200, 7)):
        line = "x = " + "1+" * count + "1\n"
        assert len([*ScriptProgram.load_steps(line)]) == steps + (steps > 0)
        run = finished(ScriptProgram.load_steps(line)).start(FakeHost(), FakeSockets())
        run.step()
        assert run.variable("x") == count + 1
