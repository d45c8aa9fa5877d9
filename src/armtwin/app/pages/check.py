"""The Check page."""

from __future__ import annotations

from nicegui import ui

from armtwin.app.control.session import Session
from armtwin.app.pages.frame import frame

PATH, LABEL, ICON = "/check", "Check", "fact_check"


class CheckView(ui.element, component="../assets/check_page.js"):
    """Does the twin do what the recorded arm did?"""


def register(session: Session) -> None:
    """Serve the page."""

    @ui.page(PATH)
    def check_page() -> None:
        ui.add_head_html('<link rel="stylesheet" href="/assets/work.css">')
        with frame(session, LABEL):
            CheckView()
