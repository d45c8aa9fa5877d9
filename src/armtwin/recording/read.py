"""Reading of recordings: from a file of any format to a ``Recording`` with processing notes."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from armtwin.errors import InputError, RecordingError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.progress import OnProgress, report_step
from armtwin.recording.columns.dialects import Dialect, find_dialect
from armtwin.recording.columns.guess import UR_JOINTS, guess
from armtwin.recording.columns.mapping import Mapping
from armtwin.recording.draft import Draft, make_draft
from armtwin.recording.files.open_file import read_table
from armtwin.recording.files.saved import saved_mapping
from armtwin.recording.preparation.infer_units import settle
from armtwin.recording.recording import Recording
from armtwin.recording.table import RawTable

MappingLike = str | Path | Dict[str, Any] | Dialect | Mapping


def read_recording(
    path: str | Path,
    arm: ArmLike | None = None,
    *,
    mapping: MappingLike | None = None,
    angles: str | None = None,
    run: float | None = None,
    on_progress: OnProgress | None = None,
) -> Recording:
    """Return the recording in a file: CSV (also .gz), XLSX, Parquet or a ROS 2 bag.

    Columns are recognised by their names (see docs/recordings.md), converted to SI, and what
    was done is noted in ``recording.notes``.

    Args:
        path: the file, or a bag's folder.
        arm: the arm, its name or file; its joints' names put the file's joints in order.
        mapping: a TOML file that names the columns, a bundled dialect's name, or a Mapping.
        angles: "deg" or "rad"; without it headers and values decide.
        run: which run, where the file holds several.
        on_progress: called as the file is read; raise from it to cancel.

    Raises:
        RecordingError: no such file, or it is no table; several runs and none chosen.
        MissingColumnError: columns that the mapping or the arm needs are not there.
        ClockError: time stamps are missing, repeated or run backwards.
    """
    report_step(on_progress, f"reading {Path(path).name}", 0.0)
    draft = read_draft(path, arm, mapping=mapping, angles=angles, run=run)
    report_step(on_progress, "checking clock and columns", 0.8)
    return draft.recording()


def read_recordings(
    path: str | Path,
    arm: ArmLike | None = None,
    *,
    mapping: MappingLike | None = None,
    angles: str | None = None,
    on_progress: OnProgress | None = None,
) -> list[Recording]:
    """Return every run of a file whose runs are numbered by a column, in the file's order.

    Args:
        path: the file, as in ``read_recording``.
        arm: the arm, its catalogue name or its file, for the order of its joints.
        mapping: names of the file's columns, where the guess is wrong.
        angles: "deg" or "rad"; without it headers and values decide.
        on_progress: called before each run; raise from it to cancel.
    """
    chosen = _arm(arm)
    report_step(on_progress, f"reading {Path(path).name}", 0.0)
    table, rules = _read(path, chosen, mapping, angles)
    _refuse_bad_cells(table)
    if rules.run is None:
        return [make_draft(table, rules, chosen).recording()]
    runs = dict.fromkeys(table.columns[rules.run].tolist())
    found = []
    for place, number in enumerate(runs):
        report_step(on_progress, f"run {number:g}", 0.5 + 0.5 * place / len(runs))
        found.append(_draft_of_run(table, rules, chosen, number).recording())
    return found


def guess_mapping(
    path: str | Path,
    arm: ArmLike | None = None,
    *,
    mapping: MappingLike | None = None,
    angles: str | None = None,
) -> Mapping:
    """Return which column of a file is taken for what; print it to see it as a table.

    Args:
        path: the file, as in ``read_recording``.
        arm: the arm, its catalogue name or its file, for the order of its joints.
        mapping: rules that come before the guess: a mapping, its TOML file or a dialect's name.
        angles: "deg" or "rad"; without it headers and values decide.
    """
    return _read(path, _arm(arm), mapping, angles)[1]


def read_draft(
    path: str | Path,
    arm: ArmLike | None = None,
    *,
    mapping: MappingLike | None = None,
    angles: str | None = None,
    run: float | None = None,
    repair: bool = False,
) -> Draft:
    """Return a file's columns before their clock is checked.

    Args:
        path: as in ``read_recording``, like the others.
        arm: the arm, its name or file.
        mapping: how columns are named.
        angles: "deg" or "rad".
        run: which run.
        repair: take misprinted cells for gaps where reading would refuse them.
    """
    chosen = _arm(arm)
    table, rules = _read(path, chosen, mapping, angles)
    if repair and table.bad:
        table.notes.append(f"{len(table.bad)} cells without a number became gaps: {table.bad[0]}")
    elif not repair:
        _refuse_bad_cells(table)
    if rules.run is None:
        _refuse_run(table, run)
        return make_draft(table, rules, chosen)
    runs = list(dict.fromkeys(table.columns[rules.run].tolist()))
    if run is None and len(runs) > 1:
        numbers = ", ".join(f"{number:g}" for number in runs[:12])
        raise RecordingError(
            f"{table.origin} holds {len(runs)} runs in column {rules.run!r}: {numbers}"
            f"{', ...' if len(runs) > 12 else ''}; choose one (run=, --run) or read all of them "
            "with read_recordings"
        )
    return _draft_of_run(table, rules, chosen, runs[0] if run is None else run)


def _refuse_run(table: RawTable, run: float | None) -> None:
    if run is not None and "units" in table.metadata:
        raise RecordingError(
            f"{table.origin} was saved by armtwin as one recording, so there is no run {run:g} to "
            "choose; leave the run out"
        )


def _draft_of_run(table: RawTable, rules: Mapping, arm: Arm | None, number: float) -> Draft:
    chosen = table.columns[rules.run or ""] == number
    if not chosen.any():
        raise RecordingError(f"{table.origin}: no run {number:g} in column {rules.run!r}")
    part = RawTable(
        f"{table.origin}, run {number:g}", notes=list(table.notes), metadata=table.metadata
    )
    part.columns = {name: values[chosen] for name, values in table.columns.items()}
    return make_draft(part, rules, arm)


def _refuse_bad_cells(table: RawTable) -> None:
    if table.bad:
        more = f" and {len(table.bad) - 3} more" if len(table.bad) > 3 else ""
        cells = "; ".join(str(cell) for cell in table.bad[:3])
        raise RecordingError(
            f"{table.origin}: {cells}{more}: no number; correct the file, or let "
            "'armtwin prepare' treat such cells as gaps"
        )


def _arm(arm: Arm | str | Path | None) -> Arm | None:
    return None if arm is None else as_arm(arm)


def _read(
    path: str | Path, arm: Arm | None, mapping: MappingLike | None, angles: str | None
) -> tuple[RawTable, Mapping]:
    """Return a file's table and the settled mapping of its columns."""
    table = read_table(Path(path))
    if isinstance(mapping, Mapping):
        return table, mapping
    joints = _joint_names(table, arm)
    dialect = mapping if isinstance(mapping, Dialect) else mapping and find_dialect(mapping)
    if "units" in table.metadata:
        return table, _saved_rules(table, dialect or None, joints, angles)
    guessed = guess(list(table.columns), joints, dialect or None, table.text)
    return table, settle(guessed, table, angles or ("rad" if table.joints else None))


