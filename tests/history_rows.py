"""Histories for tests: rows with known truth in a folder, and a short recording of an arm."""

import numpy as np
from benchmarks.synthetic_history import synthetic

import armtwin as at
from armtwin.history.store import Store

TIME = np.arange(200) / 50


def fleet(folder, arms, days, **options):
    """Return the history of a synthetic fleet (``benchmarks.synthetic_history``)."""
    Store(folder, create=True).write(synthetic(arms, days, **options))
    return at.History(folder)


def short_run(seed=0, **groups):
    """Return a recording of a UR5e with poses, temperatures and power, too short to identify."""
    random = np.random.default_rng(seed)
    angle = np.outer(2 * np.pi * TIME / 2, np.ones(6))
    q = 0.3 * (1 - np.cos(angle)) + np.array([0, -1.5, 1.2, -1.0, 1.5, 0])
    position = at.fk("ur5e", q)[:, :3, 3]
    noise = 1e-4 * random.standard_normal((200, 3))
    given = {
        "q": q, "target_q": q + 1e-3, "position": position + noise,
        "temperature": np.full((200, 6), 31.0), "power": np.full(200, 100.0),
    }  # fmt: skip
    return at.Recording.of(TIME, given | groups, arm="ur5e", origin=f"run {seed}")
