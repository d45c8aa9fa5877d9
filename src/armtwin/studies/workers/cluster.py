"""Workers of a Ray cluster, on many machines."""

from __future__ import annotations

import logging
from typing import Any

from armtwin.errors import InputError
from armtwin.extras import require
from armtwin.studies.runs.rows import run_group
from armtwin.studies.workers.workers import GroupOutcome, RowGroup, RunGroup, Workers

RETRIES = 3
"""Retries of a group whose node or process died, by Ray."""


class ClusterWorkers(Workers):
    """One worker per core of a Ray cluster.

    Ray itself runs a group again whose node was lost. A group comes back without outcomes when
    its process died that often.
    """

    def __init__(self, verb: str, address: str, run: RunGroup = run_group) -> None:
        """Connect to a cluster.

        Args:
            verb: the verb that is run.
            address: ``auto``, ``HOST:PORT`` or ``ray://HOST:PORT``.
            run: runs the rows of a group, given as ``StudyRow.order``.

        Raises:
            InputError: no cluster answers there.
        """
        require("a study on a cluster", "ray")
        import ray

        self._ray, self._verb = ray, verb
        self._own = not ray.is_initialized()
        if self._own:
            try:
                ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
            except (ConnectionError, ValueError, RuntimeError) as error:
                raise InputError(
                    f"no Ray cluster answers at {address!r}: {error}; start one with "
                    "'ray start --head', or leave the cluster out to use this machine"
                ) from error
        self.count = max(1, int(ray.cluster_resources().get("CPU", 1)))
        # Ray itself sets OMP_NUM_THREADS to num_cpus; run_group limits the other libraries.
        self._run = ray.remote(num_cpus=1, max_retries=RETRIES)(run)
        self._groups: dict[Any, RowGroup] = {}

    @property
    def pending(self) -> int:
        """Groups that were submitted and are not finished."""
        return len(self._groups)

    def submit(self, group: RowGroup) -> None:
        """Hand a group to the cluster."""
        run = self._run.options(max_retries=0) if group.alone else self._run
        self._groups[run.remote([row.order(self._verb) for row in group.rows])] = group

    def finished(self) -> list[GroupOutcome]:
        """Wait until a group is finished, and return all that are."""
        waiting = list(self._groups)
        done, _ = self._ray.wait(waiting, num_returns=1)
        ready, _ = self._ray.wait(waiting, num_returns=len(waiting), timeout=0)
        return [self._outcome(one) for one in dict.fromkeys([*done, *ready])]

    def _outcome(self, reference: Any) -> GroupOutcome:
        group, errors = self._groups.pop(reference), self._ray.exceptions
        try:
            return GroupOutcome(group, self._ray.get(reference))
        except errors.RayTaskError:  # a fault of armtwin itself, on the worker
            raise
        except errors.RayError:
            return GroupOutcome(group, None)

    def close(self) -> None:
        """Cancel what is not finished, and disconnect where the connection is our own."""
        for reference in self._groups:
            self._ray.cancel(reference, force=True)
        self._groups.clear()
        if self._own:
            self._ray.shutdown()
