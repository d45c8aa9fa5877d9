"""The viewer of results, entered by ``armtwin`` itself.

It stands on top of everything that it shows, so that this package cannot import it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from armtwin.errors import InputError
from armtwin.progress import OnProgress

viewer: Callable[[Any, Any, OnProgress | None], Any] | None = None
"""Returns the view of a result and of a recording that is played in place of its own."""


def make_view(result: Any, recording: Any, on_progress: OnProgress | None = None) -> Any:
    """Return the view of a result.

    Args:
        result: the result.
        recording: what is played in place of its own; None for its own.
        on_progress: called before each step; raise from it to cancel.
    """
    assert viewer is not None, "importing armtwin enters it"
    return viewer(result, recording, on_progress)


def page_path(path: str | Path) -> Path:
    """Return the path of a page.

    Raises:
        InputError: its name does not end in .html.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{target.name}: the page is an HTML file; end its name in .html")
    return target
