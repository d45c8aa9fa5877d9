"""Parameters, arm, files and folder of a job, as its process gets them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from armtwin.app.jobs.outcome import Outcome
from armtwin.errors import InputError
from armtwin.files import parse_toml
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load
from armtwin.model.payload import with_payload
from armtwin.progress import Progress

P_co = TypeVar("P_co", covariant=True)


@dataclass(frozen=True)
class JobContext(Generic[P_co]):
    """Parameters of a job, with the arm and the files that they name.

    Attributes:
        parameters: kind and parameters of the job.
        arm_source: the arm's catalogue name or its file.
        files: recordings by the ids that the parameters use.
        folder: where results go.
        report_step: called with a line of text when a step begins.
        show: called with an outcome that can be shown before the job ends.
    """

    parameters: P_co
    arm_source: str
    files: dict[str, Path]
    folder: Path
    report_step: Callable[[str], None]
    show: Callable[[Outcome], None]

    def arm(self) -> Arm:
        """Return the arm, with the payload that the parameters name."""
        arm, payload = (
            load(self.arm_source, confined=True),
            getattr(self.parameters, "payload", 0.0),
        )
        return (
            with_payload(arm, payload, com=getattr(self.parameters, "com", ())) if payload else arm
        )

    def mapping(self) -> str | dict[str, Any] | None:
        """Return the names of the files' columns that the parameters give.

        Raises:
            InputError: a mapping file that is no TOML.
        """
        mapping: str | dict[str, Any] | None = getattr(self.parameters, "mapping", None)
        if not isinstance(mapping, str) or mapping not in self.files:
            return mapping
        try:
            return parse_toml(self.files[mapping].read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"the mapping file is no TOML: {error}") from error

    def on_progress(self, progress: Progress) -> None:
        """Show the library's progress as the job's current step."""
        self.report_step(progress.step)

    def recording(self, key: str) -> Path:
        """Return an uploaded file by its id."""
        return self.files[key]

    def recordings(self, keys: list[str]) -> list[Path]:
        """Return several uploaded files by their ids."""
        return [self.files[key] for key in keys]
