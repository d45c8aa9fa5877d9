"""Placements: which recordings share one base and one tool.

A tracker that was moved, another cell or another tool is another placement. Every recording has its
own unless recordings are grouped: by name in a mapping, or by ``--group`` on the command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.recording.recording import Recording

if TYPE_CHECKING:
    from armtwin.recording.read import MappingLike

Source = str | Path | Recording
Sources = Source | Sequence[Source] | Mapping[str, Source | Sequence[Source]]
"""A recording, several, or several by the name of the placement that they share."""

ALL = "all"
"""``--group all``: every recording and test shares one placement."""


@dataclass(frozen=True)
class PlacedRecordings:
    """Recordings, the name of the placement of each, and the files that were read."""

    recordings: tuple[Recording, ...]
    names: tuple[str, ...]
    files: tuple[Path, ...]

    @property
    def placements(self) -> tuple[str, ...]:
        """Names of the placements, each once, in the order given."""
        return tuple(dict.fromkeys(self.names))

    def of(self, name: str) -> list[Recording]:
        """Return the recordings of one placement."""
        pairs = zip(self.recordings, self.names, strict=True)
        return [recording for recording, own in pairs if own == name]


def opened(
    arm: Arm, given: Sources, mapping: MappingLike | None = None, prefix: str = ""
) -> PlacedRecordings:
    """Read recordings that are files, and return all with the placement of each.

    Args:
        arm: the arm that was recorded.
        given: the recordings; in a mapping, those under one name share a placement.
        mapping: names of the files' columns, where the guess is wrong.
        prefix: prefix of the numbers that name placements of recordings given without a name.

    Raises:
        InputError: something that is neither a recording nor a file.
    """
    from armtwin.recording.read import as_recording

    pairs = _named(given, prefix)
    read = [as_recording(one, arm, mapping=mapping) for _, one in pairs]
    files = tuple(Path(one) for _, one in pairs if not isinstance(one, Recording))
    return PlacedRecordings(tuple(read), tuple(name for name, _ in pairs), files)


def _named(given: Sources, prefix: str) -> list[tuple[str, Source]]:
    if isinstance(given, Mapping):
        return [(str(name), one) for name, some in given.items() for one in _several(some)]
    return [(f"{prefix}{number}", one) for number, one in enumerate(_several(given), 1)]


def _several(given: Source | Sequence[Source]) -> list[Source]:
    if isinstance(given, str | Path | Recording) or not isinstance(given, Iterable):
        return [given]
    return list(given)


def grouped(
    recordings: Sequence[Path], tests: Sequence[Path], groups: Sequence[str]
) -> tuple[dict[str, list[Path]], dict[str, list[Path]]]:
    """Return recordings and tests by the name of their placement, numbered in the order given.

    Args:
        recordings: files to fit to.
        tests: files that are only predicted.
        groups: files that share a placement, separated by commas, or "all".

    Raises:
        InputError: a group names a file that was not given, or one file is in two groups.
    """
    label = _labels([*recordings, *tests], groups)
    numbers: dict[str, str] = {}
    found: tuple[dict[str, list[Path]], dict[str, list[Path]]] = ({}, {})
    for part, paths, prefix in zip(found, (recordings, tests), ("", "test "), strict=True):
        for place, path in enumerate(paths):
            key = label.get(path, f"{prefix}{place}")
            name = numbers.setdefault(key, f"{prefix}{len(part) + 1}")
            part.setdefault(name, []).append(path)
    return found


def _labels(paths: Sequence[Path], groups: Sequence[str]) -> dict[Path, str]:
    """Return the group of every file that is in one."""
    if ALL in groups:
        return dict.fromkeys(paths, ALL)
    label: dict[Path, str] = {}
    for number, text in enumerate(groups):
        for path in [Path(name.strip()) for name in text.split(",")]:
            if path not in paths:
                given = ", ".join(str(one) for one in paths)
                raise InputError(f"a group names {path}, which is not given; there are {given}")
            if path in label:
                raise InputError(f"{path} is in two groups; name it in one only")
            label[path] = f"group {number}"
    return label
