"""Arguments and options that several verbs share, and the units they speak."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.model.arm import Arm
    from armtwin.spatial import Array

ArmName = Annotated[
    str, typer.Argument(metavar="ARM", help="Catalogue name, or a .toml, .urdf or .xml file.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")]
Degrees = Annotated[bool, typer.Option("--deg", help="Angles in degrees, in and out.")]
Millimetres = Annotated[bool, typer.Option("--mm", help="Lengths in millimetres, in and out.")]
IgnoreLimits = Annotated[
    bool, typer.Option("--ignore-limits", help="Accept joints beyond their limits.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")]
CsvIn = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Read a batch from this CSV file.")
]
CsvOut = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write the batch's results here.")
]


@dataclass(frozen=True)
class Units:
    """The units of the command line; the library itself knows metres and radians only."""

    deg: bool = False
    mm: bool = False

    @property
    def angle(self) -> float:
        """Radians per unit of angle."""
        return 0.017453292519943295 if self.deg else 1.0

    @property
    def length(self) -> float:
        """Metres per unit of length."""
        return 1e-3 if self.mm else 1.0

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
    """Return where a batch's results go, after refusing a batch and a single case at once."""
    if also_one:
        raise InputError(f"give one case or --csv {csv}, not both")
    if out is None:
        raise InputError(f"--csv {csv} needs --out FILE for its results")
    return out
