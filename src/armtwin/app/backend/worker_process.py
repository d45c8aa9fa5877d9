"""Main function of the worker process: tasks of the control process, one after the other.

Messages are JSON: ``{"task": name, ...}`` in, ``{"result": ...}`` or ``{"error": text, "kind":
name}`` out. An empty first message says that the process is ready.
"""

from __future__ import annotations

import json
import traceback
import uuid
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from armtwin.app.backend.sent_arm import links_of, read_sent_arm
from armtwin.app.backend.shown import arm_source, loaded
from armtwin.app.jobs.process import set_up_process
from armtwin.app.server.plain_text import for_clients
from armtwin.errors import ArmTwinError
from armtwin.model.catalogue.catalogue import load
from armtwin.motion.programs import program_export
from armtwin.motion.programs.program import TaughtProgram
from armtwin.motion.programs.program_checks import hints, tool_path
from armtwin.robots.programs.program_timing import program_times
from armtwin.robots.robot import Kind
from armtwin.robots.ur.learned_contacts import learned_calibration
from armtwin.robots.ur.recorder import finish_log

MAX_MEMORY = 2_000_000_000
"""Memory of the process [bytes]; an export of the most rows takes about half of it."""


def main(connection: Any, folder: str, memory: int = MAX_MEMORY) -> None:
    """Do tasks until the connection ends.

    Args:
        connection: pipe to the control process.
        folder: for files of results.
        memory: limit of this process [bytes].
    """
    set_up_process(memory)
    connection.send_bytes(b"{}")
    while True:
        try:
            message = json.loads(connection.recv_bytes())
        except EOFError:
            return
        connection.send_bytes(json.dumps(_answered(message, Path(folder))).encode())


def _answered(message: dict[str, Any], folder: Path) -> dict[str, Any]:
    try:
        return {"result": TASKS[message.pop("task")](folder, **message)}
    except ArmTwinError as error:
        return {"error": for_clients(str(error)), "kind": type(error).__name__}
    except MemoryError:
        text = "this needs more memory than the app gives it; use a shorter program or recording"
        return {"error": text, "kind": "LimitError"}
    except Exception as error:  # noqa: BLE001 the app shows the error and continues
        traceback.print_exc()
        text = for_clients(f"unexpected {type(error).__name__}: {error}")
        return {"error": text[:500], "kind": "JobError"}


def _export(folder: Path, *, form: str, program: dict[str, Any], arm: str) -> str:
    """Write a program in another format; return the file's path."""
    taught, model = TaughtProgram.model_validate(program), loaded(arm)
    place = folder / uuid.uuid4().hex
    place.write_bytes(program_export.exported(taught, model, form))
    return str(place)


def _hints(folder: Path, *, program: dict[str, Any], arm: str) -> list[str]:
    """Return where a program comes near the arm itself or the plane it stands on."""
    return hints(TaughtProgram.model_validate(program), loaded(arm))


def _tool_path(folder: Path, *, program: dict[str, Any], arm: str, index: int) -> list[list[float]]:
    """Return the tool's path to a position from the one before (n, 3) [m]."""
    path: list[list[float]] = tool_path(
        TaughtProgram.model_validate(program), loaded(arm), index
    ).tolist()
    return path


def _timing(
    folder: Path, *, program: dict[str, Any], arm: str, kind: Kind, starts: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return when a run of a program reaches every position."""
    taught, begins = TaughtProgram.model_validate(program), {int(k): v for k, v in starts.items()}
    return [asdict(times) for times in program_times(taught, loaded(arm), kind, begins)]


def _finish_log(folder: Path, *, log: str, out: str) -> None:
    """Write a recording's Parquet file from its log of samples."""
    finish_log(Path(log), Path(out))


def _check_arm(folder: Path, *, toml: str) -> str:
    """Write an arm file that loads; return its path."""
    place = folder / f"{uuid.uuid4().hex}.toml"
    place.write_text(toml, encoding="utf-8")
    try:
        load(str(place), confined=True)
    except ArmTwinError:
        place.unlink()
        raise
    return str(place)


def _arm_links(folder: Path, *, path: str, base: str | None) -> dict[str, Any]:
    """Return where an arm of a file can begin and end."""
    return links_of(Path(path), base)


def _load_arm(folder: Path, *, path: str, tip: str | None, base: str | None) -> dict[str, Any]:
    """Return an arm of a file that was sent as a file of armtwin, and notes about it."""
    arm, notes = read_sent_arm(Path(path), folder, tip=tip, base=base)
    return {"file": arm_source(arm, folder), "notes": notes}


def _learn_contacts(folder: Path, *, path: str, arm: str) -> dict[str, Any]:
    """Return a detector's calibration, learned from a recording, as plain values."""
    return learned_calibration(loaded(arm), Path(path)).to_dict()


TASKS: dict[str, Callable[..., Any]] = {
    "check_arm": _check_arm,
    "export": _export,
    "hints": _hints,
    "tool_path": _tool_path,
    "timing": _timing,
    "finish_log": _finish_log,
    "arm_links": _arm_links,
    "load_arm": _load_arm,
    "learn_contacts": _learn_contacts,
}
"""Tasks by name."""
