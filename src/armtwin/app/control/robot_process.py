"""A virtual robot in a process of its own, which ends with the app."""

from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from armtwin.errors import InputError, LinkError, MissingDataError, UnknownArmError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import arm_names, load
from armtwin.robots.ur_controller.build import VirtualRobotOptions
from armtwin.robots.ur_controller.ports.addresses import free_address

LAST_PORT = 30003
"""Of a controller, opened after RTDE and dashboard."""
READY = 30.0
"""Longest start of a robot [s]; the first one on a machine is compiled."""


@dataclass
class VirtualRobot:
    """A running virtual robot.

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
        said = (Path(self.folder.name) / "errors").read_text("utf-8", "replace").strip()
        return said.splitlines()[-1][:300] if said else "no error output"


async def start_virtual_robot(arm: Arm | str) -> VirtualRobot:
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


def _spawn(model: Arm, folder: tempfile.TemporaryDirectory[str]) -> VirtualRobot:
    host, place = free_address(), Path(folder.name)
    options = VirtualRobotOptions(body=simulation_of(model))
    words = ["robot", _named(model, place), "--host", host, *_words(options)]
    with (place / "errors").open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "armtwin.cli", *words, "--until-eof"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
    return VirtualRobot(model, host, process, folder)


def _words(options: VirtualRobotOptions) -> list[str]:
    """Return the options of the command that starts such a robot."""
    return ["--body", options.body, "--version", options.version]


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


async def _listening(robot: VirtualRobot) -> None:
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
