"""Sends states and messages to the clients of ports 30001 to 30003 and their read-only twins."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

from armtwin.robots.ur_controller.ports.state_port import StatePort
from armtwin.robots.ur_controller.state.modes import SafetyMode
from armtwin.robots.ur_controller.streams.fixed_packages import robot_type
from armtwin.robots.ur_controller.streams.realtime import Realtime
from armtwin.robots.ur_controller.streams.robot_messages import (
    hardware_message,
    report_message,
    safety_mode_message,
    version_message,
)
from armtwin.robots.ur_controller.streams.robot_state import RobotStateMessage
from armtwin.robots.ur_controller.streams.variables import MAX_VARIABLES, VariableMessages

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController
    from armtwin.robots.ur_controller.ports.intake import Intake
    from armtwin.robots.ur_controller.ports.script_port import ScriptRefusal, ScriptRunner
    from armtwin.robots.ur_controller.ports.text_port import TextPort

PRIMARY: tuple[int, int] = (30001, 30011)
SECONDARY: tuple[int, int] = (30002, 30012)
REALTIME: tuple[int, int] = (30003, 30013)
"""Ports of the three interfaces: one that takes scripts, one that is read-only."""
PERIOD = 0.1
"""Time between two robot states [s]."""
BUDGET = 0.2
"""Share of a cycle that real-time packets may take; clients beyond it miss one."""
MAX_STATES = 32
"""Clients that get a robot state in one cycle; the others get theirs in the next cycles."""
MAX_MESSAGES = 100
"""Messages that are sent in one cycle; further ones wait for the next."""
SAFE = (SafetyMode.NORMAL, SafetyMode.REDUCED)


class Broadcast:
    """The state streams of one robot.

    Every packet is encoded once for all clients. A robot state goes out every 0.1 s, and at once
    when the robot is stopped for safety, ahead of the messages about it.

    Args:
        controller: the controller.
        intake: shares the time of a control cycle among the robot's clients.
        run: runs what clients send, in short steps.
        refuse: reports a text of a client whose end does not come.

    Attributes:
        clients: the connections by port.
    """

    def __init__(
        self,
        controller: VirtualController,
        intake: Intake,
        run: ScriptRunner,
        refuse: ScriptRefusal | None = None,
    ) -> None:
        self._controller, self._intake, self._run, self._refuse = controller, intake, run, refuse
        self.clients: dict[int, set[TextPort]] = {
            port: set() for ports in (PRIMARY, SECONDARY, REALTIME) for port in ports
        }
        self._realtime = Realtime(controller.registers, controller.version)
        self._variables = VariableMessages(controller.version)
        self._due, self._safety, self._turn = 0.0, controller.modes.safety, 0
        self._waiting: list[StatePort] = []

    @functools.cached_property
    def _state(self) -> RobotStateMessage:
        return RobotStateMessage(self._controller)

    def ports(self) -> Iterator[tuple[int, Callable[[], StatePort]]]:
        """Return every port with what makes the protocol of a new connection."""
        version = version_message(self._controller.version)
        robot = robot_type(self._controller.arm.name)
        hardware = hardware_message(self._controller.version, robot)
        greetings = {PRIMARY: version + hardware, SECONDARY: version, REALTIME: b""}
        for (open_port, closed_port), greeting in greetings.items():
            for port, run in ((open_port, self._run), (closed_port, None)):
                yield (
                    port,
                    functools.partial(
                        StatePort, self.clients[port], self._intake, run, self._refuse, greeting
                    ),
                )

    def send(self) -> None:
        """Send what is due in this cycle."""
        self._send_realtime()
        modes = self._controller.modes
        stopped = modes.safety != self._safety and modes.safety not in SAFE
        if self._is_due() or stopped:
            self._waiting = [*self._of(PRIMARY), *self._of(SECONDARY)]
        if stopped:
            self._send_states(len(self._waiting))
        self._send_messages()
        self._send_states(MAX_STATES)

    def _is_due(self) -> bool:
        """Return whether it is time for another robot state."""
        now = self._controller.cycles * self._controller.dt
        if now < self._due:
            return False
        self._due = max(self._due + PERIOD, now + PERIOD / 2)
        return True

    def _send_states(self, most: int) -> None:
        """Send some of the clients that wait for it the present robot state, and variables.

        A new client's first state has kinematics and configuration.
        """
        clients, self._waiting = self._waiting[:most], self._waiting[most:]
        if not clients:
            return
        for first in (False, True):
            waiting = [client for client in clients if client.first is first]
            packet = self._state.packet(first=first) if waiting else b""
            for client in waiting:
                client.send_state(packet)
        primary = {*self._of(PRIMARY)}
        self._send_variables([c for c in clients if c in primary and not c.first])

    def _send_variables(self, clients: Sequence[StatePort]) -> None:
        """Send the running program's global variables; their names once, or when there are more."""
        program, clock = self._controller.program, self._controller.clock
        found = program.global_variables()[:MAX_VARIABLES] if clients and program else []
        if not found:
            return
        names, values = zip(*found, strict=True)
        update = self._variables.update(clock, values)
        for client in clients:
            if client.names != (program, *names):
                client.names = (program, *names)
                client.send_message(self._variables.setup(clock, names))
            client.send_state(update)

    def _send_messages(self) -> None:
        """Send what the controller has to report, oldest first."""
        controller = self._controller
        packets = []
        if controller.modes.safety != self._safety:
            self._safety = controller.modes.safety
            packets.append(safety_mode_message(controller.clock, self._safety))
        while controller.reports and len(packets) < MAX_MESSAGES:
            packets.append(report_message(controller.reports.popleft(), controller.clock))
        if packets:
            joined = b"".join(packets)
            for client in self._of(PRIMARY):
                client.send_message(joined)

    def _send_realtime(self) -> None:
        """Send the real-time packet; with too many clients a cycle serves as many as fit."""
        clients = self._of(REALTIME)
        if not clients:
            return
        packet, count = self._realtime.packet(), len(clients)
        deadline = time.monotonic() + BUDGET * self._controller.dt
        for k in range(count):
            clients[(self._turn + k) % count].send_state(packet)
            if k % 8 == 7 and time.monotonic() > deadline:
                self._turn = (self._turn + k + 1) % count
                break

    def _of(self, ports: tuple[int, int]) -> list[StatePort]:
        return [client for port in ports for client in cast(set[StatePort], self.clients[port])]
