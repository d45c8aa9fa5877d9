"""Abstract class of the workers that run groups of rows, in processes or on a cluster."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from armtwin.studies.planning.study_plan import StudyRow

RunGroup = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]
"""Runs rows, given as plain data, and returns their outcomes in order."""


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Rows that one worker runs in one go.

    Attributes:
        rows: the rows.
        alone: whether nothing else runs meanwhile, because a worker died that had them.
    """

    rows: tuple[StudyRow, ...]
    alone: bool = False


@dataclass(frozen=True, eq=False)
class GroupOutcome:
    """Outcome of a group.

    Attributes:
        group: the group.
        outcomes: of its rows, in order; None where its worker died.
    """

    group: RowGroup
    outcomes: Sequence[dict[str, Any]] | None


class Workers(abc.ABC):
    """Workers that run groups of rows of a verb.

    Attributes:
        count: groups that run at the same time.
    """

    count: int

    @property
    @abc.abstractmethod
    def pending(self) -> int:
        """Groups that were submitted and are not finished."""

    @abc.abstractmethod
    def submit(self, group: RowGroup) -> None:
        """Hand over a group."""

    @abc.abstractmethod
    def finished(self) -> list[GroupOutcome]:
        """Wait until a group is finished, and return all that are."""

    @abc.abstractmethod
    def close(self) -> None:
        """End the workers at once; unfinished groups are dropped."""
