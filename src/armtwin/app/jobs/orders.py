"""Parameters of jobs, by kind."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from armtwin.dynamics.regeneration import DEFAULT

UploadId = Annotated[str, Field(min_length=1, max_length=64)]
Files = Annotated[list[UploadId], Field(max_length=10)]
Share = Annotated[float, Field(gt=0, lt=1)]
Joints = Annotated[list[float], Field(min_length=1, max_length=64)]
HERE = "here"
"""Means the arm that the app shows."""
OWN = "own"
"""Means the newest recording of the Live page; ``own:NAME`` one by name."""


class _Order(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)

    arm: str = Field(
        HERE, max_length=100, description="A catalogue name, an upload's id, or 'here'."
    )


class Validate(_Order):
    """Validate the model against a recording."""

    kind: Literal["validate"]
    recording: UploadId = Field(description="An upload's id; 'own' or 'own:NAME' for one of Live.")
    limits: list[Annotated[str, Field(max_length=60)]] = Field(default=[], max_length=20)
    fit_tool: bool = False
    fit_base: bool = False
    remove_lag: bool = False
    angles: Literal["rad", "deg"] | None = None
    run: float | None = None
    pose_only: bool = Field(default=False, description="Leave torques, currents and power out.")
    calibration: UploadId | None = Field(
        default=None, description="An upload's id of the robot's factory calibration (YAML)."
    )
    mapping: Annotated[str, Field(max_length=40)] | dict[str, Any] | None = Field(
        default=None, description="A bundled dialect's name, or a mapping file's content."
    )


class Calibrate(_Order):
    """Calibrate the arm's geometry from measured poses."""

    kind: Literal["calibrate"]
    recordings: Files = Field(min_length=1)
    test: Files = []
    hold_out: float = Field(0.0, ge=0, lt=1)


class Identify(_Order):
    """Identify motors, friction and masses from recordings."""

    kind: Literal["identify"]
    recordings: Files = Field(min_length=1)
    test: Files = []
    split: Share | None = None
    method: Literal["joint", "staged"] | None = None
    payload: bool = False


class Energy(_Order):
    """Energy balance of a recording."""

    kind: Literal["energy"]
    recording: UploadId
    rule: str = Field(DEFAULT, max_length=40)
    idle_power: float | None = Field(None, ge=0, le=1e5)
    measured: bool = False


class Optimize(_Order):
    """Optimize the energy of a motion through joint positions."""

    kind: Literal["optimize"]
    points: list[Joints] = Field(min_length=2, max_length=30)
    slower: float | None = Field(None, ge=1, le=10)
    through: bool = False
    rule: str = Field(DEFAULT, max_length=40)
    idle_power: float | None = Field(None, ge=0, le=1e5)


class Fmu(_Order):
    """Export an arm's model as an FMU."""

    kind: Literal["fmu"]
    model: str = Field("fk", max_length=40)
    fmi: Literal[2, 3] = 2
    platform: Literal["host", "all"] = "host"


Order = Annotated[
    Validate | Calibrate | Identify | Energy | Optimize | Fmu, Field(discriminator="kind")
]


def files_of(order: Order) -> list[str]:
    """Return the ids of every uploaded file that an order names."""
    named: list[str] = []
    for field in ("recording", "recordings", "test", "calibration"):
        value = getattr(order, field, None) or []
        named += [value] if isinstance(value, str) else value
    return named
