"""Mounting of an arm's servos: the ``[servo]`` table of a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from armtwin.errors import InputError
from armtwin.files import parse_toml
from armtwin.model.formats.toml_schema import Angle, ArmFileModel, Vector3

Microseconds = Annotated[float, Field(ge=500.0, le=2500.0)]
Positive = Annotated[float, Field(gt=0.0)]
HALF_TURN = 3.141592653589793
"""[rad]; the travel of usual hobby servos."""


class JointServo(ArmFileModel):
    """``[[servo.joints]]``: the servo of a joint, in the order of the joints.

    Attributes:
        pulse: pulse widths at the two ends of its travel [us].
        travel: rotation between these ends [rad].
        middle: angle of the joint where the servo is in the middle of its travel [rad]; the
            middle of the joint's limits unless given.
        inverted: whether the joint turns against the servo.
        limits: narrower limits of the joint than the arm file's [rad].
        speed: top speed [rad/s]; the arm file's, or 60 deg/s where it has none.
        home: position at which the servo is switched on [rad]; 0 unless given.
    """

    pulse: tuple[Microseconds, Microseconds] = (544.0, 2400.0)
    travel: Annotated[Angle, Field(gt=0.1)] = HALF_TURN
    middle: Angle | None = None
    inverted: bool = False
    limits: tuple[Angle, Angle] | None = None
    speed: Annotated[Angle, Field(gt=0.0)] | None = None
    home: Angle = 0.0


class GripperServo(ArmFileModel):
    """``[servo.gripper]``: pulse widths closed and open [us], speed [openings/s], home 0...1."""

    closed: Microseconds = 1000.0
    open: Microseconds = 2000.0
    speed: Positive = 1.0
    home: Annotated[float, Field(ge=0.0, le=1.0)] = 0.5


class WorkspaceBox(ArmFileModel):
    """``[servo.workspace]``: box in the base frame that the tool must stay in [m]."""

    low: Vector3
    high: Vector3


class ServoSettings(ArmFileModel):
    """``[servo]``.

    Attributes:
        joints: the servos of the joints; those not listed are plain ones.
        gripper: the gripper's servo.
        watchdog: the board stops a motion after this long without a message of the host [s].
        phones: whether the board listens to phone apps.
        speed: share of every joint's top speed that may be used, 0 to 1.
        workspace: box that the tool must stay in.
        i_mean_it: the same as ``--i-mean-it``: hardware may move.
    """

    joints: list[JointServo] = []
    gripper: GripperServo = GripperServo()
    watchdog: Annotated[float, Field(ge=0.3, le=30.0)] = 1.0
    phones: bool = True
    speed: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0
    workspace: WorkspaceBox | None = None
    i_mean_it: bool = False


def read_settings(path: Path) -> ServoSettings:
    """Return the ``[servo]`` table of a TOML file.

    Raises:
        InputError: no such file, no TOML, no such table, or a field that is not right.
    """
    try:
        tables = parse_toml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: cannot be read as TOML: {error}") from error
    if "servo" not in tables:
        found = ", ".join(tables) or "nothing"
        raise InputError(f"{path}: has no [servo] table; found {found}")
    try:
        return ServoSettings.model_validate(tables["servo"])
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in ("servo", *first["loc"]))
        raise InputError(f"{path}: {place}: {first['msg']}, got {first['input']!r}") from error
