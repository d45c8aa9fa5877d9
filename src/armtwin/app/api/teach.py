"""The taught program: positions, order, exports."""

from __future__ import annotations

import pathlib
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.background import BackgroundTask

from armtwin.app.api.motion import ClientId, Speed
from armtwin.app.backend.shown import arm_source
from armtwin.app.backend.worker import worker
from armtwin.app.control.session import Session
from armtwin.app.control.teaching import Teaching, teaching
from armtwin.app.server.responses import ERROR_RESPONSES
from armtwin.motion.programs.program import (
    LONGEST_DWELL,
    SPEED,
    MotionKind,
    Name,
    Position,
    TaughtProgram,
)
from armtwin.motion.programs.program_folder import file_name

Dwell = Annotated[float, Field(ge=0, le=LONGEST_DWELL, allow_inf_nan=False)]
Revision = Annotated[int | None, Field(ge=0, description="Refuse if the program changed since.")]
Index = Annotated[int, Path(ge=0, le=10_000, description="Position, from 0.")]
Format = Literal["points.csv", "motion.csv", "program.script", "program.json"]
KINDS = {"csv": "text/csv", "script": "text/plain", "json": "application/json"}


class ProgramRequest(BaseModel):
    """The client, and the revision of the program that it has read."""

    model_config = ConfigDict(strict=True)

    client: ClientId
    revision: Revision = None


class AddPositionRequest(ProgramRequest):
    """Save the current joint positions; without a name they are numbered."""

    name: Name | None = None
    speed: Speed = SPEED
    dwell: Dwell = 0.0
    motion: MotionKind = "joint"


class EditPositionRequest(ProgramRequest):
    """Changes of a position; ``here`` takes the current joint positions."""

    name: Name | None = None
    speed: Speed | None = None
    dwell: Dwell | None = None
    motion: MotionKind | None = None
    here: bool = False


class ReorderRequest(ProgramRequest):
    """New place of a position, from 0."""

    to: int = Field(ge=0, le=10_000)


class ReplaceProgramRequest(ProgramRequest):
    """Another program, as in its file."""

    model_config = ConfigDict(strict=False)

    program: TaughtProgram


class RenameRequest(ProgramRequest):
    """New name of the program."""

    name: Name


class ProgressResponse(BaseModel):
    """State of a run; ``index`` is the position it is at or moves to, from 0."""

    mode: Literal["idle", "running", "paused"]
    index: int | None
    round: int
    loop: bool
    text: str
    error: str
    arrived: bool


class TeachResponse(BaseModel):
    """The program, its revision and the state of its run."""

    revision: int
    program: TaughtProgram
    progress: ProgressResponse


class ToolPathResponse(BaseModel):
    """Places of the tool in base (n, 3) [m]."""

    points: list[list[float]]


class PositionTimeResponse(BaseModel):
    """When the arm sets out to a position, arrives, and leaves it [s]; null where not known."""

    name: str
    start: float | None
    arrival: float | None
    end: float | None


class TimingResponse(BaseModel):
    """Times of a run by the planner that moves the robot, from the start of the program.

    ``plan`` is that of the stream's ``program`` for which they hold.
    """

    plan: int
    positions: list[PositionTimeResponse]


def router(session: Session) -> APIRouter:
    """Return the routes of the taught program."""
    api = APIRouter(tags=["teach"], responses=ERROR_RESPONSES)
    desk = teaching(session)
    _add_positions(api, desk)
    _add_program(api, desk)
    return api


def teach_response(desk: Teaching) -> TeachResponse:
    """Return the program and the state of its run."""
    progress = ProgressResponse(**asdict(desk.runner.progress))
    return TeachResponse(revision=desk.revision, program=desk.program, progress=progress)


