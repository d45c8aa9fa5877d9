"""Routes of live robots: virtual robots, pushes, recording and replay."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.exceptions import HTTPException

from armtwin.app.api.live_content import (
    ActionRequest,
    AlarmResponse,
    ArmFileRequest,
    ArmRequest,
    HistoryState,
    LearnRequest,
    LinksResponse,
    LiveResponse,
    LoadedResponse,
    PushRequest,
    RecordingFile,
    ReplayRequest,
    ReplayResponse,
    UnlockResponse,
    VirtualRobotRequest,
)
from armtwin.app.api.motion import ClientId, DoneResponse
from armtwin.app.backend import learning
from armtwin.app.backend.requested_arm import requested_arm
from armtwin.app.backend.sent_arm import sent_file
from armtwin.app.backend.worker import worker
from armtwin.app.control.message import alarm_content
from armtwin.app.control.ownership import Owner, Requester
from armtwin.app.control.run_recorder import FinishedRecording, FinishLog, RunRecorder
from armtwin.app.control.sample_history import SampleHistory
from armtwin.app.control.session import Session
from armtwin.app.server.responses import ERROR_RESPONSES
from armtwin.errors import InputError, NotPermittedError
from armtwin.robots.replay import ReplayedRobot
from armtwin.robots.robot import Robot, sure_pushes
from armtwin.robots.robot_process import start_virtual_robot
from armtwin.robots.simulated_arm import SimulatedArm
from armtwin.robots.ur.monitor import Tolerances
from armtwin.robots.ur.ur_robot import UrRobot

PARQUET = "application/vnd.apache.parquet"


def router(session: Session) -> APIRouter:
    """Return the live routes."""
    api = APIRouter(prefix="/live", tags=["live"], responses=ERROR_RESPONSES)
    recorder = session.part("recorder", lambda: RunRecorder(session, _finish_log(session)))
    _add_state(api, session, recorder)
    changing = asyncio.Lock()
    _add_robots(api, session, recorder, changing)
    _add_arms(api, session, changing)
    _add_thresholds(api, session, recorder)
    _add_recordings(api, session, recorder)
    return api


def _finish_log(session: Session) -> FinishLog:
    """Return what writes a recording in the worker process, away from the robot's event loop."""

    async def finish(log: Path, out: Path) -> None:
        await worker(session).run("finish_log", log=str(log), out=str(out))

    return finish


def _add_state(api: APIRouter, session: Session, recorder: RunRecorder) -> None:
    history = SampleHistory()
    session.hub.listeners.append(history.add)
    session.on_change.insert(0, lambda _: history.clear())

    @api.get("")
    async def live(client: Requester) -> LiveResponse:
        """Capabilities of the current robot, its alarms and recordings."""
        return _live(session, recorder, client)

    @api.get("/history", response_model=list[HistoryState])
    async def state_history() -> Response:
        """The last two minutes, ten states a second, oldest first."""
        return Response(history.text(), media_type="application/json")


def _add_robots(
    api: APIRouter, session: Session, recorder: RunRecorder, changing: asyncio.Lock
) -> None:
    """Add the routes about virtual robots.

    Args:
        api: where the routes go.
        session: the running app.
        recorder: its recordings.
        changing: held while the robot is replaced.
    """

    @api.post("/virtual")
    async def start(request: VirtualRobotRequest, client: Requester) -> LiveResponse:
        """Start a virtual robot on this machine and show it; responds once it runs."""
        _require_replaceable(session, request.client)
        if changing.locked():
            raise InputError("a virtual robot is being started already; wait for it")
        async with changing:
            robot = await start_virtual_robot(request.arm)
            await session.change_robot(UrRobot(robot.arm, robot.host, process=robot.end))
        return _live(session, recorder, client)

    @api.post("/simulated")
    async def simulated(request: ActionRequest, client: Requester) -> LiveResponse:
        """Show a simulated arm of the same kind instead; a virtual robot started here ends."""
        _require_replaceable(session, request.client)
        async with changing:
            await session.change_robot(SimulatedArm(session.robot.arm))
        return _live(session, recorder, client)

    @api.post("/push")
    async def push(request: PushRequest) -> DoneResponse:
        """Push a joint of a simulated arm or a virtual robot."""
        _require_no_other_holder(session, request.client)
        await session.robot.push(request.joint, request.torque, request.seconds)
        return DoneResponse()

    @api.post("/unlock")
    async def unlock(request: ActionRequest) -> UnlockResponse:
        """End a protective stop, at the earliest 5 s after it began."""
        _require_no_other_holder(session, request.client)
        return UnlockResponse(answer=await _robot(session).unlock())


def _add_thresholds(api: APIRouter, session: Session, recorder: RunRecorder) -> None:
    """Add the routes about contact thresholds; the worker process computes them."""

    @api.post("/contacts/learn")
    async def learn(request: LearnRequest, client: Requester) -> LiveResponse:
        """Learn contact thresholds from a recording without contact of the UR robot shown."""
        _require_no_other_holder(session, request.client)
        robot, found = await learning.calibration_from(session, recorder.finished, request.name)
        _require_no_other_holder(session, request.client)
        await robot.calibrate(found, request.name)
        return _live(session, recorder, client)

    @api.delete("/contacts/learn")
    async def forget(client: Annotated[ClientId, Query()], requester: Requester) -> LiveResponse:
        """Use fixed contact thresholds again."""
        _require_no_other_holder(session, client)
        await learning.require_learner(session.robot).calibrate(None)
        return _live(session, recorder, requester)


