"""``armtwin new``: write a commented arm file to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from armtwin.cli.options import Base, Force, Json, Tip
from armtwin.cli.output import say, say_json
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.model.arm import Arm, Convention
    from armtwin.model.formats.arm_file.dh_table import DhConvention

EXAMPLES = """
armtwin new my_arm.toml --from-dh table.csv --deg --mm
armtwin new my_arm.toml --from-dh table.csv --convention modified-dh --schema
armtwin new my_arm.toml --from-urdf robot.urdf --tip tool0 --convention modified-dh
armtwin new my_arm.toml --joints 7
"""


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The arm file to write, .toml.")],
    from_dh: Annotated[
        Path | None, typer.Option(metavar="CSV", help="DH table: joint, type, a, alpha, d, theta.")
    ] = None,
    convention: Annotated[
        str | None,
        typer.Option(
            help="Convention of the DH table: standard-dh (default) or modified-dh; of the new "
            "file, where it comes from URDF: also screws (default)."
        ),
    ] = None,
    deg: Annotated[bool, typer.Option("--deg", help="Angles of the table in degrees.")] = False,
    mm: Annotated[bool, typer.Option("--mm", help="Lengths of the table in millimetres.")] = False,
    from_urdf: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take the arm of a URDF or MJCF file.")
    ] = None,
    tip: Tip = None,
    base: Base = None,
    joints: Annotated[int, typer.Option(help="Without a table: joints of the template.")] = 6,
    schema: Annotated[
        bool, typer.Option("--schema", help="Also write the JSON schema for editors beside it.")
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a commented arm file that loads at once: from a DH table, a URDF file, or a template.

    The table has a header; columns are a, alpha, d, and if there are any theta, joint, type,
    offset, direction, lower, upper, speed, acceleration, effort. A unit may stand in the header,
    as in "a [mm]"; angles may be written as pi/2 or 90 deg, the variable as in q2 - pi/2.
    """
    from armtwin.model.catalogue.catalogue import load
    from armtwin.model.convert import convert
    from armtwin.model.formats.arm_file.new_file import new_arm_file

    if from_dh is not None and from_urdf is not None:
        raise InputError("give --from-dh or --from-urdf, not both")
    if from_urdf is None and (tip is not None or base is not None):
        raise InputError("--tip and --base choose a chain of a file: give --from-urdf")
    arm = None if from_urdf is None else load(from_urdf, tip=tip, base=base)
    if arm is not None and convention is not None:
        arm = convert(arm, cast("Convention", convention))
    if from_dh is not None:
        arm = _of_table(from_dh, convention or "standard-dh", deg, mm)
    written = new_arm_file(file, arm, joints=joints, schema=schema, force=force)
    made = load(written)
    answer = {"out": written, "dof": made.dof, "convention": made.convention}
    if json:
        say_json(answer)
    else:
        say(f"{written}: {made.dof} joints, {made.convention}; armtwin show {written} prints it")


def _of_table(path: Path, convention: str, deg: bool, mm: bool) -> Arm:
    from armtwin.model.formats.arm_file.dh_table import read_dh_table

    chosen = cast("DhConvention", convention)
    return read_dh_table(path, convention=chosen, degrees=deg, millimetres=mm)
