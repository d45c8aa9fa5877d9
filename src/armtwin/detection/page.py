"""The page of a run: how well the arm followed, and which contacts were detected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm
from armtwin.recording.recording import Recording
from armtwin.report.numbers import with_unit
from armtwin.report.page import (
    Chart,
    Curve,
    Page,
    Panel,
    Paths,
    Section,
    Shade,
    Table,
    Text,
    Verdict,
)
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.detection.result import Detection

MIN_TORQUE = 1e-6
"""External torque above which a simulated run counts as in contact [Nm]; below it is rounding."""
MILLI = 1e3


def detection_page(detection: Detection) -> Page:
    """Return the page of a recording and the contacts detected in it."""
    return page(detection.model.arm, detection.recording, detection)


def page(arm: Arm, run: Recording, detection: Detection | None = None) -> Page:
    """Return the page of a run: tracking where it has targets, contacts where they were searched.

    Args:
        arm: the arm whose forward kinematics gives the tool.
        run: the recording.
        detection: the contacts detected in it; None where detection was not run.
    """
    sections = []
    if run.has("target_q"):
        sections.append(Section("Tracking in joint space", tuple(_joints(run))))
        sections.append(Section("Tracking in space", tuple(_tool(arm, run))))
    if detection is not None:
        sections.append(Section("Contacts", tuple(_contacts(run, detection))))
    reason = "" if detection is None else detection.reason
    return Page(
        title=f"Run of {run.arm or arm.name}",
        subtitle=f"{run.origin or 'recording'}, {run.duration:.6g} s at {run.rate:.6g} Hz",
        verdict=Verdict(None, reason) if reason else None,
        facts=tuple(_facts(arm, run, detection)),
        sections=tuple(sections),
        settings=(*[("done", line) for line in run.notes], ("arm fingerprint", arm.fingerprint)),
    )


def tracking(arm: Arm, run: Recording) -> Array:
    """Return the distance of the tool from where it should be (n,) [m].

    The true tool is used where the run has it, else the one of the measured joints.
    """
    wanted = fk(arm, run.group("target_q"), ignore_limits=True)[:, :3, 3]
    return np.asarray(np.linalg.norm(tool_path(arm, run) - wanted, axis=1))


def tool_path(arm: Arm, run: Recording) -> Array:
    """Return the tool's positions (n, 3) [m]: the true ones where known, else the measured."""
    if all(f"true_{axis}" in run.data for axis in "xyz"):
        return np.stack([run[f"true_{axis}"] for axis in "xyz"], axis=1)
    return np.asarray(fk(arm, run.q, ignore_limits=True)[:, :3, 3])


def truth(run: Recording) -> tuple[Shade, ...]:
    """Return the stretches of time with a true external torque, where the run has it."""
    names = [name for name in run.columns if name.startswith("tau_ext")]
    if not names:
        return ()
    external = np.abs(np.stack([run[name] for name in names], axis=1))
    in_contact = (external > MIN_TORQUE).any(axis=1)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], in_contact, [False]]).astype(int)))
    last = len(run) - 1
    return tuple(
        Shade("true contact", float(run.time[max(a - 1, 0)]), float(run.time[min(b - 1, last)]))
        for a, b in zip(edges[::2], edges[1::2], strict=True)
    )


def _facts(arm: Arm, run: Recording, detection: Detection | None) -> Iterator[tuple[str, str]]:
    yield "Arm", arm.title or arm.name
    if run.has("target_q"):
        off = tracking(arm, run)
        yield "Tracking RMS", with_unit(float(np.sqrt(np.mean(off**2))), "m", 3)
        yield "Tracking max", with_unit(float(off.max()), "m", 3)
    yield "Samples", f"{len(run):,}"
    if detection is not None:
        yield "Verdict", detection.verdict
        yield "Alarms", str(len(detection.alarms))


def _joints(run: Recording) -> Iterator[Chart | Text]:
    shades = truth(run)
    panels = [
        Panel(
            f"q{j + 1} [rad]",
            (Curve("target", run.time, run[f"target_q{j + 1}"], "dashes"),
             Curve("measured", run.time, run[f"q{j + 1}"])),
            shades,
        )
        for j in range(run.dof)
    ]  # fmt: skip
    yield Chart("Joints", "time [s]", tuple(panels))
    errors = [
        Panel(
            f"e{j + 1} [mrad]",
            (Curve("error", run.time, MILLI * (run[f"target_q{j + 1}"] - run[f"q{j + 1}"])),),
            shades,
        )
        for j in range(run.dof)
    ]
    yield Chart("Tracking error of the joints", "time [s]", tuple(errors))


def _tool(arm: Arm, run: Recording) -> Iterator[Chart | Paths]:
    wanted = fk(arm, run.group("target_q"), ignore_limits=True)[:, :3, 3]
    yield Paths("Path of the tool", "m", (("target", wanted), ("measured", tool_path(arm, run))))
    off = tracking(arm, run) * MILLI
    panel = Panel("distance [mm]", (Curve("tool from target", run.time, off),), truth(run))
    yield Chart("Distance of the tool from the path", "time [s]", (panel,))


def _contacts(run: Recording, found: Detection) -> Iterator[Chart | Table | Text]:
    heads = ("alarm [s]", "joint", "torque [Nm]", "end [s]", "outermost link")
    rows = tuple(
        (f"{a.time:.3f}", a.joint, f"{a.torque:.2f}", f"{a.end:.3f}", a.link) for a in found.alarms
    )
    if rows:
        yield Table(heads, rows, "Detected contacts")
    elif not found.reason:
        yield Text("No contact was detected.")
    yield Chart("External torque estimate", "time [s]", tuple(_residuals(run, found)))
    score = Panel("score [1]", (Curve("score", found.time, found.score), _level(found)), truth(run))
    yield Chart("Evidence against its threshold", "time [s]", (score,))
    for note in found.notes:
        yield Text(note, "note")


def _residuals(run: Recording, found: Detection) -> Iterator[Panel]:
    shades, middle = truth(run), len(found.thresholds.joints) // 2
    for j in range(found.residual.shape[1]):
        level = found.thresholds.joints[middle, j]
        ends = found.time[[0, -1]]
        lines = [Curve("estimate", found.time, found.residual[:, j])]
        if f"tau_ext{j + 1}" in run.data:
            lines.append(Curve("true", run.time, run[f"tau_ext{j + 1}"], "dashes"))
        lines += [Curve("threshold", ends, [s * level] * 2, "dashes", 6) for s in (1, -1)]
        yield Panel(f"joint {j + 1} [Nm]", tuple(lines), shades)


def _level(found: Detection) -> Curve:
    return Curve("threshold", found.time[[0, -1]], [1.0, 1.0], "dashes", 6)
