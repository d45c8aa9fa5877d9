"""The whole UR10e FMU report: prepare, export, run, compare, report, in one go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from armtwin.errors import ArmTwinError, OutputExistsError
from armtwin.fmu.export.export import FmuExport, export_fmu
from armtwin.fmu.run.run import FmuRun, run_fmu
from armtwin.fmu.run.signals import Signals, read_signals, write_signals
from armtwin.kinematics.forward import Coordinates, tool_coordinates
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load
from armtwin.recording.preparation.prepare import prepare
from armtwin.recording.preparation.prepared import PreparedRecording
from armtwin.reproduce.figure import DocumentResult, Figure, Reproduction, table
from armtwin.reproduce.fk_fmu.fk_report import LAST_DIGIT, NOTES, OUTPUTS
from armtwin.reproduce.fk_fmu.joint_log import write_joint_log
from armtwin.spatial import Array
from armtwin.validation.recorded_poses import pose_signals, recorded_poses
from armtwin.validation.result import Check
from armtwin.validation.validate import validate

NAMES = {
    "log": "robot_joint_data.csv",
    "inputs": "fmpy_inputs.csv",
    "fmu": "UR10e_FK.fmu",
    "outputs": "ur10e_outs.csv",
    "html": "report.html",
    "pdf": "report.pdf",
}
SAME = 1e-12
"""Bound on rounding: both sides evaluate the same equations."""


@dataclass(frozen=True, eq=False)
class FmuReproduction:
    """Data and results of the report.

    Attributes:
        files: what was written, by role.
        prepared: the recording made ready, with its steps.
        exported: the FMU.
        run: its run over the recording, by our runner.
        fmpy: the same run by FMPy, or the reason why there is none.
        check: its outputs beside the recorded pose.
        reproduction: the printed figures beside ours.
    """

    files: dict[str, Path]
    prepared: PreparedRecording
    exported: FmuExport
    run: FmuRun
    fmpy: FmuRun | str
    check: Check
    reproduction: Reproduction


def make_fmu_report(
    folder: str | Path,
    *,
    recording: str | Path | None = None,
    arm: str = "ur10e-report",
    fmi: int = 2,
    force: bool = False,
) -> FmuReproduction:
    """Repeat every step of the report and write its files to a folder.

    Args:
        folder: where the files go; made where it does not exist.
        recording: a log with joints and tool pose; without one a log of 29,051 rows is made up.
        arm: the arm, by name or file.
        fmi: FMI version of the FMU.
        force: overwrite files of an earlier run.

    Raises:
        OutputExistsError: files exist and ``force`` is not set.
    """
    place = Path(folder)
    files = {role: place / name for role, name in NAMES.items()}
    _refuse_existing(files, given=recording is not None, force=force)
    place.mkdir(parents=True, exist_ok=True)
    model = load(arm)
    if recording is None:
        write_joint_log(model, files["log"], force=force)
    else:
        files["log"] = Path(recording)
    prepared = prepare(files["log"], arm=model)
    prepared.save(files["inputs"], force=True)
    exported = export_fmu(model, files["fmu"], fmi=fmi, force=force)
    inputs = read_signals(files["inputs"])
    run = run_fmu(files["fmu"], inputs)
    write_signals(files["outputs"], run.signals, force=force)
    fmpy = _by_fmpy(files["fmu"], inputs)
    check = _compared(model, prepared, run)
    figures = _reproduction(model, files["fmu"], inputs, run, fmpy, check)
    made = FmuReproduction(files, prepared, exported, run, fmpy, check, figures)
    from armtwin.report.write import write_page
    from armtwin.reproduce.fk_fmu.fmu_report_page import page

    for role in ("html", "pdf"):
        write_page(page(made), files[role], force=force)
    return made


def _refuse_existing(files: dict[str, Path], *, given: bool, force: bool) -> None:
    for role, path in files.items():
        if path.exists() and not force and not (given and role == "log"):
            raise OutputExistsError(
                f"{path} exists; choose another folder or allow overwriting (force)"
            )


def _by_fmpy(fmu: Path, inputs: Signals) -> FmuRun | str:
    from armtwin.fmu.run.with_fmpy import run_with_fmpy

    try:
        return run_with_fmpy(fmu, inputs)
    except ArmTwinError as error:
        return str(error)


def _compared(arm: Arm, prepared: PreparedRecording, run: FmuRun) -> Check:
    """Return the check of the recording, with the FMU's outputs in the twin's place."""
    check = validate(arm, prepared.recording, efforts=False)
    poses = recorded_poses(prepared.recording)
    if poses is None:
        return check
    values = run.values[poses.rows]
    twin = Coordinates(values[:, :3], values[:, 3:6], values[:, 6:10])
    signals = tuple(pose_signals(poses, twin))
    return replace(check, signals=signals, table=tuple(s.metrics for s in signals))


def _reproduction(
    arm: Arm, fmu: Path, inputs: Signals, run: FmuRun, fmpy: FmuRun | str, check: Check
) -> Reproduction:
    results = [
        DocumentResult(
            "FMU against the Python model, largest difference", _off(arm, inputs, run), "", SAME
        )
    ]
    if isinstance(fmpy, FmuRun):
        off = float(np.abs(run.values - fmpy.values).max())
        results.append(DocumentResult("FMPy against our runner, largest difference", off, "", SAME))
    results += [
        DocumentResult(f"Table 5, {row.signal} {figure}", float(getattr(row, figure)), row.unit)
        for row in check.table
        if row.signal in ("position", "quaternion")
        for figure in ("mae", "rmse", "max")
    ]
    lag = _lag_alone(run)
    results.append(DocumentResult("one row of lag would add to the position, RMS", 1e3 * lag, "mm"))
    return Reproduction(
        name="fmu-report",
        document="S. Kahraman, Technical Report - UR10e Cobot Arm Forward Kinematics FMU Model "
        "Validation (ASRLab, 14 June 2025), through a native FMU",
        figures=tuple(table_4(fmu)) if arm.name == "ur10e-report" else (),
        results=tuple(results),
        notes=(*NOTES, *([fmpy] if isinstance(fmpy, str) else [])),
    )


def _off(arm: Arm, inputs: Signals, run: FmuRun) -> float:
    q = np.column_stack([inputs.columns[f"q{n}"] for n in range(1, 7)])
    where = tool_coordinates(arm, q, ignore_limits=True)
    python = np.hstack([where.position, where.rpy, where.quaternion])
    return float(np.abs(run.values - python).max())


def _lag_alone(run: FmuRun) -> float:
    """Return the RMS distance between the tool's positions one row apart [m]."""
    step = np.diff(run.values[:, :3], axis=0)
    return float(np.sqrt((step**2).sum(axis=1).mean()))


def table_4(fmu: Path) -> list[Figure]:
    """Return every printed output of Table 4 beside what the FMU gives for Table 3's joints."""
    rows = [row for row in table("fk_report.csv") if row["x"]]
    times = np.array([float(row["time"]) for row in rows])
    joints = {f"q{n}": np.array([float(row[f"q{n}"]) for row in rows]) for n in range(1, 7)}
    ours: Array = run_fmu(fmu, Signals(times, joints)).values
    return [
        Figure(
            f"Table 4, t = {row['time']}", f"{name} {unit}".strip(), float(row[name]),
            float(value), LAST_DIGIT,
        )
        for row, values in zip(rows, ours, strict=True)
        for (name, unit), value in zip(OUTPUTS.items(), values, strict=True)
    ]  # fmt: skip
