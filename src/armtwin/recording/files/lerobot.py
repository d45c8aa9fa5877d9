"""LeRobot datasets: Parquet files under ``data/`` and ``meta/info.json`` (versions 2 and 3).

``observation.state`` and ``action`` are lists with a number per motor; ``episode_index`` numbers
the episodes. Their unit is not part of the format: degrees, radians, or -100 to 100 of a motor's
range, as the recording robot was set up. It is taken from the metadata where they name it
(``unit`` or ``units`` of the feature), else it must be given.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from armtwin.errors import RecordingError
from armtwin.recording.files.parquet import read_parquet
from armtwin.recording.table import RawTable

STATE = "observation.state"
ANGLES = {"deg": "deg", "degree": "deg", "degrees": "deg", "rad": "rad", "radian": "rad",
          "radians": "rad"}  # fmt: skip


def read_lerobot(folder: Path) -> RawTable:
    """Return all episodes of a LeRobot dataset as one table.

    Raises:
        RecordingError: no data, metadata that are no JSON, or files with other columns.
    """
    info = _info(folder)
    files = sorted((folder / "data").rglob("*.parquet"))
    if not files:
        raise RecordingError(f"{folder.name}: a LeRobot dataset without data/*/*.parquet")
    tables = [read_parquet(file) for file in files]
    names = list(tables[0].columns)
    for table, file in zip(tables, files, strict=True):
        if list(table.columns) != names:
            raise RecordingError(f"{file.name}: other columns than {files[0].name}")
    joined = RawTable(folder.name, notes=list(tables[0].notes))
    joined.columns = {
        name: np.concatenate([table.columns[name] for table in tables]) for name in names
    }
    motors = _motors(info)
    if motors:
        joined.notes.append(f"motors of {STATE}: {', '.join(motors)}")
    unit = _unit(info)
    if unit is not None:
        joined.metadata["angles"] = unit
        joined.notes.append(f"angles in {unit}, as its metadata say")
    return joined


def _info(folder: Path) -> dict[str, Any]:
    try:
        info = json.loads((folder / "meta" / "info.json").read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise RecordingError(f"{folder.name}: meta/info.json is no JSON file: {error}") from error
    return info if isinstance(info, dict) else {}


def _feature(info: dict[str, Any]) -> dict[str, Any]:
    features = info.get("features")
    feature = features.get(STATE) if isinstance(features, dict) else None
    return feature if isinstance(feature, dict) else {}


def _motors(info: dict[str, Any]) -> list[str]:
    """Return the names of the motors: a list, or a list in a dictionary."""
    names = _feature(info).get("names")
    if isinstance(names, dict):
        names = next(iter(names.values()), None)
    return [str(name) for name in names] if isinstance(names, list) else []


def _unit(info: dict[str, Any]) -> str | None:
    """Return the unit of the angles where the metadata name it."""
    feature = _feature(info)
    given = feature.get("unit") or feature.get("units")
    given = given[0] if isinstance(given, list) and given else given
    return ANGLES.get(str(given).lower()) if given else None
