"""Pictures and films of a run, rendered off-screen."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError, MissingDataError
from armtwin.files import write_output
from armtwin.model.arm import Arm
from armtwin.progress import OnProgress, report_step
from armtwin.recording.recording import Recording
from armtwin.simulation.pushes import Post
from armtwin.simulation.rendering.drawing import SIZE, Frame, drawn

FPS = 25
"""Pictures a second of a film: 40 ms each, which GIF can state (in 10 ms)."""
FILMS, STILLS = (".mp4", ".gif"), (".png", ".jpg", ".jpeg")


def still(
    arm: Arm,
    q: ArrayLike,
    file: str | Path,
    *,
    path: ArrayLike | None = None,
    posts: Sequence[Post] = (),
    force: bool = False,
) -> Path:
    """Draw the arm to a .png or .jpg file and return its path.

    Args:
        arm: the arm.
        q: joint vector (dof,).
        file: where the picture goes.
        path: positions of the tool (n, 3) [m], in base.
        posts: the obstacles.
        force: overwrite an existing file.
    """
    from PIL import Image

    file = checked_name(file, STILLS)
    (frame,) = drawn(arm, np.asarray(q, float)[None], path, posts)
    image = Image.fromarray(frame)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / file.name
        image.save(made)
        write_output(file, made.read_bytes(), force=force)
    return file


def film(
    arm: Arm,
    run: Recording,
    file: str | Path,
    *,
    posts: Sequence[Post] = (),
    force: bool = False,
    on_progress: OnProgress | None = None,
) -> Path:
    """Draw a run to an .mp4 or .gif file, in real time at 25 frames a second; return the path.

    Args:
        arm: the arm.
        run: the recording; its target path of the tool is drawn, too.
        file: where the film goes.
        posts: the obstacles.
        force: overwrite an existing file.
        on_progress: called after every frame.
    """
    file = checked_name(file, FILMS)
    times = np.arange(run.time[0], run.time[-1], 1 / FPS)
    q = run.q[np.minimum(np.searchsorted(run.time, times), len(run) - 1)]
    path = run.group("target_position") if run.has("target_position") else None
    frames = []
    for number, frame in enumerate(drawn(arm, q, path, posts), 1):
        frames.append(frame)
        report_step(on_progress, "drawing", number / len(q))
    data = _gif(frames) if file.suffix.lower() == ".gif" else _mp4(frames)
    write_output(file, data, force=force)
    return file


def checked_name(file: str | Path, endings: tuple[str, ...]) -> Path:
    """Return the path; raise InputError for an ending that cannot be drawn."""
    path = Path(file)
    if path.suffix.lower() not in endings:
        raise InputError(f"{path.name!r} must end in one of {', '.join(endings)}")
    return path


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
