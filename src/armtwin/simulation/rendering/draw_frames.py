"""Render the frames of the scene on standard input, an .npz archive, to standard output.

Started by ``drawing`` alone.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from armtwin.simulation.plant import compiled, load_mujoco
from armtwin.simulation.pushes import Post
from armtwin.simulation.rendering.drawing import SIZE, Frame
from armtwin.simulation.rendering.scene import Scene
from armtwin.spatial import Array

STEP = 1e-3
"""Physics step [s]; the scene is only drawn, not simulated."""


def main() -> None:
    """Render every joint vector of the scene."""
    scene = np.load(io.BytesIO(sys.stdin.buffer.read()), allow_pickle=False)
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what graphics drivers print must not get between the frames
    for frame in _frames(scene):
        pipe.write(np.ascontiguousarray(frame).tobytes())
        pipe.flush()


def _frames(scene: Mapping[str, Array]) -> Iterator[Frame]:
    mujoco = load_mujoco()
    posts = [Post(**post) for post in json.loads(str(scene["posts"]))]
    names = json.loads(str(scene["assets"]))
    assets = {name: scene[f"asset_{number}"].tobytes() for number, name in enumerate(names)}
    marks = Scene(scene["marks"])
    model = compiled(str(scene["mjcf"]), STEP, posts, scene=marks, assets=assets)
    data, camera = mujoco.MjData(model), _camera(mujoco, scene)
    renderer = mujoco.Renderer(model, *SIZE)
    for row in scene["q"]:
        data.qpos[:] = row
        mujoco.mj_forward(model, data)
        renderer.update_scene(data, camera)
        yield renderer.render()


def _camera(mujoco: Any, scene: Mapping[str, Array]) -> Any:
    """Return a camera in front of the arm, to the right and above."""
    camera = mujoco.MjvCamera()
    camera.lookat[:] = scene["look_at"]
    camera.distance, camera.azimuth, camera.elevation = float(scene["distance"]), 135.0, -20.0
    return camera


if __name__ == "__main__":
    main()
