"""The arm that a client wants to be shown: of the catalogue, of a text, or of a file it sent."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from armtwin.app.api.arms import catalogue_arm
from armtwin.app.backend.sent_arm import sent_file
from armtwin.app.backend.shown import loaded
from armtwin.app.backend.worker import worker
from armtwin.app.control.session import Session
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load

if TYPE_CHECKING:
    from armtwin.app.api.live_content import ArmRequest


async def requested_arm(session: Session, request: ArmRequest) -> tuple[Arm, list[str]]:
    """Return the arm and notes on what its file lacks; the worker process reads a file first.

    Raises:
        InputError: not exactly one of name, text and file, or a file that does not load.
        UnknownArmError: no such arm in the catalogue.
    """
    given = (request.name, request.toml, request.upload)
    if sum(one is not None for one in given) != 1:
        raise InputError(
            "give one arm: a catalogue name, the text of an arm file (toml), or a file that was "
            "sent (upload)"
        )
    if request.name is not None:
        return catalogue_arm(request.name), []
    if request.upload is not None:
        place = str(sent_file(session, request.upload))
        chain = {"tip": request.tip, "base": request.base}
        found = await worker(session).run("load_arm", path=place, **chain)
        return await asyncio.to_thread(loaded, found["file"]), found["notes"]
    path = Path(await worker(session).run("check_arm", toml=request.toml))
    try:
        return await asyncio.to_thread(load, str(path), confined=True), []
    finally:
        path.unlink(missing_ok=True)
