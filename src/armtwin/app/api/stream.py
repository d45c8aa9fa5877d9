"""The WebSocket: sends the state fifty times a second, receives heartbeats and requests.

A client sends JSON objects whose ``type`` says what they are: see the classes here. It gets
``hello`` once, then ``state`` again and again, ``error`` after a bad message, and ``preview`` in
answer to a ``preview``.
A ``stop`` is answered with ``stopped``, or with an ``error`` that says NOT DELIVERED.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from armtwin.app.api.arms import Joints, arm_response
from armtwin.app.api.motion import Press, Speed
from armtwin.app.control.hub import Watcher
from armtwin.app.control.lease import LeaseClient
from armtwin.app.control.message import encode
from armtwin.app.control.session import Session
from armtwin.app.server.connections.protocols import WRITE
from armtwin.app.server.plain_text import for_clients
from armtwin.app.server.token_bucket import TokenBucket
from armtwin.errors import ArmTwinError, InputError
from armtwin.robots.jog import Jog

LONGEST = 16_384
"""Longest message of a client [characters]; those of the app's pages have about 160."""
CLIENT_ID = re.compile(r"[\w-]{8,64}")
TRY_LATER, TOO_BIG, POLICY = 1013, 1009, 1008
"""Codes that close a WebSocket: RFC 6455 (7.4.1), and 1013 of its registry at IANA."""
MESSAGES, MESSAGE_BURST = 100.0, 300.0
"""Messages a second of one client, and its burst. The app's own pages send about 25; what a stalled
network holds back for 10 s still passes."""
YIELD_EVERY = 8
"""Messages that are processed at once; then other tasks run."""
MAX_EXCESS = 500
"""Messages beyond the budget after which the connection is closed."""
STOP = re.compile(r'"type"\s*:\s*"stop"')


class ControlRequest(BaseModel):
    """A message about control or motion that has a type only.

    The holder sends ``heartbeat`` at least every 2 s. ``take``, ``request`` and ``release`` are
    about control. ``end_motion`` stops a motion when the holder releases a button; every client
    may send ``stop``.
    """

    type: Literal["heartbeat", "take", "request", "release", "end_motion", "stop"]


class TargetRequest(BaseModel):
    """``move`` to a position, or ``follow`` one that changes while a button is pressed."""

    type: Literal["move", "follow"]
    q: Joints
    speed: Speed = 0.3
    press: Press = None


class PreviewRequest(BaseModel):
    """Pose, links and warnings of the arm at ``q``; nothing moves."""

    type: Literal["preview"]
    q: Joints


class JogRequest(BaseModel):
    """Move the tool while this is sent: ``axis`` 0-2 along x y z, 3-5 about them."""

    type: Literal["jog"]
    axis: Annotated[int, Field(ge=0, le=5)]
    sign: Literal[-1, 1]
    speed: Speed = 0.3
    frame: Literal["base", "tool"] = "base"
    press: Press = None


StreamRequest = TypeAdapter[Any](
    Annotated[
        ControlRequest | TargetRequest | PreviewRequest | JogRequest, Field(discriminator="type")
    ]
)


def router(session: Session) -> APIRouter:
    """Return the route of the stream."""
    api = APIRouter()

    @api.websocket("/stream")
    async def stream(socket: WebSocket) -> None:
        await socket.accept()
        await Connection(session, socket).run()

    return api


