"""Dialects: TOML files that define how a kind of file names its columns.

.. code-block:: toml

    title = "what kind of file"
    requires = ["timestamp", "actual_q_0"]   # recognised by these; none: used by name only
    timed = true                             # false: rows are poses without a clock
    euler = "XYZ"                            # rx ry rz are these angles, not a rotation vector
    run = "trajectory"                       # column that numbers the runs
    drop = ["column"]
    [columns]
    time = { from = "t_us", unit = "us" }
    "q{joint}" = "actual_q_{index}"          # {joint} from 1, {index} from 0, {name} of the arm
    tau1 = { from = "Torque A1", scale = -1.0 }
    qd = "columns 8-13"                      # by place, in tables without a header
    [files."motor*.csv".columns]             # instead, for files of this name
    tau = "columns 2-7"

Mappings of bags with several robots may have ``topic`` or ``prefix`` (``files/bags/choice``) as
well, or these alone. The same format serves users: the columns that such a file does not name are
guessed. A mapping may also be one line, ``q = columns 2-7; tau = columns 8-13`` (``ranges``).
"""

from __future__ import annotations

import difflib
import fnmatch
import functools
import re
import tomllib
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armtwin.errors import InputError, MissingColumnError, RecordingError
from armtwin.files import parse_toml
from armtwin.recording.columns.mapping import Mapping, Rule
from armtwin.recording.columns.names import unit_of
from armtwin.recording.columns.ranges import is_line, pairs, parsed_line, place
from armtwin.units import factor

FOLDER = Path(__file__).parent / "dialect_files"
MAX_JOINTS = 32
"""Joints for which a rule is expanded; the app's API takes as many at most."""
_KEYS = {"title", "requires", "timed", "euler", "run", "drop", "angles", "columns"}


@dataclass(frozen=True)
class Entry:
    """One line of a dialect: templates of a column's name here and in the file."""

    target: str
    source: str
    unit: str = ""
    scale: float = 1.0


@dataclass(frozen=True)
class Dialect:
    """Column names of a kind of file; see the module for the format.

    ``ask_angles``: neither headers nor values show the unit of the angles; it must be given.
    """

    name: str
    entries: tuple[Entry, ...]
    requires: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    euler: str | None = None
    timed: bool = True
    run: str | None = None
    ask_angles: bool = False

    def suits(self, headers: Sequence[str]) -> bool:
        """Return whether a file with these headers is of this kind."""
        return bool(self.requires) and set(self.requires) <= set(headers)

    def mapping(self, headers: Sequence[str], joints: Sequence[str], *, strict: bool) -> Mapping:
        """Return the rules for a file's headers.

        Args:
            headers: the file's columns.
            joints: the joints' names, for templates with ``{name}``.
            strict: raise where a plainly named column does not exist.
        """
        rules: list[Rule] = []
        for entry in self.entries:
            found = _rules(entry, headers, joints, f"dialect {self.name}")
            if not found and place(entry.source) is not None:
                found = _placed(entry, headers, self.name)
            if strict and not found:
                raise _no_column(self.name, entry, headers)
            rules += found
        dropped = tuple(name for name in self.drop if name in headers)
        return Mapping(
            tuple(rules), (), dropped, self.euler, self.timed, self.run, ask_angles=self.ask_angles
        )


def _rules(entry: Entry, headers: Sequence[str], joints: Sequence[str], why: str) -> list[Rule]:
    if "{" not in entry.target:
        unit = entry.unit or unit_of(entry.target) or ""
        known = entry.source in headers
        return [Rule(entry.source, entry.target, unit, why, entry.scale)] if known else []
    rules: list[Rule] = []
    for number in range(1, MAX_JOINTS + 1):
        name = joints[number - 1] if number <= len(joints) else ""
        source = entry.source.format(joint=number, index=number - 1, name=name)
        target = entry.target.format(joint=number, index=number - 1, name=name)
        if source in headers:
            unit = entry.unit or unit_of(target) or ""
            rules.append(Rule(source, target, unit, why, entry.scale))
    return rules


def _placed(entry: Entry, headers: Sequence[str], name: str) -> list[Rule]:
    """Return the rules of columns that are given by their place."""
    found = pairs(entry.target, entry.source, headers, name)
    return [
        Rule(source, target, entry.unit or _unit(target), f"dialect {name}", entry.scale)
        for target, source in found
    ]


def _unit(target: str) -> str:
    """Return the unit that is taken where none is given; angles are left to their values."""
    return "" if target == "time" else unit_of(target) or ""


