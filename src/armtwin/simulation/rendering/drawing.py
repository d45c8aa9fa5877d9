"""Drawing in a process of its own.

A graphics library that finds no display may abort the process that it runs in, and MuJoCo chooses
its way of drawing once, when it is first imported. So another process draws; its frames come
through a pipe.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import IO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.errors import MissingDataError
from armtwin.model.arm import Arm
from armtwin.simulation.pushes import Post
from armtwin.spatial import Array

SIZE = (480, 640)
Frame = NDArray[np.uint8]


def drawn(
    arm: Arm, q: Array, path: ArrayLike | None = None, posts: Sequence[Post] = ()
) -> Iterator[Frame]:
    """Yield an image (rows, columns, 3) of the arm at every joint vector of ``q`` (n, dof).

    Args:
        arm: the arm.
        q: joint vectors (n, dof).
        path: points of the tool's path (n, 3) [m].
        posts: what stands in its way.

    Raises:
        MissingDataError: nothing can be drawn here, and why.
    """
    order = pickle.dumps((arm.with_(), q, None if path is None else np.asarray(path), posts))
    process = subprocess.Popen(
        [sys.executable, "-m", "armtwin.simulation.rendering.draw_frames"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_surroundings(),
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(order)
        process.stdin.close()
        for _ in q:
            yield _frame(process, process.stdout)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _surroundings() -> dict[str, str]:
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
    said = process.stderr.read().decode(errors="replace").split("\n") if process.stderr else []
    last = next((line for line in reversed(said) if line.strip()), f"exit {process.returncode}")
    raise MissingDataError(
        f"cannot draw off-screen ({last.strip()[:300]}); install libegl1 and libgl1-mesa-dri "
        "(Debian), or set MUJOCO_GL to a way that works here: egl, osmesa or glfw"
    )
