"""Programs with random damage are compiled and run, or refused, and nothing else."""

import random
import re
from pathlib import Path

import pytest

import armtwin as at
from armtwin.robots.ur_controller.script.builtins import BUILTINS
from armtwin.robots.ur_controller.script.errors import ScriptError
from armtwin.robots.ur_controller.script.fake import FakeHost, FakeSockets, run_cycles
from armtwin.robots.ur_controller.script.program import ScriptProgram
from armtwin.robots.ur_controller.script.runtime.budget import Budget

TEXTS = sorted((Path(__file__).parents[4] / "examples" / "urscript").glob("*.script"))
TOKEN = re.compile(r"\w+|\s+|.")
VALUES = [
    "0", "-1", "2.5", "[1,2]", "[1,2,3,4,5,6]", "p[1,2,3,0,0,0]", '"a"', "True", "struct(a=1)",
    "[[1,2],[3,4]]", "1e308", "[]", "textmsg(1)", "end", "if", "=", "(", "run t()", "local",
]  # fmt: skip
QUICK = Budget(busy_cycles=5)


def tried(source, arm):
    """Load and run a program for some cycles; return its error, if any."""
    try:
        program = ScriptProgram.compile(source, QUICK)
    except ScriptError as error:
        return error
    host = FakeHost(arm)
    run = program.start(host, FakeSockets("socket_0"))
    run_cycles(run, host, 8)
    return run.error


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_damaged_programs(path):
    """A damaged program ends with a ScriptError that has a line, or runs."""
    rng, arm, errors = random.Random(path.stem), at.load("ur5e"), 0
    parts = TOKEN.findall(path.read_text(encoding="utf-8"))
    for _ in range(25):
        damaged = [*parts]
        for _ in range(rng.randint(1, 4)):
            at_ = rng.randrange(len(damaged))
            damaged[at_ : at_ + rng.randint(0, 1)] = rng.sample([*VALUES, *BUILTINS, ""], 1)
        error = tried("".join(damaged), arm)
        errors += error is not None
        assert error is None or error.line > 0
    assert errors > 5


@pytest.mark.parametrize("builtin", BUILTINS.values(), ids=lambda b: b.name)
def test_builtins_with_wrong_arguments(builtin, caplog):
    """A builtin returns or raises a ScriptError when its arguments are of any type."""
    rng, host = random.Random(builtin.name), FakeHost(at.load("ur5e"))
    values = [v for v in VALUES[:13] if v != "textmsg(1)"]
    for _ in range(4):
        arguments = ", ".join(rng.choice(values) for _ in builtin.parameters)
        source = f"x = {builtin.name}({arguments})\n"
        run = ScriptProgram.compile(source, QUICK).start(host, FakeSockets("socket_0"))
        run_cycles(run, host, 3)
        assert run.error is None or run.error.line == 1
    assert not caplog.records
