"""Threads and their timing on the fake clock; a cycle is 2 ms."""

import pytest
from script_runs import execute, finish, variables

import armtwin as at
from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets, run_cycles
from armtwin.robots.ur_controller.script.program import ScriptProgram, State
from armtwin.robots.ur_controller.script.runtime.budget import Budget


def cycles_of(source, **options):
    """Return the cycles that a program takes."""
    host = FakeHost()
    run = ScriptProgram.load(source).start(host, FakeSockets())
    count = run_cycles(run, host, 5000)
    assert run.state is State.FINISHED, run.error
    return count


@pytest.mark.parametrize(
    ("statement", "cycles"),
    [
        ("a = 1", 0),
        ("sync()", 1),
        ("sync()\nsync()", 2),
        ("sleep(0)", 0),
        ("sleep(0.002)", 1),
        ("sleep(0.01)", 5),
        ("sleep(0.0101)", 6),
        ("servoj([0,0,0,0,0,0], t=0.008)", 4),
        ("speedj([0.1,0,0,0,0,0], 1.0, 0.02)", 10),
        ("movej([0.5,-1.57,1.57,-1.57,-1.57,0], v=1.0)", 250),
        ("stopj(2)", 1),
    ],
)
def test_time_of_statements(statement, cycles):
    """A statement takes cycles only when it controls the robot or waits."""
    assert cycles_of(statement + "\n") == cycles


def test_statements_take_no_time():
    """A thousand statements fit into one cycle when none of them waits."""
    assert cycles_of("i = 0\nwhile i < 400:\n i = i + 1\nend\n") == 0


def test_threads_run_in_turns():
    """Threads run once per cycle, in the order of their start, when each waits."""
    source = (
        'def prog():\n thread a():\n  while True:\n   textmsg("a")\n   sync()\n  end\n end\n'
        ' thread b():\n  while True:\n   textmsg("b")\n   sync()\n  end\n end\n'
        ' run a()\n run b()\n textmsg("m")\n sleep(0.006)\nend\n'
    )
    assert finish(source).messages == ["m", "a", "b", "a", "b", "a", "b"]


def test_join_takes_no_time_of_its_own():
    """A thread continues in the cycle in which its child ends when it joins it."""
    thread = "thread t():\n sleep(0.01)\nend\n"
    assert cycles_of(thread + "h = run t()\njoin h\n") == 5
    assert cycles_of("thread t():\n a = 1\nend\nh = run t()\njoin h\n") == 0


def test_join_and_kill_ignore_what_is_no_thread():
    """Calls of kill and join have no effect when the thread has ended or never was."""
    source = (
        "thread t():\n a = 1\nend\nh = 0\nkill h\njoin h\nh = run t()\njoin h\njoin h\nkill h\n"
    )
    assert cycles_of(source) == 0


def test_kill_ends_a_thread_and_its_children():
    """A killed thread and the threads it started run no more."""
    source = (
        'thread child():\n while True:\n  textmsg("c")\n  sync()\n end\nend\n'
        'thread parent():\n run child()\n while True:\n  textmsg("p")\n  sync()\n end\nend\n'
        'h = run parent()\nsleep(0.004)\nkill h\ntextmsg("killed")\nsleep(0.01)\n'
    )
    messages = finish(source).messages
    assert messages.index("killed") == len(messages) - 1
    assert messages.count("c") == 2


def test_kill_gives_up_a_motion():
    """The host is notified when a thread is killed in the middle of its motion."""
    source = (
        "thread t():\n movej([1,0,0,0,0,0])\nend\nh = run t()\nsleep(0.01)\nkill h\nsleep(0.01)\n"
    )
    assert finish(source).cancelled == [1]


def test_thread_kills_itself():
    """A thread ends when it kills itself; the program goes on."""
    source = (
        'h = 0\nthread t():\n sync()\n kill h\n textmsg("not reached")\nend\n'
        'h = run t()\njoin h\ntextmsg("done")\n'
    )
    assert finish(source).messages == ["done"]


def test_program_ends_with_its_main_thread():
    """Threads end when the main thread ends."""
    run, host = execute("thread t():\n while True:\n  sync()\n end\nend\nrun t()\nsleep(0.01)\n")
    assert run.state is State.FINISHED
    assert run.runtime.scheduler.threads == []


def test_halt_in_a_thread_ends_the_program():
    """The program ends when a thread halts."""
    run, _ = execute("thread t():\n sleep(0.01)\n halt\nend\nrun t()\nwhile True:\n sync()\nend\n")
    assert run.state is State.HALTED


def test_handles_compare_with_zero():
    """A handle differs from 0 when the thread was started."""
    source = 'thread t():\n sync()\nend\nh = run t()\nif h != 0:\n textmsg("started")\nend\n'
    assert finish(source).messages == ["started"]


