"""The arm that a client selects: one of the catalogue, or the text of an arm file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from armtwin.app.api.arms import catalogue_arm
from armtwin.app.backend.worker import worker
from armtwin.app.control.session import Session
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load


async def requested_arm(session: Session, name: str | None, toml: str | None) -> Arm:
    """Return the arm; a file is read and checked by the worker process first.

    Args:
        session: the running app.
        name: of the catalogue.
        toml: text of an arm file.

    Raises:
        InputError: both or none of them, or a file that does not load.
        UnknownArmError: no such arm in the catalogue.
    """
    if (name is None) == (toml is None):
        raise InputError("give one arm: a catalogue name, or the text of an arm file (toml)")
    if name is not None:
        return catalogue_arm(name)
    path = Path(await worker(session).run("check_arm", toml=toml))
    try:
        return await asyncio.to_thread(load, str(path), confined=True)
    finally:
        path.unlink(missing_ok=True)
