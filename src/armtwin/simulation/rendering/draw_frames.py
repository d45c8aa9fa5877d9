"""Draws the frames that a pickle on its standard input asks for.

Frames go to its output, one after the other. Started by ``simulate.drawing`` alone.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from armtwin.model.arm import Arm
from armtwin.motion.paths import reach
from armtwin.simulation.plant import Scene, build, load_mujoco
from armtwin.simulation.pushes import Post
from armtwin.simulation.rendering.drawing import SIZE
from armtwin.spatial import Array

MARKS = 80


def main() -> None:
    """Draw every joint vector that was asked for."""
    arm, q, path, posts = pickle.load(sys.stdin.buffer)
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for frame in _frames(arm, q, path, posts):
        pipe.write(np.ascontiguousarray(frame).tobytes())
        pipe.flush()


def _frames(arm: Arm, q: Array, path: Array | None, posts: Sequence[Post]) -> Any:
    mujoco = load_mujoco()
    marks = None if path is None else path[:: max(1, len(path) // MARKS)]
    model = build(arm, 1e-3, posts, scene=Scene(marks))
    data, camera = mujoco.MjData(model), _camera(mujoco, arm)
    renderer = mujoco.Renderer(model, *SIZE)
    for row in q:
        data.qpos[:] = row
        mujoco.mj_forward(model, data)
        renderer.update_scene(data, camera)
        yield renderer.render()


def _camera(mujoco: Any, arm: Arm) -> Any:
    """Return a camera in front of the arm, to the right and above."""
    far = reach(arm)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = np.array(arm.base)[:3, 3] + np.array([0.2, 0.0, 0.35]) * far
    camera.distance, camera.azimuth, camera.elevation = 1.7 * far, 135.0, -20.0
    return camera


if __name__ == "__main__":
    main()
