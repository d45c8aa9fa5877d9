"""Small recordings with planted errors, for studies, and workers that run in this process."""

import numpy as np

import armtwin as at
from armtwin.studies.runs.rows import run_group
from armtwin.studies.workers.workers import GroupOutcome, Workers

TIME = 0.01 * np.arange(40)


def recording(number, *, arm="ur5e", noise=1e-4):
    """Return 40 samples of an arm whose measured positions have noise of a known size [m]."""
    model, random = at.load(arm), np.random.default_rng(number)
    rates, phases = random.uniform(1, 3, model.dof), random.uniform(0, 6, model.dof)
    q = 0.4 * np.sin(TIME[:, None] * rates + phases)
    position = at.tool_coordinates(model, q).position
    position = position + noise * random.standard_normal(position.shape)
    return at.Recording.of(TIME, {"q": q, "position": position}, arm=arm)


def write_recordings(folder, count):
    """Write recordings ``run00.parquet`` and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        recording(number).save(folder / f"run{number:02d}.parquet")
    return folder


def study_of(folder, **more):
    """Return a study that validates every recording of a folder."""
    fixed = {"arm": "ur5e", "validate": {"efforts": False}}
    content = {"verb": "validate", "fixed": fixed, "recordings": {"folder": str(folder)}}
    return content | more


class SameProcess(Workers):
    """Runs groups at once in this process; ``dying`` are rows that end their worker."""

    count = 1

    def __init__(self, dying=()):
        self._done, self._dying = [], dying

    @property
    def pending(self):
        """Groups whose outcome was not fetched yet."""
        return len(self._done)

    def submit(self, group):
        """Run a group."""
        lost = any(row.row in self._dying for row in group.rows)
        ran = None if lost else run_group([row.order("validate") for row in group.rows])
        self._done.append(GroupOutcome(group, ran))

    def finished(self):
        """Return what was run."""
        found, self._done = self._done, []
        return found

    def close(self):
        """Forget what was not fetched."""
        self._done = []
