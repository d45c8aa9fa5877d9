"""The documents that can be reproduced, by name."""

from __future__ import annotations

from collections.abc import Callable

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


def reproduce(name: str) -> Reproduction:
    """Return a document's tables recomputed.

    Raises:
        InputError: no document of that name; those that exist are listed.
    """
    if name not in DOCUMENTS:
        known = ", ".join([*DOCUMENTS, "observer", "energy", "fmu-report"])
        raise InputError(f"no document {name!r}; there are {known}")
    return DOCUMENTS[name]()
