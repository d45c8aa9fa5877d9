"""A host on the line of a simulated UNO, and a phone."""

import contextlib

from armtwin.robots.servo.board import Board
from armtwin.robots.servo.line import SerialLine
from armtwin.robots.servo.messages import AXES, AxisConfig, BoardConfig

PLAIN = AxisConfig(low=1200, high=4800, at_zero=1088, at_half_turn=4800, home=3000, speed=2000)


def config(watchdog_ms=30_000, phones=True, **changes):
    """Return a configuration with six equal axes."""
    values = {name: getattr(PLAIN, name) for name in PLAIN.__dataclass_fields__} | changes
    return BoardConfig((AxisConfig(**values),) * AXES, watchdog_ms, phones)


@contextlib.contextmanager
def connected(uno, *, timeout=0.25, configuration=None):
    """Give a host on the line of a simulated UNO."""
    line = SerialLine(uno.port)
    host = Board(line, timeout=timeout, attempts=400)
    try:
        host.hello()
        if configuration is not None:
            host.configure(configuration)
        yield host
    finally:
        line.close()


def rest(host):
    """Wait until the arm is at rest, and return the status."""
    while (status := host.status()).mode not in (0, 4):
        pass
    return status


def send(uno, *parts, pause=0.1):
    """Say something in a phone's dialect, with simulated pauses between the parts."""
    uno.receive(parts, pause)


def unlock(uno, *, dialect):
    """Unlock a dialect of phones ("text" or "bytes") as its PAUSE button does it."""
    uno.pass_time(0.1)
    send(uno, *[{"text": b"PAUSE", "bytes": bytes([15])}[dialect]] * 4)
