"""A file's table with the settled mapping of its columns: given, recognised, or guessed."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.recording.columns.dialects import Dialect, bundled, content_of, find_dialect
from armtwin.recording.columns.guess import UR_JOINTS, guess
from armtwin.recording.columns.mapping import Mapping
from armtwin.recording.columns.ranges import is_line, parsed_line
from armtwin.recording.files.bags.choice import BagChoice, refuse_two_arms
from armtwin.recording.files.open_file import read_table
from armtwin.recording.files.saved import saved_mapping
from armtwin.recording.folder import name_by_file
from armtwin.recording.preparation.infer_units import settle
from armtwin.recording.table import RawTable

MappingLike = str | Path | Dict[str, Any] | Dialect | Mapping


def read_settled(
    path: str | Path,
    arm: Arm | None,
    mapping: MappingLike | None,
    angles: str | None,
    *,
    in_folder: bool = False,
) -> tuple[RawTable, Mapping]:
    """Return a file's table and the settled mapping of its columns.

    Args:
        path: the file.
        arm: the arm, for the order of its joints.
        mapping: names of the columns, where the guess is wrong.
        angles: "deg" or "rad"; without it headers and values decide.
        in_folder: name columns that only count by their file.
    """
    mapping, choice = bag_choice(mapping)
    table = read_table(Path(path), choice)
    if in_folder:
        name_by_file(table, Path(path).stem, len(_joint_names(table, arm)))
    if isinstance(mapping, Mapping):
        return table, mapping
    joints = _joint_names(table, arm)
    refuse_two_arms(table.joints, joints, table.origin)
    dialect = (
        mapping
        if isinstance(mapping, Dialect)
        else mapping and find_dialect(mapping, Path(path).name)
    )
    if "units" in table.metadata:
        return table, _saved_rules(table, dialect or None, joints, angles)
    stated = "rad" if table.joints else table.metadata.get("angles")
    guessed = guess(list(table.columns), joints, dialect or None, table.text)
    return table, settle(guessed, table, angles or stated)


def bag_choice(mapping: MappingLike | None) -> tuple[MappingLike | None, BagChoice]:
    """Return a mapping without the keys ``topic`` and ``prefix``, and what they say.

    Args:
        mapping: file, line, content, name or object; the last two have no such keys.
    """
    content: Dict[str, Any] | None = None
    if isinstance(mapping, str | Path) and str(mapping) not in bundled():
        if Path(mapping).is_file():
            content = content_of(Path(mapping))
        elif is_line(str(mapping)):
            line = parsed_line(str(mapping))["columns"]
            content = {key: line.pop(key) for key in ("topic", "prefix") if key in line}
            content |= {"columns": line}
    elif isinstance(mapping, Dict):
        content = mapping
    if content is None or not {"topic", "prefix"} & set(content):
        return mapping, BagChoice()
    rest = {key: value for key, value in content.items() if key not in ("topic", "prefix")}
    return rest if rest.get("columns") else None, BagChoice(
        *(str(content[key]) if key in content else None for key in ("topic", "prefix"))
    )


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