CRITICAL = (
    "def prog():\n n = 0\n seen = 0\n"
    " thread watch():\n  while True:\n   if n % 2 == 1:\n    seen = seen + 1\n   end\n"
    "   sync()\n  end\n end\n run watch()\n i = 0\n"
    " while i < 2000:\n {enter}\n  n = n + 1\n  k = 0\n  while k < 30:\n   k = k + 1\n  end\n"
    "  n = n + 1\n {exit}\n  i = i + 1\n end\nend\n"
)


def test_critical_section_is_not_interrupted():
    """No other thread sees a half-done change when it is made in a critical section."""
    safe = CRITICAL.format(enter="enter_critical", exit="exit_critical")
    run, _ = execute(safe, cycles=20_000)
    assert run.state is State.FINISHED
    assert run.variable("seen") == 0
    run, _ = execute(CRITICAL.format(enter="", exit=""), cycles=20_000)
    assert run.variable("seen") > 0


def test_critical_section_lets_others_run_while_it_waits():
    """Other threads run when a thread waits within a critical section, as documented."""
    source = (
        'thread t():\n textmsg("t")\nend\nrun t()\nenter_critical\nsleep(0.004)\n'
        'textmsg("m")\nexit_critical\n'
    )
    assert finish(source).messages == ["t", "m"]


def test_a_busy_thread_leaves_time_to_others():
    """Another thread keeps its rate when one thread computes without waiting."""
    source = (
        "def prog():\n n = 0\n thread t():\n  while True:\n   n = n + 1\n   sync()\n  end\n end\n"
        " run t()\n i = 0\n while i < 100000:\n  i = i + 1\n end\nend\n"
    )
    host, budget = FakeHost(), Budget(statements_per_cycle=2000)
    run = ScriptProgram.load(source, budget).start(host, FakeSockets())
    cycles = run_cycles(run, host, 5000)
    assert run.state is State.FINISHED
    assert cycles - 1 <= run.variable("n") <= cycles + 1


@pytest.mark.parametrize("critical", [False, True])
def test_an_expensive_thread_does_not_starve_others(critical):
    """A thread runs in every cycle when another one calls expensive functions in each."""
    enter, leave = ("  enter_critical\n", "  exit_critical\n") if critical else ("", "")
    source = (
        "def prog():\n n = 0\n x = get_forward_kin()\n def f():\n  k = 0\n  while k < 3:\n"
        "   k = k + 1\n  end\n end\n"
        " thread t():\n  while True:\n   n = n + 1\n   sync()\n  end\n end\n"
        " run t()\n run t()\n run t()\n while True:\n" + enter + "  q = get_inverse_kin(x)\n"
        "  q = get_inverse_kin(x)\n  f()\n" + leave + "  sync()\n end\nend\n"
    )
    run, _ = execute(source, cycles=60, host=FakeHost(at.load("ur5e")))
    assert run.state is State.RUNNING, run.error
    assert run.variable("n") >= 3 * 59


def test_line_of_the_main_thread():
    """The line is that of the innermost call when a program waits."""
    run, _ = execute("def prog():\n def f():\n  sleep(10)\n end\n f()\nend\n", cycles=3)
    assert run.line == 3


def test_blocking_popup():
    """The program waits when a popup is blocking, until it is closed."""
    source = 'popup("stop", title="T", warning=True, blocking=True)\ntextmsg("on")\n'
    host = FakeHost()
    run = ScriptProgram.load(source).start(host, FakeSockets())
    run_cycles(run, host, 20)
    assert (run.state, host.messages) == (State.RUNNING, [])
    assert (host.popups[0].title, host.popups[0].kind) == ("T", "warning")
    host.open_popups.clear()
    run_cycles(run, host, 2)
    assert (run.state, host.messages) == (State.FINISHED, ["on"])


def test_stop_from_outside():
    """A run ends and closes its sockets when it is stopped."""
    run, _ = execute("while True:\n sync()\nend\n", cycles=5)
    run.stop()
    assert run.state is State.STOPPED
    assert run.step() is State.STOPPED


def test_costly_call_is_not_torn_from_what_is_read_beside_it():
    """All of a statement block runs in one cycle when it solves kinematics beside a thread."""
    source = (
        "def prog():\n thread t():\n  while True:\n   sync()\n  end\n end\n run t()\n"
        " def read():\n  k = 0\n  while k < 3:\n   k = k + 1\n  end\n  return time()\n end\n"
        " torn = 0\n i = 0\n while i < 20:\n  before = time()\n  if i >= 0:\n   a = read()\n"
        "   q = get_inverse_kin(get_forward_kin())\n   b = read()\n   if a != before or b != a:\n"
        "    torn = torn + 1\n   end\n  end\n  i = i + 1\n  sync()\n end\n"
        "end\n"
    )
    value = variables(source, host=FakeHost(at.load("ur5e")))
    assert (value("i"), value("torn")) == (20, 0)
