"""The schema of a study file (TOML).

verb = "detect"
seed = 1
repeats = 3

[fixed]
arm = "ur10e"
simulate.path.seconds = 4
simulate.push = { joint = 2, start = 2.5, duration = 0.3 }

[sweep]
simulate.push.torque = [5, 10, 20, 40]
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from armtwin.errors import InputError
from armtwin.files import parse_toml
from armtwin.model.formats.arm_file.faults import explain
from armtwin.studies.planning.distributions import is_distribution

VERBS = ("simulate", "detect", "identify", "optimize", "validate")


class RecordingsTable(BaseModel):
    """The recordings that a verb is run on.

    Attributes:
        folder: a folder, relative to the study file, or a URI (``s3://bucket/runs``).
        pattern: of the file names, within folders too.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    folder: str
    pattern: str = "*"


class StudyFile(BaseModel):
    """A study: a verb, and the values of its parameters in every row.

    Attributes:
        verb: the verb that is run.
        name: of the study; that of the file if not given.
        seed: of all random numbers.
        repeats: how often every combination is run, each with random numbers of its own.
        figures: figures that the report shows first; those of the verb if not given.
        fixed: parameters with one value.
        sweep: parameters with a list of values; every combination of them is run.
        random: parameters with a distribution.
        recordings: recordings to run on; else ``simulate.*`` describes simulated ones.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    verb: Literal["simulate", "detect", "identify", "optimize", "validate"]
    name: str | None = Field(default=None, pattern=r"^[\w. -]+$")
    seed: int = Field(default=0, ge=0)
    repeats: int = Field(default=1, ge=1, le=10_000_000)
    figures: list[str] = []
    fixed: dict[str, Any] = {}
    sweep: dict[str, Any] = {}
    random: dict[str, Any] = {}
    recordings: RecordingsTable | None = None

    def fixed_values(self) -> dict[str, Any]:
        """Return the fixed parameters by dotted name."""
        return flattened(self.fixed, lambda value: not isinstance(value, Mapping))

    def sweep_values(self) -> dict[str, Any]:
        """Return the lists of the swept parameters by dotted name."""
        found = flattened(self.sweep, lambda value: not isinstance(value, Mapping))
        for name, values in found.items():
            if not isinstance(values, list) or not values:
                raise InputError(f"[sweep] {name} = {values!r}; give a list of values")
        return found

    def random_values(self) -> dict[str, Any]:
        """Return the distributions by dotted name."""
        return flattened(
            self.random, lambda value: is_distribution(value) or not isinstance(value, Mapping)
        )


StudyLike = StudyFile | Mapping[str, Any] | str | Path
"""A study, its content as a dictionary, or its file."""


def read_study(source: StudyLike) -> tuple[StudyFile, str, Path]:
    """Return a study, its name and the folder that its files are relative to.

    Raises:
        InputError: no such file, no TOML, or no study; with the line of the fault.
    """
    if isinstance(source, StudyFile):
        return source, source.name or "study", Path()
    if isinstance(source, Mapping):
        found = _validated(dict(source), "", "the study")
        return found, found.name or "study", Path()
    if not isinstance(source, str | Path):
        raise InputError(f"expected a study file or its content, got {type(source).__name__}")
    path = Path(source)
    if not path.is_file():
        raise InputError(f"no such file: {path}; give a study file (.toml), see docs/studies.md")
    try:
        text = path.read_text(encoding="utf-8")
        content = parse_toml(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: cannot be read as a study file: {error}") from error
    found = _validated(content, text, str(path))
    return found, found.name or path.stem, path.parent


def flattened(
    tree: Mapping[str, Any], is_leaf: Callable[[Any], bool], prefix: str = ""
) -> dict[str, Any]:
    """Return the leaves of nested tables by dotted name.

    Args:
        tree: the tables.
        is_leaf: whether a value is no further table.
        prefix: the beginning of the names.
    """
    found: dict[str, Any] = {}
    for name, value in tree.items():
        if is_leaf(value):
            found[prefix + name] = value
        else:
            found |= flattened(value, is_leaf, f"{prefix}{name}.")
    return found


def _validated(content: dict[str, Any], text: str, where: str) -> StudyFile:
    try:
        return StudyFile.model_validate(content)
    except ValidationError as error:
        raise InputError(f"{where}: {explain(error, text, StudyFile)}") from error
