"""Small recordings with planted errors, for studies."""

import numpy as np

import armtwin as at

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
