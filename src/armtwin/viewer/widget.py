"""The page as a notebook widget: the same front end, made by anywidget."""

from __future__ import annotations

from typing import Any

from armtwin.extras import require
from armtwin.viewer.bundle import bundle_folder


def make_widget(content: dict[str, Any]) -> Any:
    """Return a widget that shows a page's content.

    Args:
        content: plain data for ``web/src/file``; it is sent to the notebook once.

    Raises:
        MissingDataError: the extra ``notebook`` is not installed.
        NotBuiltError: the front end is not built.
    """
    require("showing a view in a notebook", "anywidget")
    import anywidget
    import traitlets

    folder = bundle_folder("notebook")

    class TwinWidget(anywidget.AnyWidget):  # type: ignore[misc]
        """Shows an arm, and a recording with its twin."""

        _esm = (folder / "widget.js").read_text(encoding="utf-8")
        _css = (folder / "widget.css").read_text(encoding="utf-8")
        content = traitlets.Dict().tag(sync=True)

    return TwinWidget(content=content)
