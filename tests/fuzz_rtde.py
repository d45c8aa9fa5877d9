"""Coverage-guided fuzzing of everything that reads bytes from a network, with atheris.

``python tests/fuzz_rtde.py [libFuzzer options, as in -max_total_time=60]``; any exception but the
errors that armtwin raises on purpose is a finding. The first byte of an input chooses the target.
"""

import asyncio
import contextlib
import sys
import time
import warnings

import atheris

with atheris.instrument_imports(include=["armtwin.robots"]):
    from armtwin.errors import ArmTwinError
    from armtwin.robots.ur.protocol import codec
    from armtwin.robots.ur.protocol.connection import Wire
    from armtwin.robots.ur.protocol.fields import OUTPUTS
    from armtwin.robots.ur.protocol.recipe import Recipe
    from armtwin.robots.ur_controller.build import virtual_robot
    from armtwin.robots.ur_controller.ports.dashboard import ClientQuit, Dashboard
    from armtwin.robots.ur_controller.ports.script_port import ScriptFramer
    from armtwin.robots.ur_controller.script_programs import run_script

ROBOT = virtual_robot("ur5e")
ROBOT.intake.budget = float("inf")
ROBOT.intake.refill()
DASHBOARD = Dashboard(ROBOT.controller)
NAMES = ["timestamp", "actual_q", "robot_mode"]
LONGEST = 5.0
"""Processor time of an input [s]; the time that passes also depends on what else is running."""


class Transport:
    """A transport without a network."""

    def __init__(self):
        """Start open."""
        self.closed = False

    def write(self, data):
        """Take any."""

    def abort(self):
        """Close."""
        self.closed = True

    close = abort

    def get_write_buffer_size(self):
        """Say that all has been read."""
        return 0

    def set_write_buffer_limits(self, high):
        """Take any."""

    def is_closing(self):
        """Return whether it is closed."""
        return self.closed

    def get_extra_info(self, name):
        """Know nothing."""

    def pause_reading(self):
        """Take it."""

    resume_reading = pause_reading


def server(data):
    """Let a client send the bytes to a controller."""
    session, transport = ROBOT.rtde.session(), Transport()
    session.connection_made(transport)
    session.data_received(b"\x00\x05V\x00\x02" + data[: len(data) // 2])
    if not transport.closed:
        session.data_received(data[len(data) // 2 :])
    ROBOT.cycle()
    session.connection_lost(None)


def client(data):
    """Let a controller send the bytes to a client."""

    async def work():
        wire = Wire(100)
        wire.connection_made(Transport())
        wire.protocol = 2
        wire.recipe = Recipe(1, NAMES, [OUTPUTS[name] for name in NAMES])
        wire.data_received(data)
        for _, values in wire.take(100):
            wire.recipe.rows(values)

    asyncio.run(work())


def script(data):
    """Send the bytes to a script port."""
    for text in ScriptFramer().feed(data):
        run_script(ROBOT.controller, text.decode("utf-8", "replace"))
    run_script(ROBOT.controller, data.decode("utf-8", "replace"))
    ROBOT.cycle()


def dashboard(data):
    """Send the bytes to the dashboard."""
    try:
        DASHBOARD.answer(data.decode("utf-8", "replace"))
    except ClientQuit:
        return


def messages(data):
    """Read the bytes as every message."""
    readers = (
        codec.read_names, codec.read_accepted, codec.read_protocol_request,
        codec.read_controller_version, lambda d: codec.read_text(d, 1),
        lambda d: codec.read_text(d, 2), lambda d: codec.read_setup_outputs(d, 2),
    )  # fmt: skip
    for read in readers:
        try:
            read(data)
        except ArmTwinError:
            continue


TARGETS = (server, client, script, dashboard, messages)


def one(data):
    """Fuzz one target with one input."""
    if len(data) < 2:
        return
    began = time.process_time()
    with contextlib.suppress(ArmTwinError):
        TARGETS[data[0] % len(TARGETS)](data[1:])
    if time.process_time() - began > LONGEST:
        raise TimeoutError(f"an input took more than {LONGEST:g} s of processor time")


if __name__ == "__main__":
    warnings.simplefilter("error")
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
