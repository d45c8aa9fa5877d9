"""The Live page: what the arm does and feels, over seconds or minutes."""

from __future__ import annotations

from nicegui import ui

from armtwin.app.control.session import Session
from armtwin.app.pages.frame import frame

PATH, LABEL, ICON = "/live", "Live", "show_chart"
STYLES = "".join(
    f'<link rel="stylesheet" href="/assets/{name}">' for name in ("uPlot.min.css", "live.css")
)


class LiveView(ui.element, component="../assets/live_page.js"):
    """Charts, alarms and the record button; they take the stream's state by themselves."""


def register(session: Session) -> None:
    """Serve the page."""

    @ui.page(PATH)
    def live_page() -> None:
        ui.add_head_html(STYLES)
        with frame(session, LABEL):
            LiveView()
