"""Main function of a job's process: runs it, reports steps, sends an outcome or an error.

Messages to the app are JSON: ``{"step": text}``, ``{"early": outcome}``, ``{"done": outcome}`` or
``{"error": text}``.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from armtwin.app.jobs.job_parameters import JobParameters
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.context import JobContext
from armtwin.app.server.plain_text import for_clients, protect_terminal
from armtwin.errors import ArmTwinError
from armtwin.processes import limit_memory
from armtwin.robots.priority import lower_priority

MEMORY_SHARE = 0.4
"""Memory limit of a job as a share of the machine's; two run at a time."""
NICE = 5
"""Of a job, which waits for the work process (2) and the control process."""
MAX_NOTES = 200
"""Distinct notes of an outcome that are sent to the page."""


def main(
    connection: Any, parameters: str, arm_source: str, files: dict[str, str], folder: str
) -> None:
    """Run one job to its end; steps, results and errors are sent over the connection.

    Args:
        connection: pipe to the app.
        parameters: kind and parameters as JSON.
        arm_source: catalogue name or arm file.
        files: paths of uploads by id.
        folder: the job's own folder.
    """
    set_up_process()

    def send(**message: Any) -> None:
        connection.send_bytes(json.dumps(message).encode())

    try:
        outcome = _run(parameters, arm_source, files, Path(folder), send)
    except ArmTwinError as error:
        send(error=for_clients(str(error)), kind=type(error).__name__)
    except MemoryError:
        send(error="this needs more memory than a job may take; use a shorter recording")
    except Exception as error:  # noqa: BLE001 the app continues and shows the error
        traceback.print_exc()
        send(error=for_clients(f"unexpected {type(error).__name__}: {error}")[:2000])
    else:
        send(done=outcome.model_dump(mode="json"))
    connection.close()


def _run(
    parameters: str, arm_source: str, files: dict[str, str], folder: Path, send: Callable[..., None]
) -> Outcome:
    given: JobParameters = TypeAdapter(JobParameters).validate_json(parameters)
    places = {key: Path(path) for key, path in files.items()}
    module = importlib.import_module(f"armtwin.app.jobs.work.{given.kind}")
    job = JobContext(
        given,
        arm_source,
        places,
        folder,
        report_step=lambda text: send(step=text),
        show=lambda outcome: send(early=outcome.model_dump(mode="json")),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        outcome: Outcome = module.work(job)
    ours = [str(w.message) for w in caught if w.category.__module__ == "armtwin.errors"]
    notes = tuple(dict.fromkeys(map(for_clients, (*outcome.notes, *ours))))[:MAX_NOTES]
    texts = {"verdict": for_clients(outcome.verdict), "finding": for_clients(outcome.finding)}
    return outcome.model_copy(update={"notes": notes, **texts})


def set_up_process(memory: int | None = None) -> None:
    """Leave the terminal's process group, lower the priority, and end with the app.

    Args:
        memory: limit of this process [bytes]; 40 % of the machine's if not given.
    """
    if os.name == "posix":
        with contextlib.suppress(OSError):
            os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    protect_terminal()
    lower_priority(NICE)
    if sys.platform == "linux":
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        limit_memory(memory or int(MEMORY_SHARE * whole))
    threading.Thread(target=_end_with_the_app, daemon=True).start()


def _end_with_the_app() -> None:
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    multiprocessing.connection.wait([parent.sentinel])
    if os.name == "posix":
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
