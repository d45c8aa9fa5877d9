"""Parameters of jobs, by kind.

The options of a verb are the library's own object (``job_options``): the API takes whatever the
Python function takes, checked by the same code.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, field_validator

from armtwin.app.jobs.job_options import CHECKED, ClientOptions
from armtwin.calibration.options import CalibrateOptions
from armtwin.detection.options import DetectOptions
from armtwin.energy.optimize import OptimizeOptions
from armtwin.energy.recorded import EnergyOptions
from armtwin.identification.options import IdentifyOptions
from armtwin.motion.excitation.excite import ExciteOptions
from armtwin.recording.columns.dialects import bundled
from armtwin.validation.options import ValidateOptions

UploadId = Annotated[str, Field(min_length=1, max_length=64)]
Files = Annotated[list[UploadId], Field(max_length=10)]
Joints = Annotated[list[float], Field(min_length=1, max_length=64)]
HERE = "here"
"""Means the arm that the app shows."""
OWN = "own"
"""Means the newest recording made in the app; ``own:NAME`` one by name."""


class _Job(BaseModel):
    model_config = CHECKED

    arm: str = Field(
        HERE,
        max_length=300,
        pattern=r"^[^#]*(#(tip|base)=[^,=#]+(,(tip|base)=[^,=#]+)?)?$",
        description="A catalogue name, an upload's id, or 'here'. 'ID#tip=LINK,base=LINK' chooses "
        "the chain of a URDF file that branches.",
    )


class _RecordingJob(_Job):
    mapping: Annotated[str, Field(max_length=40)] | dict[str, Any] | None = Field(
        default=None,
        description="A bundled dialect's name, or a mapping file: its upload's id or its content.",
    )

    @field_validator("mapping")
    @classmethod
    def _is_bundled_or_uploaded(cls, mapping: str | dict[str, Any] | None) -> Any:
        """Refuse a path: a name is a bundled mapping or an upload's id."""
        known = not isinstance(mapping, str) or mapping in bundled()
        if not known and not re.fullmatch("[0-9a-f]{32}", str(mapping)):
            raise ValueError(
                f"no mapping {mapping!r}; choose one of {', '.join(bundled())}, or send a file"
            )
        return mapping


class ValidateJob(_RecordingJob):
    """Validate the model against a recording; ``options.calibration`` is an upload's id."""

    kind: Literal["validate"]
    recording: UploadId = Field(description="An upload's id; 'own' or 'own:NAME' for one of Live.")
    angles: Literal["rad", "deg"] | None = None
    run: float | None = Field(None, description="Which run, where the file holds several.")
    options: Annotated[ValidateOptions, ClientOptions(ValidateOptions)] = Field(
        default_factory=ValidateOptions
    )


class ColumnsJob(_RecordingJob):
    """List a file's columns with its first rows, and what each column is taken for."""

    kind: Literal["columns"]
    recording: UploadId


class PlayJob(_RecordingJob):
    """Prepare a recording for the timeline."""

    kind: Literal["play"]
    recording: UploadId = Field(description="An upload's id; 'own' or 'own:NAME' for one of Live.")
    angles: Literal["rad", "deg"] | None = None
    run: float | None = Field(None, description="Which run, where the file holds several.")


class CalibrateJob(_RecordingJob):
    """Calibrate the arm's geometry from measured poses."""

    kind: Literal["calibrate"]
    recordings: Files = Field(min_length=1)
    test: Files = []
    groups: list[Files] = Field(
        default=[], max_length=10, description="Recordings and tests that share a base and a tool."
    )
    options: Annotated[CalibrateOptions, ClientOptions(CalibrateOptions)] = Field(
        default_factory=CalibrateOptions
    )


class IdentifyJob(_RecordingJob):
    """Identify motors, friction and masses from recordings."""

    kind: Literal["identify"]
    recordings: Files = Field(min_length=1)
    test: Files = []
    options: Annotated[IdentifyOptions, ClientOptions(IdentifyOptions)] = Field(
        default_factory=IdentifyOptions
    )


class _LoadedJob(_Job):
    payload: float = Field(0.0, ge=0, le=1e4, description="Mass carried on the flange [kg].")
    com: list[float] = Field(
        default=[0.0, 0.0, 0.0],
        min_length=3,
        max_length=3,
        description="The payload's centre of gravity in the flange frame [m].",
    )


class EnergyJob(_LoadedJob, _RecordingJob):
    """Energy balance of a recording."""

    kind: Literal["energy"]
    recording: UploadId
    run: float | None = Field(None, description="Which run, where the file holds several.")
    options: Annotated[EnergyOptions, ClientOptions(EnergyOptions)] = Field(
        default_factory=EnergyOptions
    )


class DetectJob(_RecordingJob):
    """Detect contacts in a recording."""

    kind: Literal["detect"]
    recording: UploadId = Field(description="An upload's id; 'own' or 'own:NAME' for one of Live.")
    clean: Files = Field(default=[], description="Undisturbed runs to learn from.")
    options: Annotated[DetectOptions, ClientOptions(DetectOptions)] = Field(
        default_factory=DetectOptions
    )


class OptimizeJob(_LoadedJob):
    """Optimize the energy of a motion through joint positions."""

    kind: Literal["optimize"]
    points: list[Joints] = Field(min_length=2, max_length=30)
    options: Annotated[OptimizeOptions, ClientOptions(OptimizeOptions, leave_out=("inputs",))] = (
        Field(default_factory=OptimizeOptions)
    )


class ExciteJob(_LoadedJob):
    """Find a motion that is informative about the arm's parameters."""

    kind: Literal["excite"]
    options: Annotated[ExciteOptions, ClientOptions(ExciteOptions)] = Field(
        default_factory=ExciteOptions
    )


class FmuJob(_Job):
    """Export an arm's model as an FMU."""

    kind: Literal["fmu"]
    model: str = Field("fk", max_length=40)
    fmi: Literal[2, 3] = 2
    platform: Literal["host", "all"] = "host"


JobParameters = Annotated[
    ValidateJob
    | ColumnsJob
    | PlayJob
    | CalibrateJob
    | IdentifyJob
    | EnergyJob
    | DetectJob
    | OptimizeJob
    | ExciteJob
    | FmuJob,
    Field(discriminator="kind"),
]


def files_of(parameters: JobParameters) -> list[str]:
    """Return the ids of every uploaded file that the parameters name."""
    named: list[str] = []
    for field in ("recording", "recordings", "test", "clean"):
        value = getattr(parameters, field, None) or []
        named += [value] if isinstance(value, str) else value
    if isinstance(parameters, ValidateJob) and parameters.options.calibration is not None:
        named.append(str(parameters.options.calibration))
    mapping = getattr(parameters, "mapping", None)
    if isinstance(mapping, str) and mapping not in bundled():
        named.append(mapping)
    return named
