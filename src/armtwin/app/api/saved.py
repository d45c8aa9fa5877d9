"""Read saved programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel

from armtwin.app.control.session import Session
from armtwin.app.control.teaching import teaching
from armtwin.app.server.answers import ANSWERS
from armtwin.errors import ProgramError
from armtwin.motion.programs.folder import ProgramFolder
from armtwin.motion.programs.program import TaughtProgram

FileName = Annotated[str, Path(min_length=1, max_length=80)]


class SavedProgram(BaseModel):
    """A program in the user's folder."""

    file: str
    name: str
    arm: str
    positions: int


def router(session: Session) -> APIRouter:
    """Return the routes that read saved programs."""
    api = APIRouter(tags=["programs"], responses=ANSWERS)
    folder = teaching(session).folder

    @api.get("/programs")
    def programs() -> list[SavedProgram]:
        """List of saved programs."""
        return [SavedProgram(**asdict(kept)) for kept in folder.kept()]

    @api.get("/programs/{file}")
    def program(file: FileName) -> TaughtProgram:
        """A saved program."""
        return loaded(folder, file)

    return api


def loaded(folder: ProgramFolder, file: str) -> TaughtProgram:
    """Return a saved program, or answer 404."""
    try:
        return folder.load(file)
    except ProgramError as error:
        raise HTTPException(404, str(error)) from error
