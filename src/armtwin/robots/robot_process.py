"""A virtual robot in a separate process, which ends with the process that started it.

``start_virtual_robot`` starts this very module: ``python -m armtwin.robots.robot_process ARM HOST
BODY``.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from armtwin.errors import ArmTwinError, InputError, LinkError, MissingDataError, UnknownArmError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import arm_names, load
from armtwin.processes import module_command
from armtwin.robots.priority import control_priority, short_collections
from armtwin.robots.ur_controller.ports.addresses import free_address

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.station import Station

LAST_PORT = 30003
"""Of a controller, opened after RTDE and dashboard."""
READY = 120.0
"""Longest start of a robot [s]: the first one on a machine is compiled, which takes long where the
machine is busy. A robot that ends before it listens is reported at once."""


@dataclass
class RobotProcess:
    """A virtual robot that runs in a separate process.

    Attributes:
        arm: its model.
        host: its address on this machine.
        process: its process.
    """

    arm: Arm
    host: str
    process: subprocess.Popen[bytes]
    folder: tempfile.TemporaryDirectory[str]

    def end(self) -> None:
        """End the robot; its arm comes to rest first."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(3.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def trouble(self) -> str:
        """Return the last line of the process's error output."""
        text = (Path(self.folder.name) / "errors").read_text("utf-8", "replace").strip()
        return text.splitlines()[-1][:300] if text else "no error output"


async def start_virtual_robot(arm: Arm | str) -> RobotProcess:
    """Start a virtual robot and return once it listens.

    It is simulated with MuJoCo if the arm has masses and MuJoCo is installed; else it follows its
    commands exactly.

    Args:
        arm: a catalogue name, or a model; six joints.

    Raises:
        InputError: not six joints.
        UnknownArmError: no catalogue arm of that name.
        LinkError: the robot did not start; with its last error.
    """
    model = _model(arm)
    if model.dof != 6:
        raise InputError(f"a UR controller has six joints; arm {model.name!r} has {model.dof}")
    folder = tempfile.TemporaryDirectory(prefix="armtwin-robot-")
    robot = await asyncio.to_thread(_spawn, model, folder)
    try:
        await _listening(robot)
    except BaseException:
        robot.process.kill()
        robot.end()
        raise
    return robot


def _model(arm: Arm | str) -> Arm:
    if isinstance(arm, Arm):
        return arm
    if arm not in arm_names():
        names = ", ".join(arm_names())
        raise UnknownArmError(f"arm {arm[:60]!r} is not in the catalogue; there are {names}")
    return load(arm)


def _spawn(model: Arm, folder: tempfile.TemporaryDirectory[str]) -> RobotProcess:
    host, place = free_address(), Path(folder.name)
    words = [_named(model, place), host, simulation_of(model)]
    with (place / "errors").open("wb") as errors:
        process = subprocess.Popen(
            module_command("armtwin.robots.robot_process", *words),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
    return RobotProcess(model, host, process, folder)


def _named(model: Arm, place: Path) -> str:
    """Return a name or file from which another process loads the same arm."""
    if model.name in arm_names() and load(model.name) == model:
        return model.name
    from armtwin.model.formats.export import export

    return str(export(model, place / "arm.toml"))


def simulation_of(model: Arm) -> str:
    """Return the simulation that suits an arm: ``dynamic`` or ``kinematic``."""
    try:
        model.require_masses()
    except MissingDataError:
        return "kinematic"
    return "dynamic" if importlib.util.find_spec("mujoco") is not None else "kinematic"


async def _listening(robot: RobotProcess) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + READY
    while loop.time() < end:
        if robot.process.poll() is not None:
            raise LinkError(f"the virtual robot did not start: {robot.trouble()}")
        try:
            _, writer = await asyncio.open_connection(robot.host, LAST_PORT)
        except OSError:
            await asyncio.sleep(0.05)
            continue
        writer.close()
        return
    raise LinkError(f"the virtual robot did not listen within {READY:g} s: {robot.trouble()}")


# In the process of the robot


def main(arm: str, host: str, body: Any) -> None:
    """Run a virtual robot until the standard input ends, or until SIGTERM or Ctrl-C.

    Args:
        arm: catalogue name or arm file; six joints.
        host: loopback address that it listens on.
        body: "kinematic" or "dynamic".
    """
    from armtwin.robots.ur_controller.build import virtual_robot
    from armtwin.robots.ur_controller.ports.event_loop import run_robots
    from armtwin.robots.ur_controller.station import Station

    station = Station([virtual_robot(arm, host, body=body)])
    threading.Thread(target=stop_at_eof, args=(station,), daemon=True).start()
    with control_priority(), short_collections():
        run_robots(_run(station))


async def _run(station: Station) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, station.stop)
    await station.run()


def stop_at_eof(station: Station) -> None:
    """Stop a station's robots when the process that holds the standard input has ended."""
    while os.read(sys.stdin.fileno(), 1 << 12):
        pass
    station.stop()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ArmTwinError as error:
        sys.exit(str(error))
