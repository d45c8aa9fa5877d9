"""The Identify page."""

from __future__ import annotations

from nicegui import ui

from armtwin.app.control.session import Session
from armtwin.app.pages.frame import frame

PATH, LABEL, ICON = "/identify", "Identify", "tune"


class IdentifyView(ui.element, component="../assets/identify_page.js"):
    """The arm's own numbers from its recordings."""


def register(session: Session) -> None:
    """Serve the page."""

    @ui.page(PATH)
    def identify_page() -> None:
        ui.add_head_html('<link rel="stylesheet" href="/assets/work.css">')
        with frame(session, LABEL):
            IdentifyView()
