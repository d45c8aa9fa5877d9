"""Requests and responses of the live routes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from armtwin.app.api.motion import ClientId

Torque = Annotated[float, Field(ge=-500, le=500, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, le=5, allow_inf_nan=False)]


class ActionRequest(BaseModel):
    """The acting client; refused while another one has control."""

    model_config = ConfigDict(strict=True)

    client: ClientId


class VirtualRobotRequest(ActionRequest):
    """Catalogue arm of the virtual robot; ``ur5e-energy`` unless given."""

    arm: Annotated[str, Field(min_length=1, max_length=60)] = "ur5e-energy"


LinkName = Annotated[str, Field(min_length=1, max_length=200)]


class ArmFileRequest(ActionRequest):
    """An arm file that was sent: the upload's id, and where the chain of a URDF begins."""

    upload: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    base: LinkName | None = None


class ArmRequest(ActionRequest):
    """The arm to show: a catalogue name, the text of an arm file (TOML), or a file that was sent.

    Without ``base`` the chain of a URDF that was sent begins at the root; without ``tip`` it ends
    in the only tip.
    """

    name: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    toml: Annotated[str, Field(min_length=1, max_length=60_000)] | None = None
    upload: Annotated[str, Field(pattern="^[0-9a-f]{32}$")] | None = None
    base: LinkName | None = None
    tip: LinkName | None = None


class TipResponse(BaseModel):
    """A link that an arm can end in, and the number of joints from the base to it."""

    name: str
    joints: int


class LinksResponse(BaseModel):
    """Links of a URDF: those that an arm can begin at, and its tips, likeliest first."""

    name: str
    bases: list[str]
    base: str
    tips: list[TipResponse]


class LoadedResponse(BaseModel):
    """Name of the arm that is shown now, and what its file lacks."""

    name: str
    notes: list[str]


class PushRequest(ActionRequest):
    """A push: joint from 1, torque [Nm | N], duration [s]."""

    joint: Annotated[int, Field(ge=1, le=32)]
    torque: Torque
    seconds: Seconds = 0.4


class LearnRequest(ActionRequest):
    """Recording of the robot that is shown, without contact, to learn thresholds from."""

    name: Annotated[str, Field(min_length=1, max_length=100)]


class ReplayRequest(BaseModel):
    """Position in a recording to continue from [s], and whether to pause."""

    model_config = ConfigDict(strict=True)

    position: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    paused: bool | None = None


class AlarmResponse(BaseModel):
    """An alarm; joint 0 if it is not a contact."""

    time: float
    end: float | None
    joint: int
    torque: float
    text: str


class ReplayResponse(BaseModel):
    """State of a replay [s]."""

    position: float
    duration: float
    paused: bool


class RecordingFile(BaseModel):
    """A recording for download, at ``/api/live/recordings/NAME``."""

    name: str
    rows: int
    owner: str = Field(description="Who made it; empty for nobody.")
    yours: bool
    learnable: bool = Field(
        description="Whether it is of the UR robot that is shown, which can learn from it."
    )


class HistoryState(BaseModel):
    """The robot at time ``t`` [s]; unknown values are null."""

    t: float
    q: list[float | None]
    qd: list[float | None]
    tau: list[float | None] | None
    current: list[float | None] | None
    residual: list[float | None] | None
    power: float | None
    energy: float | None


class LiveResponse(BaseModel):
    """Capabilities of the current robot, its alarms and recordings."""

    title: str
    kind: str
    can_push: bool
    push_torques: list[float] = Field(
        description="A push of each joint that is surely detected [Nm | N]."
    )
    contact_share: float | None = Field(
        description="External torque that is a contact, as a share of a joint's largest; null for "
        "a recording and where ``learned_from`` is set: thresholds are learned then."
    )
    learned_from: str = Field(
        description="Recording that contact thresholds were learned from; empty for none."
    )
    learned_notes: list[str] = Field(description="What was learned, from how much data.")
    can_unlock: bool
    alarms: list[AlarmResponse]
    recording_seconds: float | None
    recording_trouble: str
    recording_owner: str = Field(description="Who makes the running recording.")
    recording_yours: bool = Field(description="Whether you may end it.")
    files: list[RecordingFile]
    replay: ReplayResponse | None


class UnlockResponse(BaseModel):
    """The dashboard's answer."""

    answer: str
