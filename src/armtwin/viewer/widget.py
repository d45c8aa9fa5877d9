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
        """Shows an arm, and a recording with its twin.

        Traits:
            content: what is shown, as plain data.
            time: the shown time from the first row [s]; set it to go there. While the recording
                plays it stays, and follows when it stops.
            numbers: sliders that were moved, by group and name ("Payload mass"), with their values
                [SI]; set it to move them, {} to put all back.
            verdict: "passed", "failed" or "not judged", with these numbers; "" until shown.
        """

        _esm = (folder / "widget.js").read_text(encoding="utf-8")
        _css = (folder / "widget.css").read_text(encoding="utf-8")
        content = traitlets.Dict().tag(sync=True)
        time = traitlets.Float(0.0).tag(sync=True)
        numbers = traitlets.Dict().tag(sync=True)
        verdict = traitlets.Unicode("").tag(sync=True)

    return TwinWidget(content=content)
