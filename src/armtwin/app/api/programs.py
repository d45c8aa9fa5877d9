"""Run, save and load programs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel, ConfigDict, Field

from armtwin.app.api.motion import ClientId, DoneResponse
from armtwin.app.api.saved import FileName, SavedProgram, loaded, saved_program
from armtwin.app.api.teach import Index, ProgramRequest, TeachResponse, teach_response
from armtwin.app.control.ownership import NOBODY, Requester
from armtwin.app.control.session import Session
from armtwin.app.control.teaching import Teaching, teaching
from armtwin.app.server.responses import ERROR_RESPONSES
from armtwin.errors import OutputExistsError
from armtwin.motion.programs.program_folder import FolderEntry, file_name


class RunRequest(BaseModel):
    """Client, whether to loop, and first position (from 0)."""

    model_config = ConfigDict(strict=True)

    client: ClientId
    loop: bool = False
    start: int = Field(0, ge=0, le=10_000)


class SaveRequest(BaseModel):
    """Whether a saved program of the same name may be replaced."""

    model_config = ConfigDict(strict=True)

    overwrite: bool = False


def router(session: Session) -> APIRouter:
    """Return the routes that run and change programs."""
    api = APIRouter(tags=["programs"], responses=ERROR_RESPONSES)
    desk = teaching(session)
    _add_running(api, desk)
    _add_files(api, desk)
    return api


def _add_running(api: APIRouter, desk: Teaching) -> None:
    runner = desk.runner

    @api.post("/teach/run")
    async def run(request: RunRequest) -> TeachResponse:
        """Run the program; needs control. All positions are checked before anything moves."""
        desk.session.lease.require(request.client)
        await runner.run(desk.program, request.client, loop=request.loop, start=request.start)
        return teach_response(desk)

    @api.post("/teach/step")
    async def step(request: ProgramRequest) -> TeachResponse:
        """Move to the next position only."""
        desk.session.lease.require(request.client)
        await runner.step(desk.program, request.client)
        return teach_response(desk)

    @api.post("/teach/go/{index}")
    async def go(index: Index, request: ProgramRequest) -> TeachResponse:
        """Move to one position."""
        desk.session.lease.require(request.client)
        await runner.go(desk.program, request.client, index)
        return teach_response(desk)

    @api.post("/teach/pause")
    async def pause() -> TeachResponse:
        """Stop the robot and keep the run; every client may."""
        await runner.pause()
        return teach_response(desk)

    @api.post("/teach/resume")
    async def resume(request: ProgramRequest) -> TeachResponse:
        """Continue a paused run."""
        desk.session.lease.require(request.client)
        await runner.resume(request.client)
        return teach_response(desk)

    @api.post("/teach/stop")
    async def stop_program() -> TeachResponse:
        """Stop the robot and end the run; every client may."""
        await desk.session.stop()
        return teach_response(desk)


def _add_files(api: APIRouter, desk: Teaching) -> None:
    @api.post("/programs")
    async def save(request: SaveRequest, client: Requester) -> SavedProgram:
        """Save the taught program under its name; programs of other clients are not replaced."""
        name = file_name(desk.program.name)
        owner = desk.owners.of(name)
        owner.require(client, f"program {name!r}", "save yours under another name")
        try:
            stem = desk.folder.save(desk.program, overwrite=request.overwrite)
        except OutputExistsError as error:
            raise HTTPException(409, str(error)) from error
        desk.owners.set(stem, client)
        return saved_program(FolderEntry.of(stem, desk.program), client, client)

    @api.post("/programs/{file}/load")
    async def load(file: FileName, request: ProgramRequest) -> TeachResponse:
        """Load a saved program for teaching."""
        desk.require_edit(request.client, request.revision)
        desk.replace(loaded(desk.folder, file))
        return teach_response(desk)

    @api.delete("/programs/{file}")
    async def delete(
        file: FileName, client: Annotated[ClientId, Query()], requester: Requester
    ) -> DoneResponse:
        """Delete one of your saved programs."""
        desk.require_edit(client)
        loaded(desk.folder, file)
        desk.owners.of(file).require(
            requester, f"program {file!r}", "only who saved it can delete it"
        )
        desk.folder.remove(file)
        desk.owners.set(file, NOBODY)
        return DoneResponse()
