"""``armtwin ik``: inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.number_command import number_list
from armtwin.cli.options import (
    ArmName,
    CsvIn,
    CsvOut,
    Degrees,
    Force,
    IgnoreLimits,
    Json,
    Millimetres,
    Units,
    batch_output,
)
from armtwin.cli.output import say, say_json, say_table
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.kinematics.inverse.solutions import Solutions
    from armtwin.model.arm import Arm
    from armtwin.spatial import Array

EXAMPLES = """
armtwin ik ur10e --xyz -0.5 0.2 0.3 --rpy 3.1 0 0
armtwin ik ur10e --mm --deg --xyz 690 174 120 --rpy 180 0 90
armtwin ik ur10e --xyz 0.5 0.2 0.3 --quaternion 1 0 0 0 --seed 0 -1.5 1 -0.5 1 0 --json
armtwin ik ur10e --csv poses.csv --out solutions.csv
"""

SHOWN = 9
"""Decimals of joints [rad | deg] that are printed; JSON and files hold all of them."""

ERRORS = ("residual", "orientation_error")


def _option(text: str, metavar: str) -> Any:
    return typer.Option(metavar=metavar, help=text)


def command(
    arm: ArmName,
    xyz: Annotated[str | None, _option("Position of the tool.", "X Y Z")] = None,
    rpy: Annotated[str | None, _option("Roll, pitch, yaw of the tool.", "R P Y")] = None,
    quaternion: Annotated[
        str | None, _option("Orientation as a quaternion instead.", "X Y Z W")
    ] = None,
    seed: Annotated[
        str | None, _option("Order solutions by their distance from this.", "Q...")
    ] = None,
    images: Annotated[
        bool, typer.Option("--images", help="Add solutions that differ by whole turns.")
    ] = False,
    mask: Annotated[
        str | None, _option("Which of x y z rx ry rz count, in target axes (0 or 1).", "FLAGS")
    ] = None,
    redundancy: Annotated[
        float | None, _option("Arm angle, or q7, of a seven-joint arm.", "ANGLE")
    ] = None,
    ignore_limits: IgnoreLimits = False,
    deg: Degrees = False,
    mm: Millimetres = False,
    json: Json = False,
    csv: CsvIn = None,
    out: CsvOut = None,
    force: Force = False,
) -> None:
    """Inverse kinematics: every joint vector of a tool pose.

    A batch file has the columns x y z and roll pitch yaw or qx qy qz qw; its results are one line
    per solution: row, q1 ... qn, residual, orientation_error. Exits with 1 when some of its poses
    have no solution.
    """
    from armtwin.model.catalogue.catalogue import as_arm

    units, loaded = Units(deg, mm), as_arm(arm)
    start = None if seed is None else _seed(seed, units.joints(loaded), loaded.name)
    flags = None if mask is None else number_list(mask, "--mask")
    value = None if redundancy is None else redundancy * units.angle
    request = IkArguments(loaded, units, start, images, ignore_limits, flags, value)
    if csv is None:
        answer = request.answer(pose_of(xyz, rpy, quaternion, units))
        say_json(answer) if json else _print(answer)
        return
    place = batch_output(csv, out, any(v is not None for v in (xyz, rpy, quaternion)))
    summary = _batch(request, csv, place, force)
    say_json(summary) if json else say(" ".join(f"{k}: {v}" for k, v in summary.items()))
    if summary["unreachable"]:
        raise typer.Exit(1)


@dataclass(frozen=True)
class IkArguments:
    """Arm and options for every pose."""

    arm: Arm
    units: Units
    seed: Array | None
    images: bool
    ignore_limits: bool
    mask: tuple[float, ...] | None
    redundancy: float | None

    def solve(self, T: Array) -> Solutions:
        """Return the solutions for a pose (4, 4)."""
        from armtwin.kinematics.inverse.ik import ik

        return ik(
            self.arm,
            T,
            seed=self.seed,
            ignore_limits=self.ignore_limits,
            images=self.images,
            mask=self.mask,
            redundancy=self.redundancy,
        )

    def answer(self, T: Array) -> dict[str, Any]:
        """Return the solutions for a pose in the units of the command line."""
        found = self.solve(T)
        return {
            "arm": self.arm.name,
            "units": self.units.names,
            "solutions": found.q / self.units.joints(self.arm),
            "residuals": found.residuals,
            "orientation_errors": found.orientation_error / self.units.angle,
            "singular": found.singular,
            "notes": list(found.notes),
        }


def _batch(request: IkArguments, csv: Path, out: Path, force: bool) -> dict[str, Any]:
    """Solve the poses of a file; row numbers count from 1."""
    import numpy as np

    from armtwin.cli.progress_display import progress
    from armtwin.cli.tables.batches import pose_batches
    from armtwin.cli.tables.result_file import ResultFile
    from armtwin.errors import UnreachableError

    row, count, unreachable = 0, 0, list[int]()
    per_joint = request.units.joints(request.arm)
    with ResultFile(out, force=force) as results:
        results.head(["row", *(f"q{n}" for n in range(1, request.arm.dof + 1)), *ERRORS])
        for batch in progress(pose_batches(csv, request.units, rows=500), "ik"):
            for T in batch.T:
                row += 1
                try:
                    found = request.solve(T)
                except UnreachableError:
                    unreachable.append(row)
                    continue
                turned = found.orientation_error / request.units.angle
                table = np.column_stack([found.q / per_joint, found.residuals, turned])
                results.lines([row, *line] for line in table.tolist())
                count += len(found.q)
    return {"rows": row, "solutions": count, "unreachable": unreachable, "out": out}


def pose_of(xyz: str | None, rpy: str | None, quaternion: str | None, units: Units) -> Array:
    """Return the pose of the tool in base (4, 4) [m] that the options describe.

    Args:
        xyz: position, three numbers.
        rpy: roll, pitch, yaw about fixed axes, three numbers.
        quaternion: x y z w; instead of ``rpy``.
        units: of the numbers.
    """
    import numpy as np

    from armtwin.spatial import from_parts, pose

    if xyz is None:
        raise InputError("give the position: --xyz X Y Z")
    if (rpy is None) == (quaternion is None):
        raise InputError("give the orientation once: --rpy R P Y or --quaternion X Y Z W")
    position = np.array(number_list(xyz, "--xyz")) * units.length
    if rpy is not None:
        return pose(position, np.array(number_list(rpy, "--rpy")) * units.angle)
    return from_parts(_rotation(number_list(quaternion or "", "--quaternion")), position)


def _rotation(quaternion: tuple[float, ...]) -> Array:
    import numpy as np
    from scipy.spatial.transform import Rotation

    size = float(np.linalg.norm(quaternion))
    if not abs(size - 1) < 1e-3:
        raise InputError(
            f"--quaternion has length {size:g}; a rotation's x y z w has length 1 (w comes last)"
        )
    return np.asarray(Rotation.from_quat(quaternion).as_matrix())


def _seed(seed: str, per_joint: Array, name: str) -> Array:
    values = number_list(seed, "--seed")
    if len(values) != len(per_joint):
        raise InputError(f"--seed: arm {name!r} takes {len(per_joint)} joints, got {len(values)}")
    return per_joint * values


def _print(answer: dict[str, Any]) -> None:
    solutions, angle = answer["solutions"].round(SHOWN) + 0.0, answer["units"]["angle"]
    say(f"{len(solutions)} solution{'s' * (len(solutions) != 1)} [{angle}]")
    dof = solutions.shape[1] if len(solutions) else 0
    turned, heads = (
        answer["orientation_errors"],
        [*(f"q{n}" for n in range(1, dof + 1)), "residual"],
    )
    rows = [
        [n, *q, f"{residual:.1e}"]
        for n, q, residual in zip(
            range(1, len(solutions) + 1), solutions.tolist(), answer["residuals"], strict=True
        )
    ]
    if (turned.round(SHOWN) > 0).any():
        heads.append("orientation error")
        rows = [[*row, f"{error:.4g}"] for row, error in zip(rows, turned, strict=True)]
    say_table(["", *heads], rows)
    for note in answer["notes"]:
        say(f"note: {note}")
