"""A Ray cluster of several nodes on this machine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

TRIES = 5
"""Ray gives a node 30 s to start, which a very busy machine does not always keep to."""


@contextlib.contextmanager
def cluster_of(count: int) -> Iterator[tuple[Any, list[Any]]]:
    """Yield a cluster and its nodes but the head, each with one core."""
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        _added(cluster, include_dashboard=False)
        yield cluster, [_added(cluster) for _ in range(count - 1)]
    finally:
        cluster.shutdown()


def _added(cluster: Any, **options: Any) -> Any:
    """Return a new node of one core."""
    for left in reversed(range(TRIES)):
        try:
            return cluster.add_node(num_cpus=1, **options)
        except Exception:  # noqa: BLE001 - Ray raises no narrower one when a node starts too slowly
            if not left:
                raise
    raise AssertionError
