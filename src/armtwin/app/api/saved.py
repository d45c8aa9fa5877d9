"""Read saved programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel, Field

from armtwin.app.control.ownership import Owner, Requester
from armtwin.app.control.session import Session
from armtwin.app.control.teaching import teaching
from armtwin.app.server.responses import ERROR_RESPONSES
from armtwin.errors import ProgramError
from armtwin.motion.programs.program import TaughtProgram
from armtwin.motion.programs.program_folder import FolderEntry, ProgramFolder

FileName = Annotated[str, Path(min_length=1, max_length=80)]


class SavedProgram(BaseModel):
    """A program in the user's folder."""

    file: str
    name: str
    arm: str
    positions: int
    owner: str = Field(description="Who saved it; empty for nobody.")
    yours: bool = Field(description="Whether you may replace and delete it.")


def router(session: Session) -> APIRouter:
    """Return the routes that read saved programs."""
    api = APIRouter(tags=["programs"], responses=ERROR_RESPONSES)
    desk = teaching(session)
    folder = desk.folder

    @api.get("/programs")
    def programs(client: Requester) -> list[SavedProgram]:
        """List of saved programs."""
        kept = folder.kept()
        return [saved_program(one, desk.owners.of(one.file), client) for one in kept]

    @api.get("/programs/{file}")
    def program(file: FileName) -> TaughtProgram:
        """A saved program."""
        return loaded(folder, file)

    return api


def saved_program(entry: FolderEntry, owner: Owner, client: Owner) -> SavedProgram:
    """Return the description of a saved program for a client.

    Args:
        entry: the program in its folder.
        owner: who saved it.
        client: the requesting client.
    """
    return SavedProgram(**asdict(entry), owner=owner.name, yours=owner.admits(client))


def loaded(folder: ProgramFolder, file: str) -> TaughtProgram:
    """Return a saved program, or answer 404."""
    try:
        return folder.load(file)
    except ProgramError as error:
        raise HTTPException(404, str(error)) from error
