"""Rendering in a separate process.

A graphics library that finds no display may abort its process, and MuJoCo chooses its graphics
backend once, when it is first imported. So another process renders. It is given one ``.npz``
archive on its standard input (no pickle) and returns raw RGB frames through a pipe.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import IO, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.errors import MissingDataError
from armtwin.kinematics.forward import fk, link_poses
from armtwin.model.appearance.appearance import appearance
from armtwin.model.arm import Arm
from armtwin.model.formats.meshes.asset_names import AssetNames
from armtwin.model.formats.mjcf_writer import write_mjcf
from armtwin.motion.paths import reach
from armtwin.processes import module_command
from armtwin.simulation.pushes import Post
from armtwin.spatial import Array

SIZE = (480, 640)
"""Rows and columns of a frame."""
MARKS = 80
"""Points of a tool path that are drawn."""
MARGIN = 0.12
"""Room around the arm's links in a picture, in parts of its reach."""
HALF_VIEW = np.deg2rad(22.5)
"""Half of the camera's vertical angle of view [rad]."""
MAX_LOOKS = 50
"""Joint vectors from which the camera's place is chosen."""
Frame = NDArray[np.uint8]


def drawn(
    arm: Arm, q: Array, path: ArrayLike | None = None, posts: Sequence[Post] = ()
) -> Iterator[Frame]:
    """Yield an image (rows, columns, 3) of the arm at every joint vector of ``q`` (n, dof).

    Args:
        arm: the arm.
        q: joint vectors (n, dof).
        path: points of the tool's path (n, 3) [m].
        posts: the obstacles.

    Raises:
        MissingDataError: nothing can be rendered here, and why.
    """
    arm.require_masses()
    process = subprocess.Popen(
        module_command("armtwin.simulation.rendering.draw_frames"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_environment(),
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(scene_archive(arm, q, path, posts))
        process.stdin.close()
        for _ in q:
            yield _frame(process, process.stdout)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def scene_archive(arm: Arm, q: Array, path: ArrayLike | None, posts: Sequence[Post]) -> bytes:
    """Return the .npz archive of a scene: MJCF and posts as text, arrays and files for the rest.

    Args:
        arm: the arm.
        q: joint vectors (n, dof).
        path: points of the tool's path (n, 3) [m]; None for no marks.
        posts: the obstacles.
    """
    archive, names = io.BytesIO(), AssetNames("meshes")
    mjcf = write_mjcf(arm, shapes=appearance(arm), names=names)
    files: dict[str, Any] = {
        f"asset_{number}": np.frombuffer(data, np.uint8)
        for number, data in enumerate(names.files.values())
    }
    centre, radius = _seen(arm, q)
    points = np.zeros((0, 3)) if path is None else np.asarray(path, float)
    np.savez(
        archive,
        mjcf=np.array(mjcf),
        assets=np.array(json.dumps(list(names.files))),
        posts=np.array(json.dumps([_plain(post) for post in posts])),
        q=q,
        marks=points[:: max(1, len(points) // MARKS)],
        look_at=centre,
        distance=np.array(radius / np.sin(HALF_VIEW)),
        **files,
    )
    return archive.getvalue()


def _seen(arm: Arm, q: Array) -> tuple[Array, float]:
    """Return centre (3,) and radius of a sphere around base, links and tool at all ``q`` [m]."""
    some = q[:: max(1, len(q) // MAX_LOOKS)]
    links = link_poses(arm, some, ignore_limits=True)[..., :3, 3].reshape(-1, 3)
    tools = fk(arm, some, ignore_limits=True)[..., :3, 3].reshape(-1, 3)
    points = np.concatenate([[np.array(arm.base)[:3, 3]], links, tools])
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    far = float(np.linalg.norm(points - centre, axis=1).max())
    return centre, far + MARGIN * reach(arm)


def _plain(post: Post) -> dict[str, object]:
    return {
        name: value if value is None or isinstance(value, float) else np.asarray(value).tolist()
        for name, value in asdict(post).items()
    }


def _environment() -> dict[str, str]:
    """Return the process's environment: EGL where there is no display and nothing was chosen."""
    given = dict(os.environ)
    if sys.platform == "linux" and not given.get("DISPLAY"):
        given.setdefault("MUJOCO_GL", "egl")
    return given


def _frame(process: subprocess.Popen[bytes], pipe: IO[bytes]) -> Frame:
    size = SIZE[0] * SIZE[1] * 3
    data = pipe.read(size)
    if len(data) == size:
        return np.frombuffer(data, np.uint8).reshape(*SIZE, 3)
    process.wait()
    lines = process.stderr.read().decode(errors="replace").split("\n") if process.stderr else []
    last = next((line for line in reversed(lines) if line.strip()), f"exit {process.returncode}")
    raise MissingDataError(
        f"cannot draw off-screen ({last.strip()[:300]}); install libegl1 and libgl1-mesa-dri "
        "(Debian), or set MUJOCO_GL to a backend that works here: egl, osmesa or glfw"
    )
