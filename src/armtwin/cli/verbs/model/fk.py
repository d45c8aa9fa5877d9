"""``armtwin fk``: forward kinematics."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from armtwin.cli.number_command import numbers
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

EXAMPLES = """
armtwin fk ur10e 0 -1.5 1 -0.5 1 0
armtwin fk ur10e 0 -90 90 0 90 0 --deg --mm
armtwin fk ur10e 0 -1.5 1 -0.5 1 0 --json
armtwin fk ur10e --csv joints.csv --out poses.csv
"""

COLUMNS = ("x", "y", "z", "roll", "pitch", "yaw", "qx", "qy", "qz", "qw")


def command(
    arm: ArmName,
    q: Annotated[list[str] | None, typer.Argument(metavar="Q", help="Joint values.")] = None,
    deg: Degrees = False,
    mm: Millimetres = False,
    json: Json = False,
    csv: CsvIn = None,
    out: CsvOut = None,
    force: Force = False,
    ignore_limits: IgnoreLimits = False,
) -> None:
    """Forward kinematics: the pose of the tool in the base frame.

    A batch file has a header q1 ... qn (or the joints' names, in any order; a time column is
    carried along); its results have the columns x y z roll pitch yaw qx qy qz qw.
    """
    units = Units(deg, mm)
    if csv is not None:
        rows = _batch(arm, csv, batch_output(csv, out, bool(q)), units, force, ignore_limits)
        summary = {"rows": rows, "out": out}
        say_json(summary) if json else say(f"{rows} poses written to {out}")
    else:
        _one(arm, numbers(q or [], "Q"), units, json, ignore_limits)


def _one(name: str, q: tuple[float, ...], units: Units, json: bool, ignore_limits: bool) -> None:
    from armtwin.kinematics.forward import fk, pose_coordinates
    from armtwin.kinematics.joints import as_joints, warn_if_degrees
    from armtwin.model.catalogue.catalogue import as_arm

    arm = as_arm(name)
    per_joint = units.joints(arm) if len(q) == arm.dof else 1.0
    given = per_joint * _array(q)
    if len(q) == arm.dof:
        warn_if_degrees(arm, given[None])
    joints = as_joints(arm, given, ignore_limits=ignore_limits)
    T = fk(arm, joints, ignore_limits=True)
    where = pose_coordinates(T)
    T[:3, 3] /= units.length
    answer: dict[str, Any] = {
        "arm": arm.name,
        "units": units.names,
        "position": where.position / units.length,
        "rpy": where.rpy / units.angle,
        "quaternion": where.quaternion,
        "matrix": T,
    }
    say_json(answer) if json else _print(answer)


def _array(q: tuple[float, ...]) -> Any:
    import numpy as np

    return np.array(q, dtype=float)


def _print(answer: dict[str, Any]) -> None:
    length, angle = answer["units"]["length"], answer["units"]["angle"]
    say_table(
        ("", "", "", "", ""),
        [
            (f"position [{length}]", *answer["position"].tolist(), ""),
            (f"roll pitch yaw [{angle}]", *answer["rpy"].tolist(), ""),
            ("quaternion x y z w", *answer["quaternion"].tolist()),
        ],
    )


def _batch(name: str, csv: Path, out: Path, units: Units, force: bool, ignore_limits: bool) -> int:
    from armtwin.cli.progress_display import progress
    from armtwin.cli.tables.batches import joint_batches
    from armtwin.cli.tables.result_file import ResultFile
    from armtwin.kinematics.forward import tool_coordinates
    from armtwin.kinematics.joints import warn_if_degrees
    from armtwin.model.catalogue.catalogue import as_arm

    arm, rows = as_arm(name), 0
    with ResultFile(out, force=force) as results:
        for batch in progress(joint_batches(csv, arm, units), "fk"):
            if not rows:
                results.head([*(["time"] if batch.time is not None else []), *COLUMNS])
            warn_if_degrees(arm, batch.q)
            where = tool_coordinates(arm, batch.q, ignore_limits=ignore_limits)
            position, rpy = where.position / units.length, where.rpy / units.angle
            results.rows(batch.time, position, rpy, where.quaternion)
            rows += len(batch.q)
    return rows