class Connection:
    """One client of the stream."""

    def __init__(self, session: Session, socket: WebSocket) -> None:
        self.session = session
        self.socket = socket
        self.client = client = _client(session, socket)
        address = socket.client.host if socket.client else ""
        write = socket.scope.get("extensions", {}).get(WRITE, {}).get("write")
        self.watcher = Watcher(socket, lambda: hello(session, client), client.id, address, write)
        self.jog = Jog(lambda: session.robot, session.clock)
        self._budget = TokenBucket(MESSAGES, MESSAGE_BURST)
        self._heard = self._excess = 0

    async def run(self) -> None:
        """Serve until the connection ends; the client's lease then expires."""
        self.watcher.send(self.watcher.greeting())
        self.session.hub.add(self.watcher)
        tasks = [
            asyncio.ensure_future(work)
            for work in (self._listen(), self.watcher.pump(), self.watcher.evicted.wait())
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if self.watcher.evicted.is_set():
                await self._close(TRY_LATER, "another client needed this place")
        finally:
            self.session.hub.remove(self.watcher)
            self.session.lease.cancel_request(self.client.id)
            for task in tasks:
                task.cancel()
            done, _ = await asyncio.wait(tasks)
            for task in done:
                if not task.cancelled():
                    task.exception()

    async def _listen(self) -> None:
        """Carry out the client's messages, within its budget."""
        try:
            while True:
                text = await self.socket.receive_text()
                self.watcher.heard = time.monotonic()
                if len(text) > LONGEST:
                    await self._close(TOO_BIG, "message too long")
                    return
                if not await self.receive(text):
                    await self._close(POLICY, "too many messages")
                    return
        except (WebSocketDisconnect, KeyError, RuntimeError):
            return

    async def _close(self, code: int, reason: str) -> None:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await self.socket.close(code, reason)

    async def receive(self, text: str) -> bool:
        """Carry out one message, or send the error in it.

        Returns False once the client has sent far more than its budget. ``stop`` is always carried
        out; other messages beyond the budget are dropped.
        """
        within = self._budget.take()
        self._heard += 1
        if self._heard % YIELD_EVERY == 0:
            await asyncio.sleep(0)
        if not within:
            self._excess += 1
            if self._excess == 1:
                self._send_error(
                    f"more than {MESSAGES:g} messages a second: some are dropped; send fewer, or "
                    "the connection is closed"
                )
        if within or STOP.search(text) is not None:
            await self._handle(text)
        return self._excess < MAX_EXCESS

    async def _handle(self, text: str) -> None:
        try:
            await self._execute(StreamRequest.validate_json(text))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            self._send_error(f"{place}: {first['msg']}".removeprefix(": "))
        except ArmTwinError as error:
            self._send_error(for_clients(str(error)))

    async def _execute(
        self, request: ControlRequest | TargetRequest | PreviewRequest | JogRequest
    ) -> None:
        session, client = self.session, self.client
        if isinstance(request, ControlRequest):
            await self._control(request.type)
        elif isinstance(request, PreviewRequest):
            self._preview(request.q)
        elif isinstance(request, JogRequest):
            session.lease.require(client.id)
            q = await self.jog.step(request.axis, request.sign, request.speed, request.frame)
            await session.follow(client.id, q, 1.0, request.press)
        elif request.type == "move":
            await session.move(client.id, request.q, request.speed)
        else:
            await session.follow(client.id, request.q, request.speed, request.press)

    async def _control(self, kind: str) -> None:
        lease, client = self.session.lease, self.client
        if kind == "heartbeat":
            lease.heartbeat(client.id)
        elif kind == "take":
            self.session.take(client)
        elif kind == "request":
            lease.request(client)
        elif kind == "release":
            await self.session.release(client.id)
        elif kind == "end_motion":
            await self.session.end_motion(client.id)
        else:
            await self.session.stop()
            self.watcher.send(encode({"type": "stopped"}))

    def _preview(self, q: list[float]) -> None:
        arm = self.session.robot.arm
        if len(q) != arm.dof:
            raise InputError(f"a preview has {len(q)} joints; arm {arm.name!r} has {arm.dof}")
        self.session.hub.preview(self.watcher, q)

    def _send_error(self, text: str) -> None:
        self.watcher.send(encode({"type": "error", "error": text}))


def hello(session: Session, client: LeaseClient) -> str:
    """Return the first message: the client's name and the robot."""
    robot = session.robot
    return encode(
        {
            "type": "hello",
            "you": client.name,
            "title": robot.title,
            "kind": robot.kind,
            "real": robot.real,
            "can_move": robot.can_move,
            "arm": arm_response(robot.arm).model_dump(),
        }
    )


def _client(session: Session, socket: WebSocket) -> LeaseClient:
    """Return the client: with the id it gives (a tab keeps it from page to page) or a new one."""
    given = socket.query_params.get("client", "")
    client_id = given if CLIENT_ID.fullmatch(given) else secrets.token_urlsafe(16)
    device = socket.query_params.get("name", "").strip()[:20] or "browser"
    return LeaseClient(client_id, session.hub.name_of(client_id, device))
