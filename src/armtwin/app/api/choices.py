"""Options that the front end offers: arms for a virtual robot, mappings, kinds of FMUs."""

from __future__ import annotations

import functools

from fastapi import APIRouter
from pydantic import BaseModel, Field

from armtwin.app.control.session import Session
from armtwin.app.server.responses import ERROR_RESPONSES
from armtwin.fmu.export.models import MODELS
from armtwin.model.catalogue.catalogue import arm_names, load
from armtwin.recording.columns.dialects import bundled

BEST = "ur5e-energy"
"""Default arm of a virtual robot: it has masses, friction and motors."""


class ChoicesResponse(BaseModel):
    """Names to choose from."""

    virtual_arms: list[str] = Field(description="Arms for a virtual robot, the proposed one first.")
    mappings: list[str] = Field(description="Bundled names of a recording's columns.")
    fmu_models: dict[str, str] = Field(description="Kinds of FMUs and what they compute.")


def router(session: Session) -> APIRouter:
    """Return the route of the choices."""
    api = APIRouter(tags=["arms"], responses=ERROR_RESPONSES)

    @api.get("/choices")
    def choices() -> ChoicesResponse:
        """Options of the pages."""
        return ChoicesResponse(
            virtual_arms=virtual_arms(session.robot.arm.name),
            mappings=list(bundled()),
            fmu_models={name: kind.summary for name, kind in MODELS.items()},
        )

    return api


def virtual_arms(first: str) -> list[str]:
    """Return the arms that a virtual robot can be, ``first`` or the most suitable one first."""
    names = _six_jointed()
    head = [BEST] if first in ("ur5e", BEST) or first not in names else [first, BEST]
    return head + [name for name in names if name not in head]


@functools.cache
def _six_jointed() -> tuple[str, ...]:
    return tuple(name for name in arm_names() if name.startswith("ur") and load(name).dof == 6)
