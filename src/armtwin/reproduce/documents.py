"""The documents that can be reproduced, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from armtwin.errors import InputError
from armtwin.reproduce.desktop_arm import tables as desktop
from armtwin.reproduce.energy import constants_check as energy_model
from armtwin.reproduce.figure import Reproduction
from armtwin.reproduce.fk_fmu import fk_report
from armtwin.reproduce.fk_fmu import section6 as validation
from armtwin.reproduce.observer import document_model as observer_model
from armtwin.reproduce.screws import ur3e as screws

DOCUMENTS: dict[str, Callable[[], Reproduction]] = {
    "fk-report": fk_report.reproduce,
    "desktop": desktop.reproduce,
    "validation": validation.reproduce,
    "screws": screws.reproduce,
    "observer-model": observer_model.reproduce,
    "energy-model": energy_model.reproduce,
}


FMU_FOLDER = Path("reports/fmu")
"""Folder of ``fmu-report``, which always writes files, where none is given."""


def _energy(out: Path | None, force: bool) -> Reproduction:
    from armtwin.reproduce.energy.document import make_energy

    made, files = make_energy(out, force=force)
    return replace(made.reproduction, files=files)


def _observer(out: Path | None, force: bool) -> Reproduction:
    from armtwin.reproduce.observer.figures import make_observer

    made, files = make_observer(out, force=force)
    return replace(made.reproduction, files=files)


WRITTEN = {"observer": _observer, "energy": _energy}
"""Documents whose runs are simulated here; they write a report where a folder is given."""


def reproduce(
    name: str,
    *,
    out: str | Path | None = None,
    recording: str | Path | None = None,
    force: bool = False,
) -> Reproduction:
    """Return a document's tables recomputed.

    Args:
        name: the document.
        out: folder for the files of ``fmu-report``, ``energy`` and ``observer``.
        recording: a log with joints and tool pose for ``fmu-report``, instead of a made-up one.
        force: overwrite files of an earlier run.

    Raises:
        InputError: no document of that name, or one that does not take ``out`` or ``recording``.
        OutputExistsError: files exist and ``force`` is not set.
    """
    known = [*DOCUMENTS, *WRITTEN, "fmu-report"]
    if name not in known:
        raise InputError(f"no document {name!r}; there are {', '.join(known)}")
    if name == "fmu-report":
        from armtwin.reproduce.fk_fmu.fmu_report import make_fmu_report

        made = make_fmu_report(out or FMU_FOLDER, recording=recording, force=force)
        return replace(made.reproduction, files=made.files)
    if recording is not None or (out is not None and name in DOCUMENTS):
        raise InputError(
            "an output folder belongs to fmu-report, energy and observer, a recording to fmu-report"
        )
    folder = None if out is None else Path(out)
    return WRITTEN[name](folder, force) if name in WRITTEN else DOCUMENTS[name]()
