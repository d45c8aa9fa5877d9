"""The link for other devices, also as a QR code."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings, link, qr_modules
from armtwin.app.server.responses import ERROR_RESPONSES

PART = "settings"


class ShareResponse(BaseModel):
    """Whether the app is shared, and how another device opens it."""

    shared: bool
    link: str = Field(description="Holds the token; empty where the app is not shared.")
    modules: list[str] = Field(description="Rows of the link's QR code, 1 is dark.")


def router(session: Session) -> APIRouter:
    """Return the route of the link."""
    api = APIRouter(tags=["share"], responses=ERROR_RESPONSES)

    @api.get("/share")
    async def share(request: Request) -> ShareResponse:
        """The link that opens this app elsewhere, and its QR code."""
        settings: AppSettings = session.parts.get(PART, AppSettings())
        if settings.token is None:
            return ShareResponse(shared=False, link="", modules=[])
        text = link(settings, request.scope["server"][1])
        return ShareResponse(shared=True, link=text, modules=qr_modules(text))

    return api
