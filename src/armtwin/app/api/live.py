"""Watching closely: virtual robots, pushes, recordings, and playing them."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.exceptions import HTTPException

from armtwin.app.api.live_content import (
    Acting,
    AlarmAnswer,
    FileAnswer,
    LiveAnswer,
    PastState,
    Playing,
    Pushing,
    ReplayAnswer,
    Starting,
    UnlockAnswer,
)
from armtwin.app.api.motion import Done
from armtwin.app.control.history import History
from armtwin.app.control.robot_process import start_virtual_robot
from armtwin.app.control.run_recorder import RunRecorder
from armtwin.app.control.session import Session
from armtwin.app.server.answers import ANSWERS
from armtwin.errors import InputError, NotPermittedError
from armtwin.robots.replay import RecordingBody
from armtwin.robots.robot import BodyAlarm
from armtwin.robots.simulated import SimulatedArm
from armtwin.robots.ur.ur_robot import UrRobot

PARQUET = "application/vnd.apache.parquet"


def router(session: Session) -> APIRouter:
    """Return the addresses about watching."""
    api = APIRouter(prefix="/live", tags=["live"], responses=ANSWERS)
    recorder = session.parts.setdefault("recorder", RunRecorder(session))
    changing = asyncio.Lock()
    history = History()
    session.hub.listeners.append(history.add)
    session.on_change.insert(0, lambda body: history.clear())

    @api.get("")
    async def live() -> LiveAnswer:
        """What can be done with the arm that is shown, its alarms and recordings."""
        return _live(session, recorder)

    @api.get("/history", response_model=list[PastState])
    async def past() -> Response:
        """The last two minutes of the arm that is shown, ten states a second, oldest first."""
        return Response(history.text(), media_type="application/json")

    @api.post("/virtual")
    async def start(starting: Starting) -> LiveAnswer:
        """Start a virtual robot on this machine and show it instead; answers when it is there."""
        _replaceable(session, starting.client)
        if changing.locked():
            raise InputError("a virtual robot is being started already; wait for it")
        async with changing:
            robot = await start_virtual_robot(starting.arm)
            await session.change_body(UrRobot(robot.arm, robot.host, process=robot.end))
        return _live(session, recorder)

    @api.post("/simulated")
    async def simulated(acting: Acting) -> LiveAnswer:
        """Show a simulated arm of the same kind instead; a virtual robot started here ends."""
        _replaceable(session, acting.client)
        async with changing:
            await session.change_body(SimulatedArm(session.body.arm))
        return _live(session, recorder)

    @api.post("/push")
    async def push(pushing: Pushing) -> Done:
        """Push a joint of a virtual robot."""
        _unhindered(session, pushing.client)
        await _robot(session).push(pushing.joint, pushing.torque, pushing.seconds)
        return Done()

    @api.post("/unlock")
    async def unlock(acting: Acting) -> UnlockAnswer:
        """End a protective stop, 5 s after it came at the earliest."""
        _unhindered(session, acting.client)
        return UnlockAnswer(answer=await _robot(session).unlock())

    @api.post("/recording/start")
    async def record() -> LiveAnswer:
        """Begin to record; ends by itself after 10 minutes."""
        recorder.start()
        return _live(session, recorder)

    @api.post("/recording/stop")
    async def finish() -> FileAnswer:
        """End the recording; it can then be downloaded."""
        made = await recorder.stop()
        return FileAnswer(name=made.name, rows=made.rows)

    @api.get("/recordings/{name}", response_class=FileResponse)
    async def download(name: Annotated[str, Field(max_length=100)]) -> FileResponse:
        """A finished recording as a Parquet file."""
        made = recorder.finished.get(name)
        if made is None:
            there = ", ".join(recorder.finished) or "none"
            raise HTTPException(404, f"no recording of that name; there are {there}")
        return FileResponse(made.path, media_type=PARQUET, filename=made.name)

    @api.post("/replay")
    async def replay(playing: Playing) -> ReplayAnswer:
        """Go to another place of the recording that is shown, or pause it."""
        body = session.body
        if not isinstance(body, RecordingBody):
            raise InputError(f"{body.title} is no recording; start the app with --recording FILE")
        if playing.position is not None:
            body.seek(playing.position)
        if playing.paused is not None:
            body.paused = playing.paused
        return _replay(body)

    return api


def _unhindered(session: Session, client: str) -> None:
    """Refuse while somebody else has control."""
    holder = session.lease.holder
    if holder is not None and holder.id != client and not session.lease.is_over():
        raise NotPermittedError(f"{holder.name} has control; ask for it first")


def _replaceable(session: Session, client: str) -> None:
    """Refuse to show another arm where one was asked for when the app was started."""
    _unhindered(session, client)
    if session.body.kind not in ("virtual", "simulated"):
        raise NotPermittedError(
            f"{session.body.title} was asked for when the app was started; start it again without"
        )


def _robot(session: Session) -> UrRobot:
    if not isinstance(session.body, UrRobot):
        raise InputError(f"{session.body.title} is no UR robot; start the virtual robot first")
    return session.body


def _live(session: Session, recorder: RunRecorder) -> LiveAnswer:
    body = session.body
    robot = isinstance(body, UrRobot)
    return LiveAnswer(
        title=body.title,
        kind=body.kind,
        can_push=robot and not body.real,
        can_unlock=robot and body.can_move,
        alarms=[_alarm(alarm) for alarm in body.alarms],
        recording_seconds=recorder.seconds,
        recording_trouble=recorder.trouble,
        files=[FileAnswer(name=made.name, rows=made.rows) for made in recorder.finished.values()],
        replay=_replay(body) if isinstance(body, RecordingBody) else None,
    )


def _alarm(alarm: BodyAlarm) -> AlarmAnswer:
    return AlarmAnswer(
        time=alarm.time, end=alarm.end, joint=alarm.joint, torque=alarm.torque, text=alarm.text
    )


def _replay(body: RecordingBody) -> ReplayAnswer:
    return ReplayAnswer(position=body.position, duration=body.duration, paused=body.paused)
