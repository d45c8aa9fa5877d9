"""The RTDE port of a virtual controller: all its clients, served once a cycle."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from armtwin.robots.ur.protocol import codec
from armtwin.robots.ur.protocol.codec import PROTOCOLS, Level, TextMessage, Type
from armtwin.robots.ur.protocol.fields import known_outputs
from armtwin.robots.ur_controller.ports.rtde_feed import RtdeFeeds
from armtwin.robots.ur_controller.ports.rtde_session import RtdeSession

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController
    from armtwin.robots.ur_controller.ports.intake import Intake

BUDGET = 0.6
"""Share of a cycle that sending may take; clients beyond it get this sample with the next one."""
LOOK = 8
"""Clients that are served between two looks at the clock."""
MAX_TEXTS = 20
"""Messages that are sent in one cycle; further ones wait for the next."""


class RtdePort:
    """All RTDE clients of one controller.

    Attributes:
        feeds: the packets of each recipe, shared by the clients that have it.
        owners: who has claimed which input.
    """

    def __init__(self, controller: VirtualController, intake: Intake) -> None:
        self.controller, self.intake = controller, intake
        self.sessions: list[RtdeSession] = []
        self.owners: dict[str, RtdeSession] = {}
        self.outputs = known_outputs(controller.version)
        self.feeds = RtdeFeeds(controller.registers)
        self._first = 0

    def session(self) -> RtdeSession:
        """Return the protocol of a new connection."""
        return RtdeSession(self)

    def publish(self) -> None:
        """Make the samples of the present cycle; ``send`` sends them."""
        self.controller.registers.publish()
        self.feeds.make(self.controller.cycles)

    def send(self) -> None:
        """Send the clients what has been published since the last time, and waiting messages.

        Text messages go only to clients that have started synchronization. A client in set-up
        reads the next packet as the answer to its request: ur_rtde then sees controller version
        0.0 and requests the outputs of an old controller.

        Clients for which no time is left in this cycle are the first ones the next time; they then
        get the samples of both cycles in one piece.
        """
        texts = [*itertools.islice(self._messages(), MAX_TEXTS)]
        packets = {p: b"".join(_packet(t, p) for t in texts) for p in PROTOCOLS if texts}
        for session in self.sessions if texts else ():
            if session.started:
                session.say(packets[session.protocol])
        deadline = time.monotonic() + BUDGET * self.controller.dt
        turn = [*self.sessions[self._first :], *self.sessions[: self._first]]
        self._first = 0
        for k, session in enumerate(turn):
            session.send_samples()
            if k % LOOK == LOOK - 1 and time.monotonic() > deadline and k + 1 < len(turn):
                self._first = self.sessions.index(turn[k + 1])
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


def _packet(text: TextMessage, protocol: int) -> bytes:
    return codec.packet(Type.TEXT, codec.text(text, protocol))
