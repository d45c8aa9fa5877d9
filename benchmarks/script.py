"""Speed of URScript programs: ``python -m benchmarks.script``.

Prints statements per second for several kinds of programs, the time to load a long program, and
the processor time of a control cycle for a program that never waits. Times are processor time, so
that other work on the machine does not count. Exits with 1 when simple statements are executed at
fewer than a million per second.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import armtwin as at
from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets
from armtwin.robots.ur_controller.script.program import ScriptProgram
from armtwin.robots.ur_controller.script.runtime.budget import Budget

CLAIM = 1_000_000
"""Simple statements per second."""
TURNS, ROUNDS = 50_000, 5
UNLIMITED = Budget(statements_per_cycle=10**9, busy_cycles=10**9)
ENDLESS = Budget(busy_cycles=10**9)


@dataclass(frozen=True)
class Task:
    """A loop body and the fewest statements that a turn executes, the loop's two included."""

    name: str
    body: str
    statements: int
    before: str = ""


TASKS = [
    Task("simple statements", "s = s + i * 0.5\nif s > 1000.0:\ns = s - 1000.0\nend", 4, "s = 0.0"),
    Task("calls of a function", "s = f(i)", 4, "def f(n):\nreturn n + 1\nend"),
    Task("calls of a function that loops", "s = f(i)", 8,
         "def f(n):\nk = 0\nwhile k < 2:\nk = k + 1\nend\nreturn k\nend"),
    Task("lists of six", "q = q + d * 0.5", 3, "q = [0,0,0,0,0,0]\nd = [1,2,3,4,5,6]"),
    Task("elements of a list", "q[i % 6] = i", 3, "q = [0,0,0,0,0,0]"),
    Task("registers", "write_output_integer_register(0, read_input_integer_register(1))", 3),
    Task("strings", 'x = str_cat("value ", i)', 3),
]  # fmt: skip
CYCLES = {
    "scalars": "i = 0\nwhile True:\ni = i + 1\nend",
    "lists": "x = [1,2,3,4,5,6]\nwhile True:\nx = x / norm(x)\nend",
    "strings": 'while True:\ns = str_cat("abc", [1.5,2.5,3.5,4,5,6])\nend',
    "poses": "a = p[1,2,3,0.1,0.2,0.3]\nwhile True:\nb = pose_trans(a, a)\nend",
    "inverse kinematics": "while True:\na = get_inverse_kin(get_forward_kin())\nend",
}
"""Programs that never wait, for the time of a control cycle."""


def seconds(task: Task) -> float:
    """Return the processor time of a task's loop, the best of some rounds."""
    loop = f"{task.before}\ni = 0\nwhile i < {TURNS}:\n{task.body}\ni = i + 1\nend\n"
    program, best = ScriptProgram.load(f"def bench():\n{loop}end\n", UNLIMITED), float("inf")
    for _ in range(ROUNDS):
        run = program.start(FakeHost(), FakeSockets())
        start = time.process_time()
        run.step()
        best = min(best, time.process_time() - start)
        if run.running or run.error is not None:
            raise RuntimeError(f"{task.name}: {run.state} {run.error}")
    return best


def load_seconds(functions: int = 120) -> tuple[float, int]:
    """Return the processor time to load a long program, and its lines."""
    body = "local k = 0\nwhile k < n and k != 7:\nif k % 2 == 0 or\nk == 5:\nk = k + 1\nelse:\n"
    body += 'textmsg(str_cat("k = ", k))\nk = k + [1, 2, 3][1]\nend\nend\nreturn k\n'
    text = (
        "def long():\n" + "".join(f"def f{i}(n):\n{body}end\n" for i in range(functions)) + "end\n"
    )
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        ScriptProgram.compile(text, ENDLESS)
        best = min(best, time.process_time() - start)
    return best, text.count("\n")


def cycle_seconds(source: str, cycles: int = 60) -> float:
    """Return the median processor time of a control cycle."""
    run = ScriptProgram.load(source, ENDLESS).start(FakeHost(at.load("ur5e")), FakeSockets())
    times = []
    for _ in range(cycles):
        start = time.process_time()
        run.step()
        times.append(time.process_time() - start)
    return sorted(times)[cycles // 2]


def main() -> int:
    """Print all figures; return 1 if the claim is missed."""
    first = 0.0
    for task in TASKS:
        rate = task.statements * TURNS / seconds(task)
        first = first or rate
        print(f"{task.name:34}{rate / 1e6:8.2f} million statements/s")
    took, lines = load_seconds()
    print(f"{'loading a program':34}{took * 1e3:8.0f} ms for {lines} lines")
    for name, source in CYCLES.items():
        print(f"{'a cycle that never waits, ' + name:46}{cycle_seconds(source) * 1e3:6.2f} ms")
    return 0 if first >= CLAIM else 1


if __name__ == "__main__":
    sys.exit(main())
