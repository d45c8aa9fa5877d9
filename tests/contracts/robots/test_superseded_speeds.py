"""Speed commands that wait on a script port and are replaced by the next one."""

import pytest

from armtwin.robots.ur_controller.ports.intake import Intake
from armtwin.robots.ur_controller.ports.script_port import ScriptPort


def run_of(*texts):
    """Return what a port runs of texts that come in pieces while it has no time, and then has."""
    done = []

    def run(text, sender):
        done.append(text.strip())
        yield None

    clock = iter(range(10**6)).__next__  # every step costs a budget: nothing runs before a tick
    intake = Intake(1.0, lambda: float(clock()))
    port = ScriptPort(set(), intake, run)
    port.connection_made(Transport())
    port.data_received(b"textmsg(1)\n")
    for text in texts:
        port.data_received(text)
    for _ in range(100):
        intake.refill()
    assert done[0] == "textmsg(1)"
    return done[1:]


class Transport:
    """A connection that takes everything."""

    def set_write_buffer_limits(self, high):
        """Take any."""

    def get_extra_info(self, name):
        """Return nothing."""
        return None

    def is_closing(self):
        """Stay open."""
        return False


@pytest.mark.parametrize("last", ["speedj([2],1,1)", "movej([0])", "stopj(4)"])
def test_only_the_newest_speed_runs(last):
    """Older speed commands are left out when a newer motion command waits behind them."""
    lines = [f"speedj([{k}],1,1)\n".encode() for k in range(20)]
    assert run_of(*lines, last.encode() + b"\n")[-1] == last
    assert len(run_of(*lines, last.encode() + b"\n")) <= 2


def test_nothing_else_is_left_out():
    """Outputs, moves and programs run in order when speed commands stand between them."""
    texts = ["set_digital_out(1,True)", "speedj([1],1,1)", "set_digital_out(1,False)",
             "movej([1])", "speedj([1],1,1)", "sec f():\n textmsg(1)\nend"]  # fmt: skip
    assert run_of(*[text.encode() + b"\n" for text in texts]) == texts


def test_text_in_pieces_runs():
    """A program runs once, after its end has come, when it arrives in pieces."""
    done = []
    port = ScriptPort(set(), Intake(), lambda text, _: iter([done.append(text)]))
    for piece in (b"def f():\n sync()", b"\nen", b"d\n", b"spee", b"dj([1],1,1)\n"):
        list(port.work(piece))
    assert done == ["def f():\n sync()\nend\n", "speedj([1],1,1)\n"]


@pytest.mark.parametrize("pieces", [1, 2])
def test_call_after_the_definition_is_left_out(pieces):
    """The program runs once when its own call follows it; another program's call runs."""
    program, call = b"def hop():\n sync()\nend\n", b"hop()\n\n\n"
    texts = [program + call] if pieces == 1 else [program, call]
    assert run_of(*texts, b"hop()\n") == ["def hop():\n sync()\nend", "hop()"]
    assert run_of(program, b"other()\n") == ["def hop():\n sync()\nend", "other()"]
