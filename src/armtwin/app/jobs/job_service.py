"""Resolves the arms and files that a job names, and starts it."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from armtwin.app.control.ownership import NOBODY, Owner
from armtwin.app.control.run_recorder import FinishedRecording
from armtwin.app.control.session import Session
from armtwin.app.jobs.job import Job
from armtwin.app.jobs.job_parameters import HERE, OWN, JobParameters, files_of
from armtwin.app.jobs.queue import Jobs
from armtwin.app.jobs.uploads import Uploads
from armtwin.errors import InputError, UnknownArmError
from armtwin.model.catalogue.catalogue import arm_names, load
from armtwin.model.formats.toml import write_toml

PART = "jobs"


def job_service(session: Session) -> JobService:
    """Return the session's ``JobService``, created at the first call."""
    return session.part(PART, lambda: JobService(session))


class JobService:
    """Uploads and jobs of one session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.uploads = Uploads()
        self.jobs = Jobs()
        session.on_close.append(self.close)

    async def start(self, parameters: JobParameters, owner: Owner = NOBODY) -> Job:
        """Start a job of an owner.

        Raises:
            InputError: an arm or a file that is not there.
            QueueFullError: too many jobs wait.
        """
        arm = await self._arm_source(parameters.arm)
        files = {key: str(await self._file(key)) for key in files_of(parameters)}
        return self.jobs.start(parameters, arm, files, owner)

    async def close(self) -> None:
        """End every job and delete every file."""
        await self.jobs.close()
        self.uploads.close()

    async def _arm_source(self, name: str) -> str:
        """Return a catalogue name or the path of an uploaded arm file; never a client's path."""
        if name in arm_names():
            return name
        if name != HERE:
            key, mark, chain = name.partition("#")
            return f"{self._uploaded_arm(key)}{mark}{chain}"
        arm = self.session.robot.arm
        if arm.name in arm_names() and load(arm.name).fingerprint == arm.fingerprint:
            return arm.name
        data = write_toml(arm.with_(shapes=())).encode()
        return str((await self.uploads.keep(arm.name, data, "arm")).path)

    def _uploaded_arm(self, key: str) -> Path:
        try:
            path = self.uploads.get(key, "arm").path
            if path.suffix == ".zip":
                raise InputError("it is an archive; load it (Arm, Load), then choose this arm")
            return path
        except InputError as error:
            raise UnknownArmError(
                f"no arm {key[:40]!r}: {error}; or name one of {', '.join(arm_names())}"
            ) from error

    async def _file(self, key: str) -> Path:
        name, _, of = key.partition(":")
        if name != OWN:
            return self.uploads.get(key, "recording").path
        recorder = self.session.parts.get("recorder")
        made: dict[str, FinishedRecording] = getattr(recorder, "finished", {})
        chosen = made.get(of) if of else next(reversed(made.values()), None)
        if chosen is None:
            raise InputError("there is no such recording; press Record first")
        place = self.uploads.reserve(chosen.path.name)
        await asyncio.to_thread(shutil.copyfile, chosen.path, place)
        return place
