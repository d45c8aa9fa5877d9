"""Programs: named joint positions in an order, with a kind of motion, a speed and a rest each.

A program's file is JSON::

    {"format": "armtwin-program", "version": 1, "name": "pick", "arm": "ur10e",
     "positions": [{"name": "above", "q": [0, -1.5, 1, -1, -1.5, 0], "speed": 0.25, "dwell": 0,
                    "motion": "joint"}]}

``q`` in rad (m for sliding joints), ``speed`` as a share of the arm's limits, ``dwell`` in s.
``motion`` is "linear" where the tool goes straight to the position; without it, "joint" is meant.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    FailFast,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from armtwin.errors import InputError, JointLimitError, ProgramError
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.spatial import Array

MAX_POSITIONS = 500
"""Limit of a program; the app's STOP is measured under an export of as many (docs/app.md)."""
MAX_BYTES = 1_000_000
"""Limit of a program's file, about that of a request's body in the app."""
MAX_FIELDS = 20
"""Fields of an object, more than any of them has: each unknown one costs an error."""
SPEED = 0.25
"""Share of the arm's limits, where none is given."""
LONGEST_DWELL = 600.0
"""Longest rest at a position [s]."""

Number = Annotated[float, Field(strict=True)]
MotionKind = Literal["joint", "linear"]
"""How a position is reached: straight in joint space, or on a straight line of the tool."""
Name = Annotated[str, Field(min_length=1, max_length=80)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _few_fields(cls, given: Any) -> Any:
        """Refuse an object of many fields before an error is made for each."""
        if isinstance(given, dict) and len(given) > MAX_FIELDS:
            raise ValueError(f"has {len(given)} fields; expected {', '.join(cls.model_fields)}")
        return given

    @field_validator("name", check_fields=False)
    @classmethod
    def _plain_line(cls, name: str) -> str:
        text = "".join(c for c in name if c.isprintable()).strip()
        if not text:
            raise ValueError("a name needs a printable character")
        return text


class Position(_Strict):
    """A taught position: name, joints, speed and kind of motion towards it, and rest at it."""

    name: Name
    q: Annotated[tuple[Number, ...], FailFast()] = Field(min_length=1, max_length=64)
    speed: Number = Field(default=SPEED, gt=0, le=1)
    dwell: Number = Field(default=0.0, ge=0, le=LONGEST_DWELL)
    motion: MotionKind = "joint"


class TaughtProgram(_Strict):
    """Positions of one arm in the order in which they are visited."""

    format: Literal["armtwin-program"] = "armtwin-program"
    version: Literal[1] = 1
    name: Name
    arm: str = Field(min_length=1, max_length=200)
    positions: Annotated[tuple[Position, ...], FailFast()] = Field(
        default=(), max_length=MAX_POSITIONS
    )

    def points(self, arm: Arm) -> Array:
        """Return the joints of every position (k, dof) after checking them against the arm.

        Raises:
            ProgramError: another arm, no positions, another number of joints, or one beyond its
                limits; the message names the position.
        """
        self.require_arm(arm)
        if not self.positions:
            raise ProgramError(f"program {self.name!r} has no positions; save one first")
        rows = [_checked(arm, number, p) for number, p in enumerate(self.positions, 1)]
        return np.array(rows)

    def require_arm(self, arm: Arm) -> None:
        """Raise ProgramError where the program was taught to another arm."""
        if self.arm != arm.name:
            raise ProgramError(
                f"program {self.name!r} was taught to {self.arm!r}, not to {arm.name!r}; start the "
                f"app with that arm (armtwin app {self.arm}), or teach the positions again"
            )
        for number, position in enumerate(self.positions, 1):
            if len(position.q) != arm.dof:
                raise ProgramError(
                    f"position {number} ({position.name}) has {len(position.q)} joints; "
                    f"{arm.name!r} has {arm.dof}"
                )

    def with_positions(self, positions: tuple[Position, ...]) -> TaughtProgram:
        """Return the program with other positions."""
        if len(positions) > MAX_POSITIONS:
            raise ProgramError(f"a program holds {MAX_POSITIONS} positions at most")
        return self.model_copy(update={"positions": positions})

    def moved(self, number: int, to: int) -> TaughtProgram:
        """Return the program with the position at one place (from 0) moved to another."""
        rows = list(self.positions)
        if not (0 <= number < len(rows) and 0 <= to < len(rows)):
            raise ProgramError(f"there are {len(rows)} positions; cannot move {number} to {to}")
        rows.insert(to, rows.pop(number))
        return self.with_positions(tuple(rows))

    def to_bytes(self) -> bytes:
        """Return the program as the text of its file."""
        return (json.dumps(self.model_dump(), indent=1, ensure_ascii=False) + "\n").encode()


def position(**fields: Any) -> Position:
    """Return a position from its fields; raise InputError if they are invalid."""
    try:
        return Position(**fields)
    except ValidationError as error:
        raise InputError(f"invalid position: {explain(error)}") from error


def read_program(data: bytes, origin: str = "the file") -> TaughtProgram:
    """Return the program in a file's bytes.

    Raises:
        ProgramError: too large, cut off, no JSON, or JSON of something else; it says where.
    """
    if len(data) > MAX_BYTES:
        raise ProgramError(f"{origin} has {len(data):,} bytes; a program has {MAX_BYTES:,} at most")
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ProgramError(
            f"{origin} is no program: {str(error)[:120]}; a program is a JSON file that this page "
            "saved, and it must be whole"
        ) from error
    if not isinstance(content, dict) or content.get("format") != "armtwin-program":
        raise ProgramError(f'{origin} is JSON, but no program: "format" is not "armtwin-program"')
    try:
        return TaughtProgram.model_validate(content)
    except ValidationError as error:
        raise ProgramError(f"{origin}: {explain(error)}") from error


def explain(error: ValidationError) -> str:
    """Return the first faults as ``field: what is wrong``."""
    faults = []
    for fault in error.errors()[:3]:
        place = ".".join(str(p + 1) if isinstance(p, int) else p for p in fault["loc"])
        faults.append(f"{place or 'file'}: {fault['msg']}")
    return "; ".join(faults)


def _checked(arm: Arm, number: int, position: Position) -> Array:
    try:
        return as_joints(arm, np.array(position.q), name="position")
    except JointLimitError as error:
        raise ProgramError(f"position {number} ({position.name}): {error}") from error
