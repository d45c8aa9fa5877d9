"""Virtual robots for the tests of programs that talk to a UR robot."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from armtwin.errors import LinkError
from armtwin.model.arm import Arm
from armtwin.robots.ur_controller.build import virtual_robot as build_robot
from armtwin.robots.ur_controller.ports.addresses import free_address
from armtwin.robots.ur_controller.station import Station
from armtwin.robots.ur_controller.virtual_robot import DASHBOARD

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController
    from armtwin.robots.ur_controller.virtual_robot import VirtualRobot

T = TypeVar("T")
Scope = Literal["function", "module", "session"]
ANSWER = 60.0
"""Longest time for an answer of the dashboard [s]; no busy machine needs more."""
POLL = 0.004
"""Time between two looks at a condition [s]: two control cycles."""


@dataclass(frozen=True)
class RunningRobot:
    """A virtual robot that listens.

    Attributes:
        host: its address; the ports are those of every UR controller.
        robot: the robot.
        station: runs it in a thread of its own.
    """

    host: str
    robot: VirtualRobot
    station: Station

    @property
    def controller(self) -> VirtualController:
        """The controller of the robot; change it by ``call`` only."""
        return self.robot.controller

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function between two control cycles and return its result."""
        return self.station.call(function, *arguments)

    def dashboard(self, *lines: str) -> list[str]:
        """Send lines to the dashboard and return the answers."""
        with (
            socket.create_connection((self.host, DASHBOARD), timeout=ANSWER) as link,
            link.makefile("rw", encoding="utf-8", newline="\n") as file,
        ):
            file.readline()
            answers = []
            for line in lines:
                file.write(f"{line}\n")
                file.flush()
                answers.append(file.readline().rstrip("\n"))
            return answers

    def wait_for(self, condition: Callable[[], Any], seconds: float = ANSWER) -> None:
        """Wait until a condition holds, which is looked at between control cycles.

        Args:
            condition: returns something true when it holds, such as ``lambda:
                robot.controller.registers["runtime_state"] == 1``.
            seconds: longest time to wait [s].

        Raises:
            LinkError: it does not hold in time.
        """
        end = time.monotonic() + seconds
        while not self.call(condition):
            if time.monotonic() > end:
                raise LinkError(
                    f"virtual robot {self.host}: the condition did not hold within {seconds:g} s; "
                    "give more seconds, or see robot.controller.journal for what the robot did"
                )
            time.sleep(POLL)


@contextmanager
def virtual_robot(arm: Arm | str = "ur5e", **choices: Any) -> Iterator[RunningRobot]:
    """Run a virtual robot on a free loopback address while the context lasts.

    Args:
        arm: the arm, with six joints.
        **choices: fields of ``VirtualRobotOptions``, such as ``version`` and ``programs``.

    Raises:
        LinkError: no address is free.
    """
    robot = build_robot(arm, free_address(), **choices)
    with Station([robot]) as station:
        yield RunningRobot(robot.host, robot, station)


def robot_fixture(arm: Arm | str = "ur5e", *, scope: Scope = "function", **choices: Any) -> Any:
    """Return a pytest fixture that is a running robot; assign it to the fixture's name.

    Args:
        arm: the arm, with six joints.
        scope: how long one robot is used: ``function``, ``module`` or ``session``.
        **choices: fields of ``VirtualRobotOptions``.
    """
    import pytest

    @pytest.fixture(scope=scope)
    def robot() -> Iterator[RunningRobot]:
        with virtual_robot(arm, **choices) as running:
            yield running

    return robot
