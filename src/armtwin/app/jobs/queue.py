"""Runs jobs in separate processes, two at a time; others wait.

A job's files are in a private temporary folder, deleted with the job or when the app ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import shutil
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

from armtwin.app.control.ownership import NOBODY, Owner, eviction_candidate
from armtwin.app.jobs import process as job_process
from armtwin.app.jobs.job import OVER, Job, ending, kill
from armtwin.app.jobs.job_parameters import JobParameters
from armtwin.errors import JobError, QueueFullError

MAX_RUNNING = 2
"""Jobs at a time: each may take 40 % of the memory (``MEMORY_SHARE``)."""
MAX_KEPT = 12
"""Jobs that are kept with their files; finished ones make room for new ones."""
PERIOD = 0.1
"""Time between looks at a job's process [s]."""
PATIENCE = 3.0
"""Time that a process has to end, before it is killed [s]."""


class Jobs:
    """The jobs of one running app."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._watches: dict[str, asyncio.Task[None]] = {}
        self._folder: Path | None = None

    def all(self) -> list[Job]:
        """Return every job, the newest first."""
        return list(self._jobs.values())[::-1]

    def get(self, key: str) -> Job:
        """Return a job by its id.

        Raises:
            JobError: no such job.
        """
        if key not in self._jobs:
            raise JobError(f"no job {key[:40]!r}; it was removed, or never existed")
        return self._jobs[key]

    def start(
        self,
        parameters: JobParameters,
        arm_source: str,
        files: dict[str, str],
        owner: Owner = NOBODY,
    ) -> Job:
        """Start a job, or queue it.

        Args:
            parameters: kind and parameters.
            arm_source: catalogue name or arm file.
            files: paths of uploads by id.
            owner: who starts it.

        Raises:
            QueueFullError: too many wait already.
        """
        self._make_room(owner)
        key = uuid.uuid4().hex[:12]
        folder = self._place() / key
        folder.mkdir(mode=0o700)
        job = self._jobs[key] = Job(key, parameters, arm_source, files, folder, owner=owner)
        self._next()
        return job

    async def cancel(self, key: str) -> Job:
        """End a job's process at once; a job that is over stays as it is."""
        job = self.get(key)
        if job.state in OVER:
            return job
        job.state, job.step, job.outcome = "cancelled", "cancelled", None
        job.ended = time.monotonic()
        await self._end(job)
        self._next()
        return job

    async def remove(self, key: str) -> None:
        """Cancel a job if need be, and delete its files."""
        job = await self.cancel(key)
        self._drop(job)

    async def close(self) -> None:
        """End every process and delete every file."""
        for job in self._jobs.values():
            if job.state not in OVER:
                job.state = "cancelled"
        for job in list(self._jobs.values()):
            await self._end(job)
            self._drop(job)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _place(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="armtwin-jobs-"))
        return self._folder

    def _make_room(self, owner: Owner) -> None:
        """Drop a finished job where there are too many: the owner's oldest, else the oldest."""
        over = [job for job in self._jobs.values() if job.state in OVER]
        if len(self._jobs) < MAX_KEPT:
            return
        leaving = eviction_candidate(over, lambda job: job.owner, owner)
        if leaving is None:
            raise QueueFullError(f"{len(self._jobs)} jobs wait already; cancel one, or wait")
        self._drop(leaving)

    def _drop(self, job: Job) -> None:
        self._jobs.pop(job.id, None)
        shutil.rmtree(job.folder, ignore_errors=True)

    def _next(self) -> None:
        """Start waiting jobs while fewer than two run."""
        running = sum(job.state == "running" for job in self._jobs.values())
        waiting = [job for job in self._jobs.values() if job.state == "waiting"]
        for job in waiting[: max(MAX_RUNNING - running, 0)]:
            self._launch(job)

    def _launch(self, job: Job) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        parameters = job.parameters.model_dump_json()
        arguments = (theirs, parameters, job.arm_source, job.files, str(job.folder))
        job.process = context.Process(target=job_process.main, args=arguments, daemon=True)
        job.process.start()
        theirs.close()
        job.state, job.step, job.begun = "running", "starting", time.monotonic()
        self._watches[job.id] = asyncio.create_task(self._watch(job, ours))

    async def _watch(self, job: Job, connection: Any) -> None:
        """Process a job's messages until it ends, then wait for its process."""
        process = job.process
        try:
            while job.state == "running":
                if not connection.poll():
                    await asyncio.sleep(PERIOD)
                    continue
                job.take(json.loads(connection.recv_bytes()))
        except (EOFError, OSError):
            await asyncio.to_thread(process.join, PATIENCE)
            job.take({"error": f"the job's process ended without a message ({ending(process)})"})
        finally:
            connection.close()
        job.ended = time.monotonic()
        self._next()
        await asyncio.to_thread(process.join, PATIENCE)
        if process.is_alive():
            kill(process)
        self._watches.pop(job.id, None)

    async def _end(self, job: Job) -> None:
        """Kill a job's process and everything that it started."""
        process, job.process = job.process, None
        watch = self._watches.pop(job.id, None)
        if watch is not None:
            watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watch
        if process is None:
            return
        if process.is_alive():
            kill(process)
        await asyncio.to_thread(process.join, PATIENCE)
