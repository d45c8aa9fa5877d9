"""The rows of a study: every combination of its values, each with a seed and a content key."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armtwin import __version__
from armtwin.errors import InputError
from armtwin.report.inputs import fingerprint
from armtwin.storage import is_uri
from armtwin.studies.planning.distributions import distribution
from armtwin.studies.planning.recordings import StoredRecording, stored_recordings
from armtwin.studies.planning.study_file import StudyFile, StudyLike, read_study
from armtwin.studies.planning.study_parameters import REQUIRED, StudyParameter, refuse_unknown
from armtwin.studies.runs.verbs import RECORDED, SIMULATED, VERBS, parameters

MAX_ROWS = 10_000_000
"""Limit of a study, which is planned in memory; found before any row is made."""


@dataclass(frozen=True)
class StudyRow:
    """One run of a study.

    Attributes:
        row: its number, from 0.
        inputs: parameters by dotted name, as they are run.
        key: SHA-256 of everything that its result depends on.
        seed: of its simulated noise, by row number; None where nothing is simulated.
        recording: the recording that it is run on, if any.
    """

    row: int
    inputs: Mapping[str, Any]
    key: str
    seed: int | None
    recording: StoredRecording | None

    def order(self, verb: str) -> dict[str, Any]:
        """Return the row as plain data for a worker."""
        return {
            "key": self.key,
            "verb": verb,
            "inputs": dict(self.inputs),
            "place": self.recording and self.recording.place,
            "seed": 0 if self.seed is None else self.seed,
            "version": __version__,
        }

    def columns(self) -> dict[str, Any]:
        """Return the inputs as columns of the table: the parameters, the recording, the seed."""
        found = dict(self.inputs)
        if self.recording is not None:
            found["recording"] = self.recording.name
        if self.seed is not None:
            found["seed"] = self.seed
        return found


@dataclass(frozen=True)
class StudyPlan:
    """A study that can be run.

    Attributes:
        name: of the study.
        study: the study file.
        rows: its rows, in order.
        varied: inputs that differ from row to row.
    """

    name: str
    study: StudyFile
    rows: tuple[StudyRow, ...]
    varied: tuple[str, ...]

    @property
    def headline(self) -> tuple[str, ...]:
        """Figures that the report shows first."""
        return tuple(self.study.figures) or VERBS[self.study.verb].headline


def make_plan(source: StudyLike) -> StudyPlan:
    """Return the rows of a study after all of its names and types were checked.

    Raises:
        InputError: an unknown parameter, a value of another type, no arm, no recordings, or too
            many rows.
    """
    study, name, root = read_study(source)
    known = _known(study)
    fixed, sweep, random = _checked(study, known, name, root)
    stored = [None] if study.recordings is None else stored_recordings(study.recordings, root)
    count = len(stored) * study.repeats
    for values in sweep.values():
        count *= len(values)
    if count > MAX_ROWS:
        raise InputError(f"{name} has {count} rows; {MAX_ROWS} is the most: sweep fewer values")
    draws = {key: distribution(key, value) for key, value in sorted(random.items())}
    rows, prints = [], dict[str, str]()
    combined = itertools.product(*sweep.values(), stored, range(study.repeats))
    for number, (*values, recording, _) in enumerate(combined):
        runs, drawn = np.random.SeedSequence(study.seed, spawn_key=(number,)).spawn(2)
        inputs = fixed | dict(zip(sweep, values, strict=True))
        if draws:
            generator = np.random.default_rng(drawn)
            inputs |= {key: draw(generator) for key, draw in draws.items()}
        rows.append(_row(study, number, inputs, recording, int(runs.generate_state(1)[0]), prints))
    extra = [*(["recording"] if len(stored) > 1 else []), *(["seed"] if _seeded(study) else [])]
    return StudyPlan(name, study, tuple(rows), (*sweep, *draws, *extra))


def _known(study: StudyFile) -> dict[str, StudyParameter]:
    """Return the parameters that a study may set."""
    verb = VERBS[study.verb]
    if study.recordings is not None and not verb.on_recordings:
        raise InputError(f"{study.verb} is not run on recordings; leave [recordings] out")
    return parameters(study.verb, simulated=verb.on_recordings and study.recordings is None)


def _seeded(study: StudyFile) -> bool:
    """Return whether the rows simulate, and so draw noise."""
    return study.recordings is None and study.verb != "optimize"


def _checked(
    study: StudyFile, known: Mapping[str, StudyParameter], name: str, root: Path
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return fixed, swept and random parameters after checks, with files as absolute paths.

    Args:
        study: the study file.
        known: its parameters.
        name: of the study, for messages.
        root: folder that files are relative to.
    """
    fixed, sweep, random = study.fixed_values(), study.sweep_values(), study.random_values()
    _refuse_wrong_distributions(random, known)
    refuse_unknown([*fixed, *sweep, *random], known, name)
    names = [*fixed, *sweep, *random]
    if twice := sorted({one for one in names if names.count(one) > 1}):
        raise InputError(f"{name}: {', '.join(twice)} is given twice among fixed, sweep and random")
    missing = [one.name for one in known.values() if one.default is REQUIRED]
    if missing := [one for one in missing if one not in names]:
        raise InputError(f"{name}: give {', '.join(missing)} in [fixed] or [sweep]")
    fixed = {key: _value(known[key], value, root) for key, value in fixed.items()}
    sweep = {key: [_value(known[key], one, root) for one in sweep[key]] for key in sweep}
    return fixed, sweep, random