def _saved_rules(
    table: RawTable, dialect: Dialect | None, joints: Sequence[str], angles: str | None
) -> Mapping:
    """Return the rules for a file that armtwin wrote: its own names and units, nothing guessed."""
    if dialect is not None:
        given = dialect.mapping(list(table.columns), joints, strict=True)
        return settle(saved_mapping(table, given), table, angles or "rad")
    _refuse_degrees(table, angles)
    return saved_mapping(table)


def _refuse_degrees(table: RawTable, angles: str | None) -> None:
    if angles not in (None, "rad"):
        raise InputError(
            f"{table.origin} was saved by armtwin and says that its angles are radians, but "
            f"angles are given as {angles!r}; leave that out, or name the unit of each column in a "
            "mapping file"
        )


def _joint_names(table: RawTable, arm: Arm | None) -> Sequence[str]:
    """Return the joints' names in the order in which they are numbered."""
    names = [joint.name for joint in arm.driven] if arm else list(UR_JOINTS)
    if not table.joints or any(name in given for name in names for given in table.joints):
        return names
    table.notes.append(f"joints are numbered as recorded: {', '.join(table.joints)}")
    return table.joints


RecordingLike = Recording | str | Path
"""A recording or its file."""


def as_recording(recording: RecordingLike, arm: ArmLike | None = None) -> Recording:
    """Return a recording as it is, or read it from its file.

    Args:
        recording: the recording or its file.
        arm: the arm, its catalogue name or its file, for the order of its joints.

    Raises:
        InputError: neither a recording nor a path.
    """
    if isinstance(recording, Recording):
        return recording
    if isinstance(recording, str | Path):
        return read_recording(recording, arm)
    raise InputError(
        f"expected a Recording or a file, got {type(recording).__name__} {recording!r:.80}; "
        "make one with armtwin.Recording.of(time, {'q': q})"
    )
