"""Guessing a file's mapping from its headers, and its units from its values.

A guess is a ``Mapping`` like any other: it can be printed before it is used, and every rule says
why. What is said (a dialect, a unit in a header, ``angles=``) always goes before what is guessed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from armtwin.recording.columns.dialects import Dialect, bundled
from armtwin.recording.columns.headers import HeaderMeaning, is_run, meaning
from armtwin.recording.columns.mapping import Mapping, Rule
from armtwin.recording.columns.names import group_of, unit_of

UR_JOINTS = (
    "shoulder_pan_joint",
    "shoulder_lift_joint",
    "elbow_joint",
    "wrist_1_joint",
    "wrist_2_joint",
    "wrist_3_joint",
)
"""Joint names that are assumed where no arm is given."""

_POSE_GROUPS = {"position", "rpy", "quaternion", "rotation_vector"}


def guess(
    headers: Sequence[str],
    joints: Sequence[str],
    given: Dialect | None = None,
    text: Sequence[str] = (),
) -> Mapping:
    """Return the mapping of a file's headers, with units open where only the values determine them.

    Args:
        headers: the file's columns.
        joints: the joints' names from base to tool.
        given: the user's own dialect; it comes first, the rest is guessed.
        text: the file's columns without numbers, by which a dialect may be recognised.
    """
    if given is not None:
        start = given.mapping(headers, joints, strict=True)
        return _completed(start, headers, joints)
    dialect = next((one for one in bundled().values() if one.suits([*headers, *text])), None)
    if dialect is not None:
        return _finished(dialect.mapping(headers, joints, strict=False), headers)
    return _completed(Mapping(()), headers, joints)


def _completed(start: Mapping, headers: Sequence[str], joints: Sequence[str]) -> Mapping:
    """Return a mapping with rules guessed for the columns that it does not name."""
    claimed = {rule.source for rule in start.rules} | set(start.dropped)
    free = {name: meaning(name, joints) for name in headers if name not in claimed}
    found = {name: known for name, known in free.items() if known is not None}
    bases = _bases(found.values())
    rules, targets = list(start.rules), {rule.target for rule in start.rules}
    posed = bool(_POSE_GROUPS & {group_of(target) for target in targets})
    for name, known in sorted(found.items(), key=lambda item: item[0] != _column(item[1], bases)):
        target = _column(known, bases)
        is_other_pose = posed and group_of(target) in _POSE_GROUPS
        is_untimed = target == "time" and not start.timed
        if target in targets or unit_of(target) is None or is_other_pose or is_untimed:
            continue
        targets.add(target)
        rules.append(Rule(name, target, known.unit, "same name" if name == target else "header"))
    return _finished(dataclasses.replace(start, rules=tuple(rules)), headers)


def _bases(found: Iterable[HeaderMeaning]) -> dict[str, int]:
    """Return for every group of joint columns the number of its first joint in the file."""
    bases: dict[str, int] = {}
    for known in found:
        if known.number is not None:
            bases[known.target] = min(bases.get(known.target, 1), known.number)
    return bases


def _column(known: HeaderMeaning, bases: dict[str, int]) -> str:
    return known.column(bases.get(known.target, 1))


def _finished(mapping: Mapping, headers: Sequence[str]) -> Mapping:
    """Return the mapping in the file's order, with what it keeps, its run column and its clock."""
    order = {name: index for index, name in enumerate(headers)}
    rules = sorted(mapping.rules, key=lambda rule: order[rule.source])
    sources = {rule.source for rule in rules} | set(mapping.dropped)
    run = mapping.run or next((name for name in headers if is_run(name)), None)
    return dataclasses.replace(
        mapping,
        rules=tuple(rules),
        kept=tuple(name for name in headers if name not in sources and name != run),
        timed=mapping.timed and mapping.rule("time") is not None,
        run=run if run not in sources else None,
    )
