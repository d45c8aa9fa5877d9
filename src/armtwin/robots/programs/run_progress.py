"""The state of a run of a taught program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mode = Literal["idle", "running", "paused"]


@dataclass(frozen=True)
class RunProgress:
    """State of a run; ``index`` (from 0) is the position it is at or moves to."""

    mode: Mode = "idle"
    index: int | None = None
    round: int = 0
    loop: bool = False
    text: str = ""
    error: str = ""
    arrived: bool = False