def _add_arms(api: APIRouter, session: Session, changing: asyncio.Lock) -> None:
    """Add the routes that show another arm; the worker process reads and checks files."""

    @api.post("/arm/links")
    async def links(request: ArmFileRequest) -> LinksResponse:
        """Links at which the arm of an uploaded URDF can begin and end."""
        place = str(sent_file(session, request.upload))
        return LinksResponse(
            **await worker(session).run("arm_links", path=place, base=request.base)
        )

    @api.post("/arm")
    async def show(request: ArmRequest) -> LoadedResponse:
        """Show a simulated arm instead: of the catalogue, of a text, or of a file that was sent."""
        _require_replaceable(session, request.client)
        arm, notes = await requested_arm(session, request)
        _require_replaceable(session, request.client)
        async with changing:
            await session.change_robot(SimulatedArm(arm))
        return LoadedResponse(name=arm.name, notes=notes)


def _add_recordings(api: APIRouter, session: Session, recorder: RunRecorder) -> None:
    @api.post("/recording/start")
    async def start_recording(client: Requester) -> LiveResponse:
        """Start recording; ends automatically after 10 minutes."""
        recorder.start(client)
        return _live(session, recorder, client)

    @api.post("/recording/stop")
    async def stop_recording(client: Requester) -> RecordingFile:
        """End your recording; it can then be downloaded."""
        if recorder.seconds is not None:
            recorder.owner.require(client, "this recording", "only who started it can end it")
        return _file(await recorder.stop(), client, session.robot)

    @api.get("/recordings/{name}", response_class=FileResponse)
    async def download(name: Annotated[str, Field(max_length=100)]) -> FileResponse:
        """A finished recording as a Parquet file."""
        made = recorder.finished.get(name)
        if made is None:
            there = ", ".join(recorder.finished) or "none"
            raise HTTPException(404, f"no recording of that name; there are {there}")
        return FileResponse(made.path, media_type=PARQUET, filename=made.name)

    @api.post("/replay")
    async def replay(request: ReplayRequest) -> ReplayResponse:
        """Seek in the recording that is replayed, or pause it."""
        robot = session.robot
        if not isinstance(robot, ReplayedRobot):
            raise InputError(f"{robot.title} is no recording; start the app with one to replay it")
        if request.position is not None:
            robot.seek(request.position)
        if request.paused is not None:
            robot.paused = request.paused
        return _replay(robot)


def _require_no_other_holder(session: Session, client: str) -> None:
    """Raise NotPermittedError while another client has control."""
    holder = session.lease.holder
    if holder is not None and holder.id != client and not session.lease.is_expired():
        raise NotPermittedError(f"{holder.name} has control; request it first")


def _require_replaceable(session: Session, client: str) -> None:
    """Raise NotPermittedError where the app was started for a certain robot or recording."""
    _require_no_other_holder(session, client)
    if session.robot.kind not in ("virtual", "simulated"):
        raise NotPermittedError(
            f"{session.robot.title} was chosen when the app was started; start it again without"
        )


def _robot(session: Session) -> UrRobot:
    if not isinstance(session.robot, UrRobot):
        raise InputError(f"{session.robot.title} is no UR robot; start the virtual robot first")
    return session.robot


def _live(session: Session, recorder: RunRecorder, client: Owner) -> LiveResponse:
    robot = session.robot
    ur = robot if isinstance(robot, UrRobot) else None
    learned = None if ur is None else ur.calibration
    fixed = learned is None and not isinstance(robot, ReplayedRobot)
    return LiveResponse(
        title=robot.title,
        kind=robot.kind,
        can_push=robot.can_push,
        push_torques=sure_pushes(robot.arm, learning.largest_levels(robot)).tolist(),
        contact_share=Tolerances.contact if fixed else None,
        learned_from="" if ur is None else ur.learned_from,
        learned_notes=[] if learned is None else list(learned.notes),
        can_unlock=ur is not None and ur.can_move,
        alarms=[AlarmResponse(**alarm_content(alarm)) for alarm in robot.alarms],
        recording_seconds=recorder.seconds,
        recording_trouble=recorder.trouble,
        recording_owner="" if recorder.seconds is None else recorder.owner.name,
        recording_yours=recorder.seconds is None or recorder.owner.admits(client),
        files=[_file(made, client, robot) for made in recorder.finished.values()],
        replay=_replay(robot) if isinstance(robot, ReplayedRobot) else None,
    )


def _file(made: FinishedRecording, client: Owner, robot: Robot) -> RecordingFile:
    owner, learnable = made.owner, learning.is_learnable(robot, made)
    return RecordingFile(
        name=made.name, rows=made.rows, owner=owner.name, yours=owner.admits(client),
        learnable=learnable,
    )  # fmt: skip


def _replay(robot: ReplayedRobot) -> ReplayResponse:
    return ReplayResponse(position=robot.position, duration=robot.duration, paused=robot.paused)
