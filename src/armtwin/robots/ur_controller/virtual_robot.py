"""A virtual robot on the network of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import time
from collections.abc import Callable, Iterator

import numpy as np

from armtwin.errors import ArmTwinError, LinkError, NotPermittedError
from armtwin.robots.safety import is_loopback
from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur_controller.controller import VirtualController
from armtwin.robots.ur_controller.ports.controller_lines import (
    controller_line,
    current_syntax,
)
from armtwin.robots.ur_controller.ports.dashboard import Dashboard
from armtwin.robots.ur_controller.ports.event_loop import listen
from armtwin.robots.ur_controller.ports.intake import Intake, Step
from armtwin.robots.ur_controller.ports.rtde_port import RtdePort
from armtwin.robots.ur_controller.ports.script_port import ScriptRunner
from armtwin.robots.ur_controller.ports.text_port import LinePort, TextPort
from armtwin.robots.ur_controller.programs.loader import LOADER
from armtwin.robots.ur_controller.programs.script_sender import ScriptSender
from armtwin.robots.ur_controller.script_programs import (
    interpreter_command,
    refuse_unfinished,
    script_steps,
)
from armtwin.robots.ur_controller.streams.broadcast import PRIMARY, REALTIME, SECONDARY, Broadcast

DASHBOARD = 29999
"""Port of the dashboard server of UR controllers."""
SCRIPTS = (PRIMARY[0], SECONDARY[0], REALTIME[0])
INTERPRETER = 30020
"""Port of the interpreter mode."""
REST, OTHER_REST = 80, 8080
"""Of the REST service; the other where the system does not permit the first."""
TEXT_PORTS = (DASHBOARD, INTERPRETER, REST)
"""Ports whose requests are lines or texts, beside those of the streams."""
POLYSCOPE_X = 10
"""First major version without a dashboard."""
GREETING = "Connected: Universal Robots Dashboard Server"
"""Of the dashboard; clients wait for it."""
RECEIVE_BUFFER = 1 << 17
"""Bytes that the system keeps of what a client of a text port has sent."""
HOST = "127.0.0.2"


class VirtualRobot:
    """A controller with its ports.

    RTDE is 30004, the dashboard 29999, states and scripts 30001 to 30003 (states only: 30011 to
    30013), interpreter mode 30020; PolyScope X has a REST service instead of the dashboard.

    Args:
        controller: what it does.
        host: the address that it listens on, one per robot; clients have the ports built in.
        exposed: listen also on addresses that other machines can reach.
        rest_port: of the REST service of PolyScope X; None for 80, or 8080 where 80 is not
            permitted; 0 for any free one.

    Attributes:
        rest_port: the port once it is open.
        off: whether a client has shut the controller down.
        intake: works on what clients send, a bounded time per tick.
        streams: sends states and messages on ports 30001 to 30003 and 30011 to 30013.
        frozen_until: time (monotonic clock) before which nothing happens; see ``Faults``.
        muted: cycles that will not be sent; see ``Faults``.
        run_script: compiles and starts a text from the script ports, in short steps.
    """

    def __init__(
        self,
        controller: VirtualController,
        host: str = HOST,
        *,
        exposed: bool = False,
        rest_port: int | None = None,
    ) -> None:
        if not (exposed or is_loopback(host)):
            raise NotPermittedError(
                f"{host} can be reached from other machines; choose a loopback address such as "
                f"{HOST}, or allow it (exposed=True, --expose)"
            )
        self.controller, self.host, self.off = controller, host, False
        self.rest_port, controller.panel.exposed = rest_port, exposed
        self.intake = Intake()
        self.rtde = RtdePort(controller, self.intake)
        self.frozen_until, self.muted = 0.0, 0
        self.run_script: ScriptRunner = functools.partial(script_steps, controller, exposed=exposed)
        refuse = functools.partial(refuse_unfinished, controller)
        self.streams = Broadcast(controller, self.intake, self._run, refuse)
        self._texts: dict[int, set[TextPort]] = {port: set() for port in TEXT_PORTS}
        self._texts |= self.streams.clients
        self._servers: list[asyncio.Server] = []

    async def open(self) -> None:
        """Listen.

        Raises:
            LinkError: a port is taken, or the address does not exist here.
        """
        await LOADER.warm_up()
        interpret = functools.partial(interpreter_command, self.controller)
        make_interpreter = functools.partial(
            LinePort, self._texts[INTERPRETER], self.intake, interpret
        )
        ports: list[tuple[int, Callable[[], asyncio.Protocol]]] = [
            (codec.PORT, self.rtde.session),
            (INTERPRETER, make_interpreter),
        ]
        if self.controller.version[0] < POLYSCOPE_X:
            answer = Dashboard(self.controller, self._shut_down).steps
            clients = self._texts[DASHBOARD]
            ports.append(
                (DASHBOARD, functools.partial(LinePort, clients, self.intake, answer, GREETING))
            )
        ports.extend(self.streams.ports())
        for port, protocol in ports:
            await self._listen(port, protocol)
        await self._open_rest()
        LOADER.begin(self._prepare)

    def _prepare(self) -> None:
        """Load the inverse kinematics: the first use takes 0.2 s, too long for a control cycle.

        A process that keeps what it has loaded out of garbage collections keeps this out, too.
        """
        tcp, q = self.controller.tcp, self.controller.reference.q.copy()
        with contextlib.suppress(ArmTwinError):  # the start may be singular
            tcp.inverse(tcp.state(q, np.zeros_like(q)).T, q)
        if gc.get_freeze_count():
            gc.freeze()

    async def _open_rest(self) -> None:
        """Serve the REST service of PolyScope X, on controllers that have it."""
        if self.controller.version[0] < POLYSCOPE_X:
            return
        from armtwin.robots.ur_controller.rest.calls import api_version
        from armtwin.robots.ur_controller.rest.http_port import HttpPort
        from armtwin.robots.ur_controller.rest.service import RobotApi

        if not api_version(self.controller.version):
            return
        api = RobotApi(self.controller, self._shut_down)
        make = functools.partial(HttpPort, self._texts[REST], self.intake, api.respond)
        port = REST if self.rest_port is None else self.rest_port
        try:
            server = await self._listen(port, make)
        except LinkError as error:
            if self.rest_port is not None or not isinstance(error.__cause__, PermissionError):
                await self.close()
                raise
            server = await self._listen(OTHER_REST, make)
        self.rest_port = server.sockets[0].getsockname()[1]

    def _shut_down(self) -> None:
        """Switch the controller off once the client has its answer."""
        asyncio.get_running_loop().call_soon(self._switch_off)

    def _switch_off(self) -> None:
        self._stop_listening()
        self.drop_clients()
        self.off = True

    def _run(self, text: str, sender: ScriptSender) -> Iterator[Step]:
        found = controller_line(self.controller, text)
        return self.run_script(current_syntax(text), sender) if found is None else found

    async def _listen(self, port: int, protocol: Callable[[], asyncio.Protocol]) -> asyncio.Server:
        buffer = None if port == codec.PORT else RECEIVE_BUFFER
        try:
            server = await listen(protocol, self.host, port, buffer)
        except OSError as error:
            if port != REST:
                await self.close()
            raise LinkError(
                f"cannot listen on {self.host}:{port}: {error.strerror or error}; is another "
                "robot there? Choose another address (127.0.0.3, ...)"
            ) from error
        self._servers.append(server)
        return server

    async def close(self) -> None:
        """Stop listening and drop every client."""
        self._stop_listening()
        self.drop_clients()

    def _stop_listening(self) -> None:
        for server in self._servers:
            server.close()
        self._servers.clear()

    def drop_clients(self) -> None:
        """Close every connection."""
        self.rtde.drop_all()
        for clients in self._texts.values():
            for client in list(clients):
                client.drop()

    def cycle(self) -> None:
        """Run one control cycle, unless a fault prevents that; ``send`` sends its samples."""
        if self.off or (self.frozen_until and time.monotonic() < self.frozen_until):
            return
        self.controller.cycle()
        if self.muted:
            self.muted -= 1
        else:
            self.rtde.publish()
            self.streams.send()

    def send(self) -> None:
        """Send the RTDE samples of the cycles that have run since the last time."""
        if not self.frozen_until or time.monotonic() >= self.frozen_until:
            self.rtde.send()
