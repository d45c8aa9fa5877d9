"""What a job's process is given: the order, its arm, its files, a folder, and somebody to tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from armtwin.app.jobs.outcome import Outcome
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load

O_co = TypeVar("O_co", covariant=True)


@dataclass(frozen=True)
class JobRequest(Generic[O_co]):
    """An order with everything that it names at hand.

    Attributes:
        order: what was asked.
        arm_source: the arm's catalogue name or its file.
        files: recordings by the ids that the order uses.
        folder: where results go.
        tell: is given a line whenever a new step begins.
        show: is given an outcome that can be seen before the work is over.
    """

    order: O_co
    arm_source: str
    files: dict[str, Path]
    folder: Path
    tell: Callable[[str], None]
    show: Callable[[Outcome], None]

    def arm(self) -> Arm:
        """Return the arm."""
        return load(self.arm_source)

    def recording(self, key: str) -> Path:
        """Return a recording's file by its id."""
        return self.files[key]

    def recordings(self, keys: list[str]) -> list[Path]:
        """Return several recordings' files."""
        return [self.files[key] for key in keys]
