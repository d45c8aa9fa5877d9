"""Results on the terminal: their page as text, or their data as JSON, and the files written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from armtwin.cli import progress_display
from armtwin.cli.output import say, say_json

if TYPE_CHECKING:
    from armtwin.progress import Progress
    from armtwin.recording.recording import Recording
    from armtwin.report.result import Result


def show_step(step: Progress | None) -> None:
    """Show a step of the work on the error stream; None clears the line."""
    share = "" if step is None or step.done is None else f" {step.done:4.0%}"
    progress_display.show_step("" if step is None else step.step + share)


def write_reports(
    result: Result, files: Iterable[Path], *, force: bool, view: Path | None = None
) -> list[Path]:
    """Write a result's page to files and return their paths.

    Args:
        result: the result.
        files: .html and .pdf files.
        force: overwrite existing files.
        view: an interactive page that HTML reports link.
    """
    written = []
    for file in files:
        progress_display.show_step(f"writing {file}")
        written.append(result.report(file, view=view, force=force))
    return written


def write_view(
    result: Result,
    file: Path | None,
    *,
    force: bool,
    recording: Callable[[], Recording] | None = None,
) -> list[Path]:
    """Write a result's interactive page, if one was requested, and return the files written.

    Args:
        result: the result.
        file: the .html file; None writes nothing.
        force: overwrite an existing file.
        recording: reads what is played where the result keeps no recording.

    Raises:
        InputError: the result has no motion.
    """
    if file is None:
        return []
    played = None if recording is None else recording()
    made = result.view(played, on_progress=progress_display.reporter(file.name))
    return [made.save(file, force=force)]


def show_result(result: Result, files: Iterable[Path], *, json: bool) -> None:
    """Print a result and the files written.

    Args:
        result: the result.
        files: files written.
        json: print data as JSON instead of the page as text.
    """
    show_step(None)
    if json:
        say_json(result.to_dict() | {"files": list(files)})
        return
    from armtwin.report.renderers.text import text

    say(text(result.page()).rstrip("\n"))
    for file in files:
        say(f"written: {file}")
