"""States of any robot as a recording."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armtwin.errors import RecordingError
from armtwin.recording.recording import Recording
from armtwin.robots.robot import UNHEARD, RobotState
from armtwin.spatial import Array

GROUPS = {"q": "q", "qd": "qd", "target": "target_q", "tau": "tau", "current": "current"}
"""Fields of ``State`` and the names of their columns in a recording."""


class StateRecorder:
    """Collects states and writes them as a recording.

    Args:
        arm: the arm's name.
        origin: source of the states, for the file.
    """

    def __init__(self, arm: str, origin: str) -> None:
        self._arm, self._origin = arm, origin
        self._states: list[RobotState] = []

    @property
    def rows(self) -> int:
        """Number of states."""
        return len(self._states)

    def add(self, state: RobotState) -> None:
        """Add a state, unless its time is that of the one before or the robot is not heard."""
        if state.status in UNHEARD:
            return
        if not self._states or state.time > self._states[-1].time:
            self._states.append(state)

    def save(self, path: Path) -> Path:
        """Write a Parquet file; unknown values are NaN.

        Raises:
            RecordingError: no state was added.
        """
        if not self._states:
            raise RecordingError("nothing was recorded: no new state came")
        time = np.array([state.time for state in self._states])
        columns = {name: self._column(field) for field, name in GROUPS.items()}
        columns["power"] = self._column("power")
        residual = self._column("residual")
        if residual is not None:
            columns |= {f"residual{joint}": part for joint, part in enumerate(residual.T, 1)}
        groups = {name: values for name, values in columns.items() if values is not None}
        units = {name: "Nm" for name in groups if name.startswith("residual")}
        made = Recording.of(time - time[0], groups, arm=self._arm, origin=self._origin, units=units)
        return made.save(path, force=True)

    def _column(self, field: str) -> Array | None:
        """Return a field of all states, (n,) or (n, dof); None if no state has it."""
        values = [getattr(state, field) for state in self._states]
        known = next((value for value in values if value is not None), None)
        if known is None:
            return None
        gap = np.full(np.shape(known), np.nan)
        return np.array([gap if value is None else value for value in values], float)
