"""Control and motion for other programs: take the lease, move, stop, read the state."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import APIRouter
from pydantic import BaseModel, Field

from armtwin.app.api.arms import Joints
from armtwin.app.control.lease import LeaseClient
from armtwin.app.control.message import lease_content
from armtwin.app.control.session import Session
from armtwin.app.server.answers import ANSWERS

ClientId = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[\w-]+$")]
ClientName = Annotated[str, Field(min_length=1, max_length=40)]
Speed = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]


class LeaseRequest(BaseModel):
    """Who asks: a secret ``client`` of your choice, and a ``name`` that others see."""

    client: ClientId
    name: ClientName = "a program"


class ClientRequest(BaseModel):
    """Who is still there."""

    client: ClientId


class MoveRequest(BaseModel):
    """Where to go, as who, and how fast (share of the arm's own limits)."""

    client: ClientId
    q: Joints
    speed: Speed = 0.3


class LeaseAnswer(BaseModel):
    """Who has control, who asks for it, and whether it is you."""

    holder: str | None
    asking: list[str]
    yours: bool


class DoneAnswer(BaseModel):
    """The request was carried out."""

    done: bool = True


def router(session: Session) -> APIRouter:
    """Return the addresses about motion."""
    api = APIRouter(tags=["motion"], responses=ANSWERS)
    lease = session.lease

    def lease_answer(client_id: str) -> LeaseAnswer:
        yours = lease.holder is not None and lease.holder.id == client_id
        return LeaseAnswer(yours=yours, **lease_content(lease))

    @api.get("/state")
    async def state() -> dict[str, Any]:
        """The arm as it is now; the same content as the stream sends."""
        return orjson.loads(session.hub.message())

    @api.post("/lease/take")
    async def take(request: LeaseRequest) -> LeaseAnswer:
        """Take control; it is lost after 2 s without a beat."""
        session.take(LeaseClient(request.client, f"{request.name} (program)"))
        return lease_answer(request.client)

    @api.post("/lease/ask")
    async def ask(request: LeaseRequest) -> LeaseAnswer:
        """Ask the one who has control for it."""
        lease.ask(LeaseClient(request.client, f"{request.name} (program)"))
        return lease_answer(request.client)

    @api.post("/lease/beat")
    async def beat(request: ClientRequest) -> LeaseAnswer:
        """Show that you are still there."""
        lease.beat(request.client)
        return lease_answer(request.client)

    @api.post("/lease/give")
    async def give(request: ClientRequest) -> LeaseAnswer:
        """Stop the arm and give control back, to the first who asked."""
        await session.give(request.client)
        return lease_answer(request.client)

    @api.post("/move")
    async def move(request: MoveRequest) -> DoneAnswer:
        """Set out for a position; answers when the arm has started."""
        await session.move(request.client, request.q, request.speed)
        return DoneAnswer()

    @api.post("/follow")
    async def follow(request: MoveRequest) -> DoneAnswer:
        """Aim at a position that changes; the arm rests 0.3 s after the last call."""
        await session.follow(request.client, request.q, request.speed)
        return DoneAnswer()

    @api.post("/stop")
    async def stop() -> DoneAnswer:
        """Stop the arm; everybody may."""
        await session.stop()
        return DoneAnswer()

    return api
