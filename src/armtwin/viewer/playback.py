"""A recording to play: its arrays in a folder, and windows of them as a page draws them.

A window is cut on the server, so that half an hour at 500 Hz opens as fast as a minute: charts get
the smallest and the largest value of each group of rows, the drawing a pose for every few rows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.errors import InputError
from armtwin.files import write_output
from armtwin.kinematics.forward import link_poses, pose_coordinates, tool_coordinates
from armtwin.model.arm import Arm
from armtwin.recording.recording import Recording
from armtwin.spatial import Array
from armtwin.viewer.arrays import packed_arrays

INFO = "playback.json"
SIGNALS = {
    "q": "q",
    "motion.qd": "qd",
    "real.tau": "tau",
    "real.target_tau": "target_tau",
    "real.current": "current",
    "real.power": "power",
}
"""Arrays of the charts, named as in ``web/src/file/charts_of.ts``, and their groups."""
POSES = {"target": "target_q", "position": "position"}
"""Arrays of the drawing, and their groups."""
MAX_BUCKETS, MAX_FRAMES = 4000, 4000
"""Groups of a chart and poses of a window that a page may request: bounds the answer's size."""
BLOCK = 100_000
"""Rows of which the error at the tool is computed at a time."""


@dataclass(frozen=True)
class Playback:
    """A recording in a folder.

    Attributes:
        folder: holds an ``.npy`` file for each array.
        info: what the page needs before it asks for a window, as plain data.
    """

    folder: Path
    info: dict[str, Any]

    @classmethod
    def write(cls, folder: Path, arm: Arm, run: Recording) -> Playback:
        """Write a recording's arrays into an empty folder.

        Args:
            folder: exists and is empty.
            arm: the twin.
            run: the recording.

        Raises:
            InputError: the recording has another number of joints than the arm.
        """
        if run.dof != arm.dof:
            raise InputError(
                f"the recording has {run.dof} joints and {arm.name} has {arm.dof}; choose its arm"
            )
        time = run.time - run.time[0] if run.timed else np.arange(float(len(run)))
        arrays = {"time": time}
        present = {name: group for name, group in (SIGNALS | POSES).items() if run.has(group)}
        for name, group in present.items():
            arrays[name] = run.group(group).reshape(len(run), -1)
        if "position" in arrays:
            arrays["error"] = _errors(arm, run.q, arrays["position"])
        for name, values in arrays.items():
            np.save(folder / f"{name}.npy", values.astype(_precision(name)), allow_pickle=False)
        info = {
            "name": run.origin or "recording",
            "timed": run.timed,
            "rows": len(run),
            "end": float(time[-1]),
            "signals": [name for name in SIGNALS if name in arrays],
            "error": "error" in arrays,
            "ghost": "target" in arrays,
            "ghost_name": "twin at the commanded joints",
            "contacts": [],
            "stops": [],
            "notes": list(run.notes),
        }
        return cls(folder, info).noted()

    @classmethod
    def open(cls, folder: Path) -> Playback:
        """Return what ``write`` wrote.

        Raises:
            InputError: there is nothing to play.
        """
        if not (folder / INFO).is_file():
            raise InputError("there is nothing to play here (yet)")
        return cls(folder, json.loads((folder / INFO).read_text(encoding="utf-8")))

    def noted(self, **changes: Any) -> Playback:
        """Return and keep the playback with changes of its ``info``."""
        info = {**self.info, **changes}
        write_output(self.folder / INFO, json.dumps(info).encode(), force=True)
        return Playback(self.folder, info)

    def window(
        self, arm: Arm, start: float, end: float, *, buckets: int = 1000, frames: int = 1000
    ) -> dict[str, Any]:
        """Return a part of the recording for charts and drawing.

        Args:
            arm: the twin.
            start: first time, from the recording's first row [s].
            end: last time [s].
            buckets: groups of rows, of each of which the smallest and largest values are given.
            frames: most poses.

        Returns:
            ``charts``: ``time`` and signals, two rows for each group. ``frames``: ``time``, poses
            of the links, those of the ghost, positions. ``factor``: rows of a group.
        """
        time = self._array("time")
        first = max(int(np.searchsorted(time, start, "right")) - 1, 0)
        last = min(int(np.searchsorted(time, end, "left")) + 1, len(time))
        first = min(first, last - 1)
        names = [*self.info["signals"], *(["error"] if self.info["error"] else [])]
        charts = {"time": time[first:last]}
        charts |= {name: self._array(name)[first:last] for name in names}
        thin, factor = decimated(charts, min(buckets, MAX_BUCKETS))
        rows = _even_rows(first, last, min(frames, MAX_FRAMES))
        return {
            "charts": packed_arrays(thin),
            "factor": factor,
            "frames": packed_arrays(self._frames(arm, rows)),
        }

    def _frames(self, arm: Arm, rows: np.ndarray) -> dict[str, Array]:
        q = self._array("q")[rows]
        found = {"time": self._array("time")[rows], "q": q, "links": _links(arm, q)}
        found["tool"] = tool_coordinates(arm, q, ignore_limits=True).position
        if self.info["ghost"]:
            found["ghost"] = _links(arm, self._array("target")[rows])
        if self.info["error"]:
            found["position"] = self._array("position")[rows]
            found["error"] = self._array("error")[rows]
        return found

    def _array(self, name: str) -> Array:
        return np.load(self.folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)


def decimated(arrays: dict[str, Array], buckets: int) -> tuple[dict[str, Array], float]:
    """Return the smallest and the largest value of each group of rows, and a group's rows.

    Args:
        arrays: ``time`` (n,) and others (n, k).
        buckets: groups; all rows are kept where there are no more than two a group.
    """
    count = len(arrays["time"])
    if count <= 2 * buckets:
        return {name: np.asarray(values, float) for name, values in arrays.items()}, 1.0
    edges = (np.arange(buckets) * count) // buckets
    ends = np.append(edges[1:], count) - 1
    ends_of = np.column_stack([arrays["time"][edges], arrays["time"][ends]])
    found: dict[str, Array] = {"time": ends_of.reshape(-1)}
    for name, values in arrays.items():
        if name != "time":
            table = np.asarray(values, float).reshape(count, -1)
            low = np.minimum.reduceat(table, edges, axis=0)
            high = np.maximum.reduceat(table, edges, axis=0)
            found[name] = np.stack([low, high], axis=1).reshape(2 * buckets, -1)
    return found, count / buckets


def _precision(name: str) -> str:
    """Return how an array is kept: what is drawn as a line in single precision."""
    return "<f8" if name in ("time", "q", "target", "position") else "<f4"


def _even_rows(first: int, last: int, most: int) -> np.ndarray:
    count = min(last - first, most)
    return np.unique(np.linspace(first, last - 1, count).round().astype(np.intp))


def _links(arm: Arm, q: Array) -> Array:
    """Return position and quaternion of every link frame (n, 7 rows); NaN joints as zeros."""
    where = pose_coordinates(link_poses(arm, np.nan_to_num(q), ignore_limits=True))
    both = np.concatenate([where.position, where.quaternion], axis=-1)
    return both.reshape(len(q), -1)


def _errors(arm: Arm, q: Array, position: Array) -> Array:
    """Return the distance between the twin's tool and the recorded one (n, 1) [m]."""
    found = np.full((len(q), 1), np.nan)
    for first in range(0, len(q), BLOCK):
        rows = slice(first, first + BLOCK)
        tool = tool_coordinates(arm, np.nan_to_num(q[rows]), ignore_limits=True).position
        found[rows, 0] = np.linalg.norm(tool - position[rows], axis=1)
    return found
