"""Pictures and films of a run, drawn off-screen."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armtwin.errors import InputError, MissingDataError
from armtwin.files import write_output
from armtwin.model.arm import Arm
from armtwin.plan.tool_paths import reach
from armtwin.record.recording import Recording
from armtwin.simulate.plant import Scene, build, load_mujoco
from armtwin.simulate.pushes import Post
from armtwin.spatial import Array

SIZE = (480, 640)
FPS = 25
FILMS, STILLS = (".mp4", ".gif"), (".png", ".jpg", ".jpeg")
MARKS = 80

Frame = NDArray[np.uint8]


def still(
    arm: Arm,
    q: ArrayLike,
    file: str | Path,
    *,
    path: ArrayLike | None = None,
    posts: Sequence[Post] = (),
    force: bool = False,
) -> Path:
    """Draw the arm at ``q`` (dof,), a tool path (n, 3) [m] and posts to a .png or .jpg file."""
    from PIL import Image

    file = checked_name(file, STILLS)
    with _renderer(arm, path, posts) as draw:
        image = Image.fromarray(draw(np.asarray(q, float)))
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / file.name
        image.save(drawn)
        write_output(file, drawn.read_bytes(), force=force)
    return file


def film(
    arm: Arm,
    run: Recording,
    file: str | Path,
    *,
    posts: Sequence[Post] = (),
    force: bool = False,
) -> Iterator[float]:
    """Draw a run to an .mp4 or .gif file, and yield from frame to frame how far it is, 0 to 1.

    The film runs in real time at 25 frames a second, with the wanted path of the tool in it.
    """
    file = checked_name(file, FILMS)
    times = np.arange(run.time[0], run.time[-1], 1 / FPS)
    q = run.q[np.minimum(np.searchsorted(run.time, times), len(run) - 1)]
    path = run.group("target_position") if run.has("target_position") else None
    frames = []
    with _renderer(arm, path, posts) as draw:
        for number, row in enumerate(q, 1):
            frames.append(draw(row))
            yield 0.9 * number / len(q)
    data = _gif(frames) if file.suffix.lower() == ".gif" else _mp4(frames)
    write_output(file, data, force=force)
    yield 1.0


def checked_name(file: str | Path, endings: tuple[str, ...]) -> Path:
    """Return the path after refusing an ending that cannot be drawn."""
    path = Path(file)
    if path.suffix.lower() not in endings:
        raise InputError(f"{path.name!r} must end in one of {', '.join(endings)}")
    return path


@contextlib.contextmanager
def _renderer(arm: Arm, path: ArrayLike | None, posts: Sequence[Post]) -> Iterator[Any]:
    """Give a function that draws joint vectors (dof,) as images (rows, columns, 3)."""
    mujoco = load_mujoco()
    marks = None if path is None else _thinned(np.asarray(path, float))
    model = build(arm, 1e-3, posts, scene=Scene(marks))
    data, camera = mujoco.MjData(model), _camera(mujoco, arm)
    try:
        renderer = mujoco.Renderer(model, *SIZE)
    except Exception as error:  # noqa: BLE001 - every graphics stack fails in its own way
        raise MissingDataError(
            f"cannot draw off-screen ({error}); install libegl1 and libgl1-mesa-dri (Debian), or "
            "set MUJOCO_GL to a way that works here: egl, osmesa or glfw"
        ) from error

    def draw(q: Array) -> Frame:
        data.qpos[:] = q
        mujoco.mj_forward(model, data)
        renderer.update_scene(data, camera)
        return np.array(renderer.render())

    try:
        yield draw
    finally:
        renderer.close()


def _thinned(path: Array) -> Array:
    return path[:: max(1, len(path) // MARKS)]


def _camera(mujoco: Any, arm: Arm) -> Any:
    """Return a camera in front of the arm, to the right and above."""
    far = reach(arm)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = np.array(arm.base)[:3, 3] + np.array([0.2, 0.0, 0.35]) * far
    camera.distance, camera.azimuth, camera.elevation = 1.7 * far, 135.0, -20.0
    return camera


def _gif(frames: list[Frame]) -> bytes:
    import io

    from PIL import Image

    images = [Image.fromarray(frame).quantize(64) for frame in frames]
    data = io.BytesIO()
    images[0].save(
        data, "GIF", save_all=True, append_images=images[1:], duration=1000 // FPS, loop=0
    )
    return data.getvalue()


def _mp4(frames: list[Frame]) -> bytes:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise MissingDataError(
            "an .mp4 needs imageio-ffmpeg, which is not installed; pip install "
            "'armtwin[simulate]', or write a .gif"
        ) from error
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "film.mp4"
        size = (SIZE[1], SIZE[0])
        writer = imageio_ffmpeg.write_frames(str(file), size, fps=FPS, macro_block_size=16)
        writer.send(None)
        for frame in frames:
            writer.send(np.ascontiguousarray(frame))
        writer.close()
        return file.read_bytes()
