"""A virtual robot on the network of this machine."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable, Iterator

from armtwin.errors import LinkError, NotPermittedError
from armtwin.robots.safety import is_loopback
from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur_controller.controller import VirtualController
from armtwin.robots.ur_controller.ports.dashboard import Dashboard
from armtwin.robots.ur_controller.ports.intake import Intake, Step
from armtwin.robots.ur_controller.ports.rtde_port import RtdePort
from armtwin.robots.ur_controller.ports.text_port import LinePort, ScriptPort, TextPort
from armtwin.robots.ur_controller.script_programs import (
    LOADER,
    interpreter_command,
    script_steps,
)

DASHBOARD = 29999
SCRIPTS = (30001, 30002, 30003)
INTERPRETER = 30020
TEXT_PORTS = (DASHBOARD, *SCRIPTS, INTERPRETER)
GREETING = "Connected: Universal Robots Dashboard Server"
"""Of the dashboard; clients wait for it."""
HOST = "127.0.0.2"


class VirtualRobot:
    """A controller with its ports.

    RTDE is 30004, the dashboard 29999, scripts 30001 to 30003, interpreter mode 30020.

    Args:
        controller: what it does.
        host: the address that it listens on, one per robot; clients have the ports built in.
        exposed: listen also on addresses that other machines can reach.

    Attributes:
        intake: works on what clients send, a bounded time per tick.
        frozen_until: time (monotonic clock) before which nothing happens; see ``Faults``.
        muted: cycles that will not be sent; see ``Faults``.
        run_script: compiles and starts a text from the script ports, in short steps.
    """

    def __init__(
        self, controller: VirtualController, host: str = HOST, *, exposed: bool = False
    ) -> None:
        if not (exposed or is_loopback(host)):
            raise NotPermittedError(
                f"{host} can be reached from other machines; choose a loopback address such as "
                f"{HOST}, or allow it (exposed=True, --expose)"
            )
        self.controller, self.host = controller, host
        self.intake = Intake()
        self.rtde = RtdePort(controller, self.intake)
        self.frozen_until, self.muted = 0.0, 0
        self.run_script: Callable[[str], Iterator[Step]] = functools.partial(
            script_steps, controller, exposed=exposed
        )
        self._texts: dict[int, set[TextPort]] = {port: set() for port in TEXT_PORTS}
        self._servers: list[asyncio.Server] = []

    async def open(self) -> None:
        """Listen.

        Raises:
            LinkError: a port is taken, or the address does not exist here.
        """
        lines = (
            (DASHBOARD, Dashboard(self.controller).answer, GREETING),
            (INTERPRETER, functools.partial(interpreter_command, self.controller), ""),
        )
        ports: list[tuple[int, Callable[[], asyncio.Protocol]]] = [(codec.PORT, self.rtde.session)]
        for port, answer, greeting in lines:
            clients = self._texts[port]
            ports.append(
                (port, functools.partial(LinePort, clients, self.intake, answer, greeting))
            )
        LOADER.warm_up()
        for port in SCRIPTS:
            make = functools.partial(ScriptPort, self._texts[port], self.intake, self._run)
            ports.append((port, make))
        for port, protocol in ports:
            await self._listen(port, protocol)

    def _run(self, text: str) -> Iterator[Step]:
        return self.run_script(text)

    async def _listen(self, port: int, protocol: Callable[[], asyncio.Protocol]) -> None:
        loop = asyncio.get_running_loop()
        try:
            server = await loop.create_server(protocol, self.host, port, backlog=256)
        except OSError as error:
            await self.close()
            raise LinkError(
                f"cannot listen on {self.host}:{port}: {error.strerror or error}; is another "
                "robot there? Choose another address (127.0.0.3, ...)"
            ) from error
        self._servers.append(server)

    async def close(self) -> None:
        """Stop listening and drop every client."""
        for server in self._servers:
            server.close()
        self._servers.clear()
        self.drop_clients()

    def drop_clients(self) -> None:
        """Close every connection."""
        self.rtde.drop_all()
        for clients in self._texts.values():
            for client in list(clients):
                client.drop()

    def cycle(self) -> None:
        """Run one control cycle; ``send`` sends it to the clients, unless a fault prevents that."""
        if self.frozen_until and time.monotonic() < self.frozen_until:
            return
        self.controller.cycle()
        if self.muted:
            self.muted -= 1
        else:
            self.rtde.publish()

    def send(self) -> None:
        """Send the cycles that have run since the last time."""
        if not self.frozen_until or time.monotonic() >= self.frozen_until:
            self.rtde.send()
