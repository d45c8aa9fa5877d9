"""The RTDE port of a virtual controller: all its clients, served once a cycle."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from armtwin.robots.ur.protocol.codec import Level, TextMessage
from armtwin.robots.ur.protocol.fields import known_outputs
from armtwin.robots.ur_controller.ports.rtde_session import RtdeSession

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController
    from armtwin.robots.ur_controller.ports.intake import Intake

BUDGET = 0.6
"""Share of a cycle that sending may take; clients beyond it miss that sample."""


class RtdePort:
    """All RTDE clients of one controller."""

    def __init__(self, controller: VirtualController, intake: Intake) -> None:
        self.controller, self.intake = controller, intake
        self.sessions: list[RtdeSession] = []
        self.owners: dict[str, RtdeSession] = {}
        self.outputs = known_outputs(controller.version)
        self._first = 0

    def session(self) -> RtdeSession:
        """Return the protocol of a new connection."""
        return RtdeSession(self)

    def send(self) -> None:
        """Send the present values to every client whose turn it is, and waiting messages."""
        self.controller.registers.publish()
        for text in self._messages():
            for session in self.sessions:
                session.say(text)
        count, deadline = len(self.sessions), time.monotonic() + BUDGET * self.controller.dt
        for k in range(count):
            session = self.sessions[(self._first + k) % count]
            session.send_sample(self.controller.cycles)
            if k % 8 == 7 and time.monotonic() > deadline:
                self._first = (self._first + k + 1) % count
                break

    def _messages(self) -> Iterator[TextMessage]:
        while self.controller.texts:
            text = self.controller.texts.popleft()
            self.controller.log.append(text)
            if text.level <= Level.WARNING:
                yield text

    def drop_all(self) -> None:
        """Close every connection."""
        for session in list(self.sessions):
            session.drop("the controller closes")
