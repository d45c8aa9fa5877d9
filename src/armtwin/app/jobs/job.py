"""One job: parameters, state, outcome and process."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from armtwin.app.control.ownership import NOBODY, Owner
from armtwin.app.jobs.job_parameters import JobParameters
from armtwin.app.jobs.outcome import Outcome
from armtwin.errors import JobError

State = Literal["waiting", "running", "done", "failed", "cancelled"]
OVER = ("done", "failed", "cancelled")


@dataclass
class Job:
    """One job.

    Attributes:
        id: its name in addresses.
        parameters: kind and parameters.
        state: waiting, running, done, failed or cancelled.
        step: current step, as text.
        error: why it failed.
        outcome: its result.
        folder: its own folder.
        begun: start time (monotonic clock) [s].
        ended: end time [s]; None before.
        owner: who started it.
    """

    id: str
    parameters: JobParameters
    arm_source: str
    files: dict[str, str]
    folder: Path
    state: State = "waiting"
    step: str = "waiting for another job to end"
    error: str = ""
    outcome: Outcome | None = None
    begun: float = field(default_factory=time.monotonic)
    ended: float | None = None
    process: Any = None
    owner: Owner = NOBODY

    @property
    def seconds(self) -> float:
        """Duration so far, or until its end [s]."""
        return (time.monotonic() if self.ended is None else self.ended) - self.begun

    def file(self, name: str) -> Path:
        """Return one of its files by name.

        Raises:
            JobError: no such file among its results.
        """
        named = [] if self.outcome is None else [file.name for file in self.outcome.files]
        if name not in named:
            raise JobError(f"job {self.id} has no file {name[:80]!r}; it has {named or 'none'}")
        return self.folder / name

    def take(self, message: dict[str, Any]) -> None:
        """Process a message of the job's process."""
        if "step" in message:
            self.step = str(message["step"])
        elif "error" in message:
            self.state, self.error, self.step = "failed", str(message["error"]), "failed"
            self.outcome = None
        elif "early" in message:
            self.outcome = Outcome.model_validate(message["early"])
        else:
            self.outcome = Outcome.model_validate(message["done"])
            self.state, self.step = "done", "done"


def kill(process: Any) -> None:
    """Kill a process and its group, if it has one of its own yet."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            if os.getpgid(process.pid) == process.pid:
                os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def ending(process: Any) -> str:
    """Return how a process ended, as text."""
    code = process.exitcode
    if code is None:
        return "it does not answer"
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-code).name}; memory may have run out"
    return f"exit code {code}"
