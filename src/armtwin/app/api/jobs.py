"""Uploads and jobs."""

from __future__ import annotations

import functools
from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Path, Query, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field
from starlette.requests import ClientDisconnect

from armtwin.app.api.motion import DoneResponse
from armtwin.app.control.ownership import Owner, Requester
from armtwin.app.control.session import Session
from armtwin.app.jobs.job import Job
from armtwin.app.jobs.job_parameters import JobParameters
from armtwin.app.jobs.job_service import JobService, job_service
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.queue import Jobs
from armtwin.app.server.responses import ERROR_RESPONSES
from armtwin.errors import InputError, JobError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load
from armtwin.viewer.playback import MAX_BUCKETS, MAX_FRAMES, Playback

JobId = Annotated[str, Path(min_length=1, max_length=64)]
SANDBOX = {"Content-Security-Policy": "sandbox", "Cache-Control": "no-store"}
ONLY_OWNER = "only who started it can cancel or remove it"
BYTES = {"requestBody": {"content": {"application/octet-stream": {}}, "required": True}}


class UploadResponse(BaseModel):
    """An uploaded file: id, safe name, kind, and size [bytes]."""

    id: str
    name: str
    kind: Literal["recording", "arm"]
    size: int


class JobResponse(BaseModel):
    """State of a job."""

    id: str
    kind: str
    parameters: dict[str, Any] = Field(description="What it was started with.")
    owner: str = Field(description="Who started it; empty for nobody.")
    yours: bool = Field(description="Whether you may cancel and remove it.")
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    step: str = Field(description="Current step.")
    seconds: float = Field(description="Duration so far [s].")
    error: str = Field(description="Why it failed.")
    outcome: Outcome | None


def router(session: Session) -> APIRouter:
    """Return the routes of uploads and jobs."""
    api = APIRouter(tags=["jobs"], responses=ERROR_RESPONSES)
    service = job_service(session)
    _add_uploads(api, service)
    _add_jobs(api, service)
    _add_playback(api, service)
    return api


def job_response(job: Job, client: Owner) -> JobResponse:
    """Return the state of a job for a client."""
    return JobResponse(
        id=job.id,
        kind=job.parameters.kind,
        parameters=job.parameters.model_dump(mode="json"),
        owner=job.owner.name,
        yours=job.owner.admits(client),
        state=job.state,
        step=job.step,
        seconds=job.seconds,
        error=job.error,
        outcome=job.outcome,
    )


def _add_uploads(api: APIRouter, service: JobService) -> None:
    @api.post("/uploads", openapi_extra=BYTES)
    async def upload(
        request: Request,
        client: Requester,
        name: Annotated[str, Query(min_length=1, max_length=200)],
        kind: Annotated[Literal["recording", "arm"], Query()] = "recording",
    ) -> UploadResponse:
        """Send a file as the request's body; its content decides how it is read."""
        try:
            taken = await service.uploads.add(name, request.stream(), kind, client)
        except ClientDisconnect as error:
            raise InputError("the upload was interrupted; send the file again") from error
        return UploadResponse(id=taken.id, name=taken.name, kind=taken.kind, size=taken.size)

    @api.delete("/uploads/{key}")
    async def delete_upload(key: JobId, client: Requester) -> DoneResponse:
        """Delete one of your uploaded files."""
        try:
            owner = service.uploads.find(key).owner
        except InputError as error:
            raise HTTPException(404, str(error)) from error
        owner.require(client, "this file", "only who sent it can delete it")
        service.uploads.remove(key)
        return DoneResponse()


def _add_jobs(api: APIRouter, service: JobService) -> None:
    jobs = service.jobs

    @api.get("/jobs")
    async def all_jobs(client: Requester) -> list[JobResponse]:
        """Every job, the newest first."""
        return [job_response(job, client) for job in jobs.all()]

    @api.post("/jobs")
    async def start(parameters: JobParameters, client: Requester) -> JobResponse:
        """Start a job; two run at a time, others wait."""
        return job_response(await service.start(parameters, client), client)

    @api.get("/jobs/{key}")
    async def job(key: JobId, client: Requester) -> JobResponse:
        """State of a job and, when it is done, its result."""
        return job_response(_found(jobs, key), client)

    @api.post("/jobs/{key}/cancel")
    async def cancel(key: JobId, client: Requester) -> JobResponse:
        """Cancel one of your jobs at once."""
        _found(jobs, key).owner.require(client, "this job", ONLY_OWNER)
        return job_response(await jobs.cancel(key), client)

    @api.delete("/jobs/{key}")
    async def remove(key: JobId, client: Requester) -> DoneResponse:
        """Cancel one of your jobs and delete its files."""
        _found(jobs, key).owner.require(client, "this job", ONLY_OWNER)
        await jobs.remove(key)
        return DoneResponse()

    @api.get("/jobs/{key}/files/{name}", response_class=FileResponse)
    async def file(key: JobId, name: Annotated[str, Path(max_length=200)]) -> FileResponse:
        """Download one of a job's files."""
        try:
            place = jobs.get(key).file(name)
        except JobError as error:
            raise HTTPException(404, str(error)) from error
        return FileResponse(place, filename=name, headers=SANDBOX)


def _add_playback(api: APIRouter, service: JobService) -> None:
    @api.get("/jobs/{key}/playback")
    def playback(key: JobId) -> dict[str, Any]:
        """Length, signals, contacts and stops of a recording that a job prepared for playing."""
        return _playback(service.jobs, key).info

    @api.get("/jobs/{key}/playback/window")
    def window(
        key: JobId,
        start: Annotated[float, Query(ge=-1e9, le=1e9, description="First time [s].")] = -1e9,
        end: Annotated[float, Query(ge=-1e9, le=1e9, description="Last time [s].")] = 1e9,
        buckets: Annotated[int, Query(ge=1, le=MAX_BUCKETS)] = 1000,
        frames: Annotated[int, Query(ge=1, le=MAX_FRAMES)] = 1000,
    ) -> dict[str, Any]:
        """A part of it: charts by smallest and largest values, and poses; packed arrays."""
        found, source = _playback(service.jobs, key), service.jobs.get(key).arm_source
        return found.window(_twin(source), start, end, buckets=buckets, frames=frames)


def _playback(jobs: Jobs, key: str) -> Playback:
    try:
        return Playback.open(_found(jobs, key).folder)
    except InputError as error:
        raise HTTPException(404, str(error)) from error


@functools.lru_cache(maxsize=8)
def _twin(source: str) -> Arm:
    return load(source, confined=True)


def _found(jobs: Jobs, key: str) -> Job:
    try:
        return jobs.get(key)
    except JobError as error:
        raise HTTPException(404, str(error)) from error
