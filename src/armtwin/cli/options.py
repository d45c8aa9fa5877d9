"""Arguments, options and units that several verbs share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.number_command import number_list
from armtwin.errors import InputError, OutputExistsError
from armtwin.report.viewing import page_path
from armtwin.units import factor

if TYPE_CHECKING:
    from armtwin.model.arm import Arm
    from armtwin.model.catalogue.catalogue import ArmLike
    from armtwin.motion.clearance.clearance import Environment
    from armtwin.spatial import Array


def arms_beginning_with(incomplete: str) -> list[str]:
    """Return the catalogue's arms that a shell offers for what was typed."""
    from armtwin.model.catalogue.catalogue import arm_names

    return [name for name in arm_names() if name.startswith(incomplete)]


ArmName = Annotated[
    str,
    typer.Argument(
        metavar="ARM",
        help="Catalogue name, or a .toml, .urdf or .xml file.",
        autocompletion=arms_beginning_with,
    ),
]
Tip = Annotated[
    str | None,
    typer.Option(
        metavar="LINK", help="Last link of the chain, in a .urdf or .xml file with several."
    ),
]
Base = Annotated[
    str | None,
    typer.Option(metavar="LINK", help="The arm's base frame in a .urdf or .xml file [its root]."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]
Degrees = Annotated[bool, typer.Option("--deg", help="Angles in degrees, in and out.")]
Millimetres = Annotated[bool, typer.Option("--mm", help="Lengths in millimetres, in and out.")]
IgnoreLimits = Annotated[
    bool, typer.Option("--ignore-limits", help="Accept joints beyond their limits.")
]
Serial = Annotated[str | None, typer.Option(metavar="NUMBER", help="The arm's serial number.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
CsvIn = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Read a batch from this CSV file.")
]
CsvOut = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write the batch's results here.")
]
Mapping = Annotated[
    str | None,
    typer.Option(
        help="TOML file that names the columns, one line ('time = column 1; q = columns 2-7'), or "
        "a dialect's name."
    ),
]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write an HTML report.")
]
ViewFile = Annotated[
    Path | None,
    typer.Option(
        "--view",
        metavar="HTML",
        help="Write an interactive page that plays the result; the HTML report links it.",
        callback=lambda path: path and page_path(path),
    ),
]
Pdf = Annotated[Path | None, typer.Option("--pdf", metavar="FILE", help="Write a PDF report.")]
Regen = Annotated[
    str,
    typer.Option(
        "--regen",
        metavar="RULE",
        help="Use of generated power: ideal, lossy, shared-bus, brake, "
        "lossy-shared-bus, lossy-brake.",
    ),
]
IdlePower = Annotated[
    float | None, typer.Option("--idle-power", metavar="W", help="Power at standstill.")
]
Payload = Annotated[float, typer.Option(metavar="KG", help="Mass carried on the flange.")]
Com = Annotated[
    str | None,
    typer.Option(metavar="X Y Z", help="The payload's centre of gravity in the flange frame [m]."),
]
Floor = Annotated[
    float | None,
    typer.Option(metavar="M", help="Height of the floor under the mounting plane [0]."),
]
NoFloor = Annotated[bool, typer.Option("--no-floor", help="Simulate or plan without a floor.")]
Obstacles = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Capsules, a line each: x y z x y z radius [m, base]."),
]
Margin = Annotated[float, typer.Option(metavar="M", help="Distance to keep.")]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write the motion (.csv, .parquet).")
]
Script = Annotated[
    Path | None, typer.Option("--urscript", metavar="FILE", help="Write URScript (.script).")
]
Device = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="cpu, gpu (CuPy), or auto: a GPU where there is one and the work is worth it.",
    ),
]
Seed = Annotated[int, typer.Option(help="Seed; the same seed gives the same result.")]


@dataclass(frozen=True)
class Units:
    """Units of the command line; the library uses metres and radians only."""

    deg: bool = False
    mm: bool = False

    @property
    def angle(self) -> float:
        """Radians per unit of angle."""
        return factor("deg", "rad") if self.deg else 1.0

    @property
    def length(self) -> float:
        """Metres per unit of length."""
        return factor("mm", "m") if self.mm else 1.0

    @property
    def names(self) -> dict[str, str]:
        """The units by name."""
        return {"length": "mm" if self.mm else "m", "angle": "deg" if self.deg else "rad"}

    def joints(self, arm: Arm) -> Array:
        """Return for every driven joint the SI size of one unit, (dof,)."""
        import numpy as np

        kinds = [joint.kind for joint in arm.driven]
        return np.array([self.length if kind == "prismatic" else self.angle for kind in kinds])


def batch_output(csv: Path, out: Path | None, also_one: bool) -> Path:
    """Return the output file of a batch; refuse a batch together with a single case.

    Args:
        csv: the batch's input file.
        out: the file given by ``--out``, if any.
        also_one: whether a single case was given, too.
    """
    if also_one:
        raise InputError(f"give one case or --csv {csv}, not both")
    if out is None:
        raise InputError(f"--csv {csv} needs --out FILE for its results")
    return out


def whole(value: float, option: str) -> int:
    """Return the count that an option gives, which may be written as 1e8.

    Raises:
        InputError: no whole number.
    """
    if value != value or value in (float("inf"), float("-inf")) or value != int(value):
        raise InputError(f"{option} is {value:g}; give a whole number")
    return int(value)


def refuse_existing(paths: list[Path], *, force: bool) -> None:
    """Raise OutputExistsError if a file exists and ``force`` is not set."""
    for path in paths:
        if path.exists() and not force:
            raise OutputExistsError(f"{path} exists; choose another name or add --force")


def loaded_arm(arm: ArmLike, payload: float, com: str | None) -> Arm:
    """Return an arm with its payload.

    Args:
        arm: the arm, its catalogue name or file.
        payload: mass [kg]; 0 for none.
        com: centre of mass "x y z" in the flange frame [m].
    """
    from armtwin.model.catalogue.catalogue import as_arm

    return carrying(as_arm(arm), payload, com)


def carrying(arm: Arm, payload: float, com: str | None) -> Arm:
    """Return an arm with the payload that ``--payload`` and ``--com`` give (kg, flange frame).

    Args:
        arm: the arm.
        payload: mass [kg]; 0 for none.
        com: centre of mass "x y z" in the flange frame [m]; None is the flange's origin.
    """
    from armtwin.model.payload import with_payload

    if com is not None and not payload:
        raise InputError("--com is the centre of a payload; give its mass with --payload")
    if not payload:
        return arm
    centre = (0.0, 0.0, 0.0) if com is None else number_list(com, "--com")
    return with_payload(arm, payload, com=centre)


def surroundings(
    floor: float | None, no_floor: bool, obstacles: Path | None, margin: float
) -> Environment:
    """Return the floor and obstacles that the arm must keep clear of.

    Args:
        floor: height of the floor [m]; None is 0.
        no_floor: leave the floor out.
        obstacles: file with capsules.
        margin: distance to keep [m].
    """
    from armtwin.motion.clearance.clearance import Environment
    from armtwin.motion.clearance.obstacles import read_obstacles

    if no_floor and floor is not None:
        raise InputError("--floor and --no-floor exclude each other")
    height = None if no_floor else (0.0 if floor is None else floor)
    found = () if obstacles is None else read_obstacles(obstacles)
    return Environment(height, found, margin)
