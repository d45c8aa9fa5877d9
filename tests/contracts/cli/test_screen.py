"""The live display of verbs that monitor a robot."""

import io
import sys
from types import SimpleNamespace

import pytest

from armtwin.cli import screen


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self):
        """Say that it is one."""
        return True


def statistics(**changed):
    """Return network statistics of a quiet minute, with changes."""
    plain = {
        "received": 30_000, "rate": 500.0, "missing": 0, "missed": 0, "gaps": 0, "longest": 0.004,
        "outage": 0.0, "reconnections": 0, "jumps": 0, "bad_packets": 0, "wait": lambda _: 0.0021,
    }  # fmt: skip
    return SimpleNamespace(**plain | changed)


def test_line_of_a_quiet_network():
    """Rate, losses and waits stand in the line, and no trouble, when there was none."""
    assert screen.network_line(statistics()) == (
        "30000 samples, 500/s, 0 missing (0 in 0 gaps), 99 % within 2.1 ms, longest 4.0 ms"
    )


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"outage": 6.83}, "6.8 s of outages"),
        ({"reconnections": 2}, "2 reconnections"),
        ({"jumps": 1}, "clock set 1 times"),
        ({"bad_packets": 3}, "3 unreadable packets"),
    ],
)
def test_trouble_ends_the_line(changed, text):
    """Outages, reconnections, clock jumps and bad packets are added when there were any."""
    assert screen.network_line(statistics(**changed)).endswith(f", {text}")


def test_table_is_shown_on_a_terminal(monkeypatch):
    """A row for each joint is drawn, and is due again after a pause, when stderr is a terminal."""
    clock = SimpleNamespace(now=10.0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(screen.time, "monotonic", lambda: clock.now)
    with screen.Screen() as shown:
        assert shown.due
        shown.show(screen.joint_table("UR5e", ("q [deg]",), [("12.5",), ("-3.0",)]))
        assert not shown.due
        clock.now += 2 * screen.PACE
        assert shown.due
    text = sys.stderr.getvalue()
    assert all(word in text for word in ("UR5e", "q [deg]", "12.5", "-3.0"))


def test_nothing_is_shown_elsewhere(monkeypatch):
    """Nothing is written or due when stderr is no terminal, or nothing is wanted."""
    for stream, wanted in ((io.StringIO(), True), (Terminal(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        with screen.Screen(shown=wanted) as shown:
            assert not shown.due
            shown.show("text")
        assert stream.getvalue() == ""
