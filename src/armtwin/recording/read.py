"""Reading of recordings: from a file of any format to a ``Recording`` with processing notes."""

from __future__ import annotations

from pathlib import Path

from armtwin.errors import InputError, RecordingError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.progress import OnProgress, report_step
from armtwin.recording.columns.mapping import Mapping
from armtwin.recording.draft import Draft, make_draft
from armtwin.recording.files.open_file import is_signal_folder
from armtwin.recording.folder import read_folder
from armtwin.recording.recording import Recording
from armtwin.recording.settled_table import MappingLike as MappingLike
from armtwin.recording.settled_table import read_settled
from armtwin.recording.table import RawTable


def read_recording(
    path: str | Path,
    arm: ArmLike | None = None,
    *,
    mapping: MappingLike | None = None,
    angles: str | None = None,
    run: float | None = None,
    on_progress: OnProgress | None = None,
) -> Recording:
    """Return the recording in a file: CSV (also .gz), XLSX, Parquet, a ROS bag, a LeRobot dataset.

    Columns are recognised by their names (see docs/recordings.md), converted to SI, and what
    was done is noted in ``recording.notes``.

    Args:
        path: the file; the folder of a bag, of a LeRobot dataset, or with a table per signal.
        arm: the arm, its name or file; its joints' names put the file's joints in order.
        mapping: a TOML file that names the columns, one line (``q = columns 2-7``), a bundled
            dialect's name, or a Mapping.
        angles: "deg" or "rad"; without it headers and values decide.
        run: which run, where the file holds several.
        on_progress: called as the file is read; raise from it to cancel.

    Raises:
        RecordingError: no such file, or it is no table; several runs and none chosen.
        MissingColumnError: columns that the mapping or the arm needs are not there.
        ClockError: time stamps are missing, repeated or run backwards.
    """
    report_step(on_progress, f"reading {Path(path).name}", 0.0)
    if is_signal_folder(Path(path)):
        return _from_folder(path, _arm(arm), mapping, angles)
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
    if is_signal_folder(Path(path)):
        return [_from_folder(path, chosen, mapping, angles)]
    table, rules = read_settled(path, chosen, mapping, angles)
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
    """Return the guessed mapping of a file's columns; print it to see a table.

    Args:
        path: the file, as in ``read_recording``.
        arm: the arm, its catalogue name or its file, for the order of its joints.
        mapping: rules that come before the guess: a mapping, its TOML file or a dialect's name.
        angles: "deg" or "rad"; without it headers and values decide.
    """
    return read_settled(path, _arm(arm), mapping, angles)[1]


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
    if is_signal_folder(Path(path)):
        raise RecordingError(
            f"folder {Path(path).name} holds a table per signal: prepare its files one by one"
        )
    table, rules = read_settled(path, chosen, mapping, angles)
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


def _from_folder(
    path: str | Path, arm: Arm | None, mapping: MappingLike | None, angles: str | None
) -> Recording:
    """Return the recording of a folder with a table per signal."""

    def read_one(file: Path) -> Recording:
        table, rules = read_settled(file, arm, mapping, angles, in_folder=True)
        _refuse_bad_cells(table)
        return make_draft(table, rules, arm).recording()

    return read_folder(Path(path), read_one)


RecordingLike = Recording | str | Path
"""A recording or its file."""


def as_recording(
    recording: RecordingLike,
    arm: ArmLike | None = None,
    *,
    mapping: MappingLike | None = None,
) -> Recording:
    """Return a recording as it is, or read it from its file.

    Args:
        recording: the recording or its file.
        arm: the arm, its catalogue name or its file, for the order of its joints.
        mapping: names of the file's columns, where the guess is wrong.

    Raises:
        InputError: neither a recording nor a path.
    """
    if isinstance(recording, Recording):
        return recording
    if isinstance(recording, str | Path):
        return read_recording(recording, arm, mapping=mapping)
    raise InputError(
        f"expected a Recording or a file, got {type(recording).__name__} {recording!r:.80}; "
        "make one with armtwin.Recording.of(time, {'q': q})"
    )