def _refuse_wrong_distributions(
    random: Mapping[str, Any], known: Mapping[str, StudyParameter]
) -> None:
    for name, value in random.items():
        parent, _, kind = name.rpartition(".")
        if name not in known and parent in known:
            distribution(parent, {kind: value})
        if not isinstance(value, Mapping) and name in known:
            distribution(name, {"": value})


def _value(parameter: StudyParameter, value: Any, root: Path) -> Any:
    """Return a value after a check of its type; a file's name as an absolute path.

    Args:
        parameter: the parameter.
        value: as the study file has it.
        root: folder that files are relative to.
    """
    parameter.check(value)
    is_name = isinstance(value, str) and value not in (SIMULATED, RECORDED)
    if is_name and (parameter.is_file or parameter.name.endswith((".file", ".points"))):
        path = root / value
        return str(path.resolve()) if not is_uri(value) and path.is_file() else value
    return value


def _row(
    study: StudyFile,
    number: int,
    inputs: dict[str, Any],
    recording: StoredRecording | None,
    seed: int,
    prints: dict[str, str],
) -> StudyRow:
    """Return a row with its key.

    Args:
        study: the study file.
        number: of the row.
        inputs: parameters by name.
        recording: the recording, if any.
        seed: of the row.
        prints: fingerprints of files by path.
    """
    used = seed if _seeded(study) else None
    content = {
        "armtwin": __version__,
        "verb": study.verb,
        "inputs": inputs,
        "files": _files(inputs.values(), prints),
        "recording": recording and [recording.name, recording.version],
        "seed": used,
    }
    text = json.dumps(content, sort_keys=True, default=str)
    return StudyRow(number, inputs, hashlib.sha256(text.encode()).hexdigest(), used, recording)


def _files(values: Any, prints: dict[str, str]) -> list[str]:
    """Return the fingerprints of the files that parameters name.

    Args:
        values: of the parameters.
        prints: fingerprints by path, "" for what is no file; filled as files are met.
    """
    texts = [value for value in values if isinstance(value, str) and Path(value).is_absolute()]
    for text in texts:
        if text not in prints:
            prints[text] = fingerprint(text)[1] if Path(text).is_file() else ""
    return [prints[text] for text in texts if prints[text]]


def input_names(rows: Sequence[StudyRow]) -> list[str]:
    """Return the names of the input columns, in the order of the first row."""
    return list(rows[0].columns()) if rows else []
