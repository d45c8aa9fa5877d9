"""The built front end: scripts and style sheets of ``web/``, which the wheel carries."""

from __future__ import annotations

from pathlib import Path

from armtwin.errors import NotBuiltError

DIST = Path(__file__).parent / "dist"
"""Where ``requirements/build_web.py`` writes: one folder for the app, the file and the notebook."""


def bundle_folder(home: str) -> Path:
    """Return the folder of the built front end for ``app``, ``file`` or ``notebook``.

    Raises:
        NotBuiltError: the front end has not been built.
    """
    folder = DIST / home
    if not folder.is_dir():
        raise NotBuiltError(
            f"the front end for {home!r} is not built: no folder {home} in armtwin/viewer/dist; "
            "in a checkout run python requirements/build_web.py, else install the wheel again"
        )
    return folder
