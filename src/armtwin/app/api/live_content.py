"""What the addresses about watching take and give."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from armtwin.app.api.motion import ClientId

Torque = Annotated[float, Field(ge=-500, le=500, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, le=5, allow_inf_nan=False)]


class ActionRequest(BaseModel):
    """Who acts: nobody else may have control meanwhile."""

    model_config = ConfigDict(strict=True)

    client: ClientId


class VirtualRobotRequest(ActionRequest):
    """Which arm the virtual robot shall be, of the catalogue; ``ur5e-energy`` unless given."""

    arm: Annotated[str, Field(min_length=1, max_length=60)] = "ur5e-energy"


class PushRequest(ActionRequest):
    """A push: joint from 1, torque [Nm], how long [s]."""

    joint: Annotated[int, Field(ge=1, le=6)]
    torque: Torque
    seconds: Seconds = 0.4


class ReplayRequest(BaseModel):
    """Where to go on in a recording [s], and whether to stand still there."""

    model_config = ConfigDict(strict=True)

    position: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    paused: bool | None = None


class AlarmAnswer(BaseModel):
    """Something that was noticed; joint 0 means none."""

    time: float
    end: float | None
    joint: int
    torque: float
    text: str


class ReplayAnswer(BaseModel):
    """Where a recording is being played."""

    position: float
    duration: float
    paused: bool


class FileAnswer(BaseModel):
    """A recording to take away, at ``/api/live/recordings/NAME``."""

    name: str
    rows: int


class HistoryState(BaseModel):
    """The arm at a time ``t`` [s] of its clock; null where a value is not known."""

    t: float
    q: list[float | None]
    qd: list[float | None]
    tau: list[float | None] | None
    current: list[float | None] | None
    residual: list[float | None] | None
    power: float | None
    energy: float | None


class LiveAnswer(BaseModel):
    """What can be done with the arm that is shown, and what has happened."""

    title: str
    kind: str
    can_push: bool
    can_unlock: bool
    alarms: list[AlarmAnswer]
    recording_seconds: float | None
    recording_trouble: str
    files: list[FileAnswer]
    replay: ReplayAnswer | None


class UnlockAnswer(BaseModel):
    """What the robot's dashboard said."""

    answer: str