def _no_column(name: str, entry: Entry, headers: Sequence[str]) -> MissingColumnError:
    near = difflib.get_close_matches(entry.source, headers, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    return MissingColumnError(
        f"mapping {name}: the file has no column {entry.source!r} for {entry.target}; {hint}"
        f"it has {', '.join(headers)}"
    )


@functools.cache
def bundled() -> dict[str, Dialect]:
    """Return the dialects that ship with the package, the most demanding first."""
    dialects = [read_dialect(path) for path in sorted(FOLDER.glob("*.toml"))]
    dialects.sort(key=lambda dialect: -len(dialect.requires))
    return {dialect.name: dialect for dialect in dialects}


def find_dialect(given: str | Path | Dict[str, Any], file: str = "") -> Dialect | None:
    """Return a dialect by bundled name, from a TOML file, from one line, or from a dict.

    Args:
        given: name, file, line or content.
        file: name of the file to be read, for mappings that have one per file (``[files]``).

    Returns:
        The dialect; None where a mapping with ``[files]`` says nothing about this file.
    """
    if not isinstance(given, str | Path):
        return _for_file("given", given, file)
    if str(given) in bundled():
        return bundled()[str(given)]
    path = Path(given)
    if not path.is_file():
        if is_line(str(given)):
            return make_dialect("given", parsed_line(str(given)))
        raise RecordingError(
            f"no mapping {str(given)!r}: neither a file nor a line as 'q = columns 2-7' nor one of "
            f"{', '.join(sorted(bundled()))}"
        )
    return _for_file(path.stem, content_of(path), file)


def _for_file(name: str, content: Dict[str, Any], file: str) -> Dialect | None:
    """Return the mapping of one file where a mapping has several, else all of it."""
    several = content.get("files")
    if several is None:
        return make_dialect(name, content)
    if not isinstance(several, Dict) or not all(isinstance(v, Dict) for v in several.values()):
        raise RecordingError(f'mapping {name}: [files] holds a table per file: [files."a.csv"]')
    for pattern, own in several.items():
        if fnmatch.fnmatchcase(file, pattern):
            return make_dialect(f"{name}, {pattern}", own)
    rest = {key: value for key, value in content.items() if key != "files"}
    return make_dialect(name, rest) if rest else None


def read_dialect(path: Path) -> Dialect:
    """Return the dialect of a TOML file."""
    return make_dialect(path.stem, content_of(path))


def content_of(path: Path) -> dict[str, Any]:
    """Return the content of a mapping's TOML file."""
    try:
        return parse_toml(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecordingError(f"mapping {path} is no TOML file: {error}") from error


def make_dialect(name: str, content: Dict[str, Any]) -> Dialect:
    """Return the dialect that a TOML file's content describes."""
    unknown = set(content) - _KEYS
    if unknown or not isinstance(content.get("columns"), Dict):
        wrong = f"it has {', '.join(sorted(unknown))}" if unknown else "it has no [columns]"
        raise RecordingError(f"mapping {name}: {wrong}; the keys are {', '.join(sorted(_KEYS))}")
    entries = tuple(_entry(name, target, value) for target, value in content["columns"].items())
    euler = content.get("euler")
    if euler is not None and not re.fullmatch("[xyz]{3}|[XYZ]{3}", str(euler)):
        raise RecordingError(
            f"mapping {name}: euler = {euler!r}; give three axes, XYZ (moving) or xyz (fixed)"
        )
    return Dialect(
        name,
        entries,
        tuple(content.get("requires", ())),
        tuple(content.get("drop", ())),
        euler,
        bool(content.get("timed", True)),
        content.get("run"),
        content.get("angles") == "ask",
    )


def _entry(name: str, target: str, value: Any) -> Entry:
    table = {"from": value} if isinstance(value, str) else value
    if not isinstance(table, Dict) or "from" not in table or set(table) - {"from", "unit", "scale"}:
        raise RecordingError(
            f"mapping {name}: {target} = {value!r}; give the file's column, "
            'or { from = "column", unit = "deg", scale = 1.0 }'
        )
    entry = Entry(target, table["from"], str(table.get("unit", "")), float(table.get("scale", 1)))
    si = unit_of(target.format(joint=1, index=0, name=""))
    if entry.unit and si:
        try:
            factor(entry.unit, si)
        except InputError as error:
            raise RecordingError(f"mapping {name}: {target}: {error}") from error
    return entry
