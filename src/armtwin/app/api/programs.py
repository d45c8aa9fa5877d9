"""Programs for other programs and the Teach page: run one, save one, load one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel, ConfigDict, Field

from armtwin.app.api.motion import ClientId, Done
from armtwin.app.api.saved import FileName, Saved, loaded
from armtwin.app.api.teach import By, Index, TeachAnswer, told
from armtwin.app.control.session import Session
from armtwin.app.control.teaching import Teaching, teaching
from armtwin.app.server.answers import ANSWERS
from armtwin.errors import OutputExistsError


class Running(BaseModel):
    """Who runs, around and around or once, and from which position (from 0)."""

    model_config = ConfigDict(strict=True)

    client: ClientId
    loop: bool = False
    start: int = Field(0, ge=0, le=10_000)


class Saving(BaseModel):
    """Whether a saved program of the same name may be replaced."""

    model_config = ConfigDict(strict=True)

    overwrite: bool = False


def router(session: Session) -> APIRouter:
    """Return the addresses about programs."""
    api = APIRouter(tags=["programs"], responses=ANSWERS)
    desk = teaching(session)
    _add_running(api, desk)
    _add_files(api, desk)
    return api


def _add_running(api: APIRouter, desk: Teaching) -> None:
    runner = desk.runner

    @api.post("/teach/run")
    async def run(running: Running) -> TeachAnswer:
        """Run the program; needs control. Every position is checked before anything moves."""
        desk.session.lease.require(running.client)
        await runner.run(desk.program, running.client, loop=running.loop, start=running.start)
        return told(desk)

    @api.post("/teach/step")
    async def step(by: By) -> TeachAnswer:
        """Go to the next position only."""
        desk.session.lease.require(by.client)
        await runner.step(desk.program, by.client)
        return told(desk)

    @api.post("/teach/go/{index}")
    async def go(index: Index, by: By) -> TeachAnswer:
        """Go to one position."""
        desk.session.lease.require(by.client)
        await runner.go(desk.program, by.client, index)
        return told(desk)

    @api.post("/teach/pause")
    async def pause() -> TeachAnswer:
        """Stop where the arm is, ready to go on; everybody may."""
        await runner.pause()
        return told(desk)

    @api.post("/teach/resume")
    async def resume(by: By) -> TeachAnswer:
        """Go on with what was paused."""
        desk.session.lease.require(by.client)
        await runner.resume(by.client)
        return told(desk)

    @api.post("/teach/stop")
    async def stop_program() -> TeachAnswer:
        """Stop the arm and forget the run; everybody may."""
        await desk.session.stop()
        return told(desk)


def _add_files(api: APIRouter, desk: Teaching) -> None:
    @api.post("/programs")
    async def save(saving: Saving) -> Saved:
        """Save the program on the Teach page under its name."""
        try:
            stem = desk.folder.save(desk.program, overwrite=saving.overwrite)
        except OutputExistsError as error:
            raise HTTPException(409, str(error)) from error
        program = desk.program
        return Saved(
            file=stem, name=program.name, arm=program.arm, positions=len(program.positions)
        )

    @api.post("/programs/{file}/load")
    async def load(file: FileName, by: By) -> TeachAnswer:
        """Show a saved program on the Teach page."""
        desk.require_edit(by.client, by.revision)
        desk.replace(loaded(desk.folder, file))
        return told(desk)

    @api.delete("/programs/{file}")
    async def delete(file: FileName, client: Annotated[ClientId, Query()]) -> Done:
        """Delete a saved program."""
        desk.require_edit(client)
        loaded(desk.folder, file)
        desk.folder.remove(file)
        return Done()