def _add_positions(api: APIRouter, desk: Teaching) -> None:
    @api.get("/teach")
    async def teach() -> TeachResponse:
        """The taught program and the state of its run."""
        return teach_response(desk)

    @api.post("/teach/positions")
    async def add(request: AddPositionRequest) -> Position:
        """Append the current joint positions as a position."""
        desk.require_edit(request.client, request.revision)
        return desk.add(request.name, request.speed, request.dwell, request.motion)

    @api.put("/teach/positions/{index}")
    async def edit(index: Index, request: EditPositionRequest) -> Position:
        """Change a position's name, speed, dwell, kind of motion or joints."""
        desk.require_edit(request.client, request.revision)
        fields = request.model_dump(include=set(Position.model_fields), exclude_none=True)
        return desk.edit(index, here=request.here, **fields)

    @api.post("/teach/positions/{index}/move")
    async def move_position(index: Index, request: ReorderRequest) -> TeachResponse:
        """Move a position to another place in the order."""
        desk.require_edit(request.client, request.revision)
        desk.move(index, request.to)
        return teach_response(desk)

    @api.post("/teach/positions/{index}/delete")
    async def delete_position(index: Index, request: ProgramRequest) -> TeachResponse:
        """Delete a position."""
        desk.require_edit(request.client, request.revision)
        desk.remove(index)
        return teach_response(desk)


def _add_program(api: APIRouter, desk: Teaching) -> None:
    @api.put("/teach/program")
    async def replace(request: ReplaceProgramRequest) -> TeachResponse:
        """Replace the program; one of another arm is refused."""
        desk.require_edit(request.client, request.revision)
        desk.replace(request.program)
        return teach_response(desk)

    @api.put("/teach/name")
    async def rename(request: RenameRequest) -> TeachResponse:
        """Rename the program."""
        desk.require_edit(request.client, request.revision)
        desk.rename(request.name)
        return teach_response(desk)

    @api.get("/teach/hints")
    async def program_hints() -> list[str]:
        """Warnings: lines the arm cannot follow; legs on which it nears itself or the floor."""
        found: list[str] = await worker(desk.session).run("hints", **_taught(desk))
        return found

    @api.get("/teach/positions/{index}/path")
    async def path(index: Index) -> ToolPathResponse:
        """The tool's path to a position from the one before; empty for the first one."""
        points = await worker(desk.session).run("tool_path", index=index, **_taught(desk))
        return ToolPathResponse(points=points)

    @api.get("/teach/timing")
    async def timing() -> TimingResponse:
        """When the newest run of the program reaches every position, by the robot's planner."""
        legs, kind = desk.runner.legs, desk.session.robot.kind
        plan, taught = legs.number, _taught(desk, desk.runner.program)
        times = await worker(desk.session).run("timing", kind=kind, starts=legs.starts, **taught)
        return TimingResponse(plan=plan, positions=times)

    @api.get("/teach/export/{form}", response_class=Response)
    async def export(form: Format) -> Response:
        """The program as a file: points, timed motion, URScript, or itself."""
        name = f"{file_name(desk.program.name)}.{form}"
        if form == "program.json":
            return Response(desk.program.to_bytes(), headers=_heads(name), media_type=_kind(name))
        path = await worker(desk.session).run("export", form=form, **_taught(desk))
        deletion = BackgroundTask(pathlib.Path(path).unlink, missing_ok=True)
        return FileResponse(path, headers=_heads(name), media_type=_kind(name), background=deletion)


def _taught(desk: Teaching, running: TaughtProgram | None = None) -> dict[str, Any]:
    """Return the program, or the one that runs, and its arm as a worker takes them."""
    folder = worker(desk.session).folder
    return {
        "program": (running or desk.program).model_dump(),
        "arm": arm_source(desk.session.robot.arm, folder),
    }


def _heads(name: str) -> dict[str, str]:
    ascii_name = name.encode("ascii", "replace").decode().replace("?", "_")
    return {"Content-Disposition": f'attachment; filename="{ascii_name}"'}


def _kind(name: str) -> str:
    return KINDS[name.rsplit(".", 1)[-1]]
