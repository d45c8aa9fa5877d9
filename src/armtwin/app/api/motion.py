"""Lease, motion, stop and state."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import APIRouter
from pydantic import BaseModel, Field

from armtwin.app.api.arms import Joints
from armtwin.app.control.lease import LeaseClient
from armtwin.app.control.message import lease_content
from armtwin.app.control.session import Session
from armtwin.app.server.responses import ERROR_RESPONSES

ClientId = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[\w-]+$")]
ClientName = Annotated[str, Field(min_length=1, max_length=40)]
Speed = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
Press = Annotated[
    int | None,
    Field(
        ge=0, le=2**53, description="New for every press; after a stop, the same one is refused."
    ),
]


class LeaseRequest(BaseModel):
    """The client: a secret id of your choice, and a public ``name``."""

    client: ClientId
    name: ClientName = "a program"


class ClientRequest(BaseModel):
    """The client's secret id."""

    client: ClientId


class MoveRequest(BaseModel):
    """Target ``q`` [rad | m] and ``speed`` (share of the arm's own limits)."""

    client: ClientId
    q: Joints
    speed: Speed = 0.3


class FollowRequest(MoveRequest):
    """A target that changes; ``press`` numbers the button press that holds the motion."""

    press: Press = None


class LeaseResponse(BaseModel):
    """Holder of control, clients that wait for it, and whether it is yours."""

    holder: str | None
    waiting: list[str]
    yours: bool


class DoneResponse(BaseModel):
    """The request was carried out."""

    done: bool = True


def router(session: Session) -> APIRouter:
    """Return the routes of lease and motion."""
    api = APIRouter(tags=["motion"], responses=ERROR_RESPONSES)
    lease = session.lease

    def lease_response(client_id: str) -> LeaseResponse:
        yours = lease.holder is not None and lease.holder.id == client_id
        return LeaseResponse(yours=yours, **lease_content(lease))

    @api.get("/state")
    async def state() -> dict[str, Any]:
        """The current state, with the content that the stream sends."""
        return orjson.loads(session.hub.message())

    @api.post("/lease/take")
    async def take(request: LeaseRequest) -> LeaseResponse:
        """Take control; it expires after 2 s without a heartbeat."""
        session.take(LeaseClient(request.client, f"{request.name} (program)"))
        return lease_response(request.client)

    @api.post("/lease/request")
    async def request_control(request: LeaseRequest) -> LeaseResponse:
        """Request control from its holder; expires after 5 s without a heartbeat or another one."""
        lease.request(LeaseClient(request.client, f"{request.name} (program)"))
        return lease_response(request.client)

    @api.post("/lease/heartbeat")
    async def heartbeat(request: ClientRequest) -> LeaseResponse:
        """Keep control for another 2 s, or a request of it for another 5 s."""
        lease.heartbeat(request.client)
        return lease_response(request.client)

    @api.post("/lease/release")
    async def release(request: ClientRequest) -> LeaseResponse:
        """Stop the robot and release control, to the client that has waited longest."""
        await session.release(request.client)
        return lease_response(request.client)

    @api.post("/move")
    async def move(request: MoveRequest) -> DoneResponse:
        """Start towards a position; responds once the robot has started."""
        await session.move(request.client, request.q, request.speed)
        return DoneResponse()

    @api.post("/follow")
    async def follow(request: FollowRequest) -> DoneResponse:
        """Follow a position that changes; the robot brakes 0.3 s after the last call."""
        await session.follow(request.client, request.q, request.speed, request.press)
        return DoneResponse()

    @api.post("/stop")
    async def stop() -> DoneResponse:
        """Stop the robot; every client may."""
        await session.stop()
        return DoneResponse()

    return api
