"""Mapping of a file's columns to those of a recording, with units.

A ``Mapping`` is settled: it names existing columns. It is made by a dialect (a file of templates,
bundled or the user's) and by guessing from headers and values, and shows itself as a table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from armtwin.recording.columns.names import follows, unit_of
from armtwin.report.numbers import counted
from armtwin.report.renderers.text import table_lines
from armtwin.units import factor

HEADS = ("file column", "column", "unit", "factor", "why")


@dataclass(frozen=True)
class Rule:
    """One column: ``target = factor * source``.

    Attributes:
        source: the file's column.
        target: the recording's column.
        unit: the file's unit; "" while it is not settled.
        reason: where the rule comes from.
        scale: a further factor, as a mapping file may give.
    """

    source: str
    target: str
    unit: str
    reason: str
    scale: float = 1.0

    @property
    def factor(self) -> float:
        """The number that a value in the file is multiplied with."""
        si = unit_of(self.target)
        return self.scale * (factor(self.unit, si) if si and self.unit else 1.0)

    def in_unit(self, unit: str, reason: str) -> Rule:
        """Return the rule with its unit settled."""
        return dataclasses.replace(self, unit=unit, reason=f"{self.reason}; {reason}")


@dataclass(frozen=True)
class Mapping:
    """The rules for one file's columns.

    Attributes:
        rules: at most one per source and per target.
        kept: columns that stay under their own name, as they are.
        dropped: columns that are left out.
        euler: axes of the angles that the file writes as rx ry rz, as in ``XYZ``; None where
            these are a rotation vector.
        timed: False where the rows have no clock.
        run: the column that numbers the runs, if several are in the file.
        exact: armtwin saved the file: values, units and notes are taken as they are, and neither
            cleaned nor completed.
        ask_angles: the unit of the angles must be given; nothing in the file shows it.
    """

    rules: tuple[Rule, ...]
    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    euler: str | None = None
    timed: bool = True
    run: str | None = None
    exact: bool = False
    ask_angles: bool = False

    def rule(self, target: str) -> Rule | None:
        """Return the rule that makes a column, if there is one."""
        return next((rule for rule in self.rules if rule.target == target), None)

    @property
    def notes(self) -> tuple[str, ...]:
        """Processing notes: a line per kind of change."""
        renamed = [rule for rule in self.rules if rule.source != rule.target]
        changed = [rule for rule in self.rules if rule.factor != 1.0]
        lines = []
        if renamed:
            pairs = (f"{rule.source} -> {rule.target}" for rule in renamed)
            lines.append(f"renamed {counted(len(renamed), 'column')}: {_few(pairs)}")
        for unit, si in dict.fromkeys((rule.unit, unit_of(rule.target) or "") for rule in changed):
            names = [
                rule.target for rule in changed if (rule.unit, unit_of(rule.target)) == (unit, si)
            ]
            lines.append(f"converted {unit or 'scaled values'} to {si or 'SI'}: {_few(names, 8)}")
        if self.kept:
            count = counted(len(self.kept), "column")
            lines.append(f"kept {count} under their own name: {_few(self.kept)}")
        if self.dropped:
            count = counted(len(self.dropped), "column")
            lines.append(f"left out {count}: {_few(self.dropped)}")
        return tuple(lines)

    def __str__(self) -> str:
        """Return the rules as a table (file column, column, unit, factor, why), joints together."""
        return "\n".join([*table_lines(HEADS, list(self.table())), *self.others()])

    def table(self) -> Iterator[tuple[str, ...]]:
        """Yield the rules as rows under ``HEADS``, neighbouring joints together."""
        for rules in self._runs():
            first, last = rules[0], rules[-1]
            source, target = (
                one if one == other else f"{one} .. {other}"
                for one, other in ((first.source, last.source), (first.target, last.target))
            )
            yield source, target, first.unit or "-", f"{first.factor:.6g}", first.reason

    def others(self) -> Iterator[str]:
        """Yield which columns keep the file's name, and which are left out."""
        if self.kept:
            yield f"kept under their own name: {_few(self.kept, 10)}"
        if self.dropped:
            yield f"left out: {_few(self.dropped, 10)}"

    def _runs(self) -> list[list[Rule]]:
        """Return the rules with neighbouring joints of one kind together."""
        runs: list[list[Rule]] = []
        for rule in self.rules:
            same = runs and (runs[-1][-1].unit, runs[-1][-1].reason) == (
                rule.unit,
                rule.reason,
            )
            if same and follows(runs[-1][-1].target, rule.target):
                runs[-1].append(rule)
            else:
                runs.append([rule])
        return runs


def _few(texts: Iterable[str], most: int = 4) -> str:
    items = list(texts)
    return ", ".join(items[:most]) + (f", ... ({len(items)} in all)" if len(items) > most else "")
