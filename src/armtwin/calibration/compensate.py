"""Correct the joint targets of a program, so that the real arm reaches the nominal poses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armtwin.calibration.data.frames import placed
from armtwin.errors import ArmTwinError, InputError, JointLimitError, MissingColumnError
from armtwin.kinematics.forward import fk
from armtwin.kinematics.inverse.numeric.converge import converge
from armtwin.kinematics.inverse.numeric.least_squares import SOLVED
from armtwin.kinematics.inverse.target import residual
from armtwin.kinematics.joint_limits import Bounds
from armtwin.kinematics.joints import degrees_hint, warn_if_degrees
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.progress import OnProgress, report_step
from armtwin.recording.columns.names import listed
from armtwin.recording.read import MappingLike, RecordingLike, as_recording
from armtwin.recording.recording import Recording
from armtwin.report.page import Page, Part, Section, Table, Text
from armtwin.report.result import Result
from armtwin.spatial import Array

CALIBRATED = "-calibrated"
"""Ending that ``calibrate`` adds to an arm's name."""
ROWS = 10_000
"""Rows between two reports of progress, about 0.2 s of work."""


@dataclass(frozen=True)
class Compensation(Result):
    """Corrected joint targets of a program.

    Attributes:
        arm: the calibrated arm.
        nominal: the arm that the program was made for.
        program: the program as given.
        corrected: the same program with corrected joints.
        errors: distance of the flange from its nominal position with the given joints (n,) [m].
        remaining: the same with the corrected joints (n,) [m].
        notes: joints outside the ranges that their error curves were measured in.
    """

    arm: Arm
    nominal: Arm
    program: Recording = field(repr=False)
    corrected: Recording = field(repr=False)
    errors: Array = field(repr=False)
    remaining: Array = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> Array:
        """Corrected minus given joint targets (n, dof) [rad | m]."""
        return np.asarray(self.corrected.q - self.program.q)

    def page(self) -> Page:
        """Return the result as a page."""
        sizes = [("as given", self.errors), ("corrected", self.remaining)]
        rows = tuple((n, len(e), float(e.mean()) * 1e3, float(e.max()) * 1e3) for n, e in sizes)
        heads = ("joint targets", "rows", "mean [mm]", "max [mm]")
        largest = np.abs(self.changes).max(axis=0) * 1e3
        joints = tuple((k, float(size)) for k, size in enumerate(largest, 1))
        parts: tuple[Part, ...] = (
            Table(heads, rows, "Distance of the flange from its nominal position, by the model"),
            Table(("joint", "largest change [mrad | mm]"), joints, "Changes of the targets"),
            *[Text(f"{note}.", "warning") for note in self.notes],
        )
        return Page(
            title=f"Compensation of {self.program.origin or 'a program'}",
            subtitle=f"joint targets for {self.arm.name}, made for {self.nominal.name}",
            sections=(Section("Result", parts),),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        return {
            "arm": self.arm.name,
            "nominal": self.nominal.name,
            "rows": len(self.errors),
            "error_mean": float(self.errors.mean()),
            "error_max": float(self.errors.max()),
            "remaining_max": float(self.remaining.max()),
            "largest_change": np.abs(self.changes).max(axis=0).tolist(),
            "notes": list(self.notes),
        }


def compensate(
    program: RecordingLike,
    arm: ArmLike,
    *,
    nominal: ArmLike | None = None,
    mapping: MappingLike | None = None,
    on_progress: OnProgress | None = None,
) -> Compensation:
    r"""Return a program's joint targets corrected for a calibrated arm.

    For every row the joints q' are found at which the calibrated arm's flange is where the nominal
    arm's is at q, both in the arm's own base frame:

    .. math:: T^{calibrated}_{0, flange}(q') = T^{nominal}_{0, flange}(q)

    by Newton steps from q. Base and tool of the calibration (of the measuring device) do not count.

    Args:
        program: file or recording with joint targets q1 ... qn [rad | m].
        arm: the calibrated arm or its file.
        nominal: the arm that the program was made for; None for the catalogue's arm whose name
            with "-calibrated" is the calibrated one's.
        mapping: names of the file's columns, where the guess is wrong.
        on_progress: called before every 10,000 rows; raise from it to cancel.

    Raises:
        MissingColumnError: the program has no joints.
        JointLimitError: a target beyond the nominal arm's limits.
        InputError: another number of joints; a row that the calibrated arm cannot reach, or only
            beyond its limits; no nominal arm.
    """
    calibrated = as_arm(arm)
    made_for = _nominal(calibrated) if nominal is None else as_arm(nominal)
    report_step(on_progress, "reading the program", 0.0)
    read = as_recording(program, calibrated, mapping=mapping)
    _check(read, calibrated, made_for)
    still = np.eye(4)
    bare, wanted = placed(calibrated, still, still), placed(made_for, still, still)
    goals = fk(wanted, read.q, ignore_limits=True)
    q, error = _corrected(bare, goals, read.q, on_progress)
    _check_reached(read, bare, q, residual(error))
    reached = [fk(bare, x, ignore_limits=True) for x in (read.q, q)]
    before, after = (np.linalg.norm((T - goals)[:, :3, 3], axis=1) for T in reached)
    note = f"joint targets corrected by armtwin for {calibrated.name}"
    corrected = read.with_columns({"q": q}).with_notes(note)
    notes = tuple(_outside(calibrated, q))
    return Compensation(calibrated, made_for, read, corrected, before, after, notes)


def _corrected(
    arm: Arm, goals: Array, q: Array, on_progress: OnProgress | None
) -> tuple[Array, Array]:
    """Return the joints at which an arm reaches its goals, and their pose errors (n, 6).

    Args:
        arm: the calibrated arm without base and tool.
        goals: poses of the flange (n, 4, 4).
        q: joints to start from (n, dof).
        on_progress: called before every 10,000 rows.
    """
    bounds, found, errors = (
        Bounds.of(arm, ignore_limits=True),
        np.empty_like(q),
        np.empty((len(q), 6)),
    )
    for first in range(0, len(q), ROWS):
        report_step(on_progress, "correcting the joint targets", first / len(q))
        rows = slice(first, first + ROWS)
        found[rows], errors[rows] = converge(
            arm, goals[rows].reshape(-1, 16), q[rows], bounds, steps=60
        )
    return found, errors


def _nominal(arm: Arm) -> Arm:
    try:
        return as_arm(arm.name.removesuffix(CALIBRATED))
    except ArmTwinError as error:
        raise InputError(
            f"the arm that the program was made for is not known: no catalogue arm belongs to "
            f"{arm.name!r}; name it (--nominal)"
        ) from error


def _check(program: Recording, arm: Arm, nominal: Arm) -> None:
    name = program.origin or "the program"
    if not program.has("q"):
        raise MissingColumnError(
            f"{name}: has no joint targets q1..q{arm.dof}; it has {listed(program.columns)}; name "
            "them with a mapping file"
        )
    if not program.dof == arm.dof == nominal.dof:
        raise InputError(
            f"{name} has {program.dof} joints, {arm.name!r} {arm.dof} and {nominal.name!r} "
            f"{nominal.dof}; they must be equal"
        )
    if not np.isfinite(program.q).all():
        row = int(np.flatnonzero(~np.isfinite(program.q).all(axis=1))[0])
        raise InputError(f"{name}: row {row + 1} lacks a joint target; give all joints in all rows")
    beyond = _beyond(nominal, program.q)
    if beyond.any():
        warn_if_degrees(nominal, program.q)
        row, joint = (int(k) for k in np.argwhere(beyond)[0])
        value, low, high = program.q[row, joint], nominal.lower[joint], nominal.upper[joint]
        raise JointLimitError(
            f"{name}: joint {joint + 1} ({nominal.driven[joint].name}) in row {row + 1} is "
            f"{value:.6g}; its limits are {low:.6g} to {high:.6g}; "
            f"{degrees_hint(nominal, program.q, joint, float(value))}move this target inwards, or "
            f"correct the limits in the arm file of {nominal.name!r}"
        )


def _beyond(arm: Arm, q: Array) -> NDArray[np.bool_]:
    """Return which joints of joint vectors (n, dof) are beyond an arm's limits."""
    bounds = Bounds.of(arm)
    return np.asarray((q < bounds.lower) | (q > bounds.upper))


def _check_reached(program: Recording, arm: Arm, q: Array, residuals: Array) -> None:
    """Raise InputError for the first row that is not reached, or beyond the limits."""
    name = program.origin or "the program"
    lost = np.flatnonzero(residuals > SOLVED)
    if lost.size:
        raise InputError(
            f"{name}: {lost.size} of {len(q)} rows cannot be corrected, row {lost[0] + 1} first: "
            f"the arm comes no nearer than {residuals[lost[0]]:.2g} (m, rad) to the nominal pose; "
            "it is singular there or at the end of its reach, move these targets"
        )
    beyond = np.flatnonzero(_beyond(arm, q).any(axis=1))
    if beyond.size:
        raise InputError(
            f"{name}: {beyond.size} of {len(q)} corrected rows are beyond the joint limits of "
            f"{arm.name!r}, row {beyond[0] + 1} first; move these targets inwards"
        )


def _outside(arm: Arm, q: Array) -> Iterator[str]:
    """Yield a note per joint whose targets lie where its error curve was not measured."""
    for number, (joint, angles) in enumerate(zip(arm.driven, q.T, strict=True), 1):
        if joint.error_curve is None or not joint.error_curve.visited:
            continue
        turned = (angles + np.pi) % (2 * np.pi) - np.pi
        ranges = joint.error_curve.visited
        inside = np.any([(low <= turned) & (turned <= high) for low, high in ranges], axis=0)
        if not inside.all():
            yield (
                f"joint {number}: {int((~inside).sum())} of {len(q)} targets lie outside the "
                "angles that its error curve was measured at, and are not corrected for it"
            )
