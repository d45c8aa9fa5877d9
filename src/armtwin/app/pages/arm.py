"""The Arm page: see it, move it."""

from __future__ import annotations

from nicegui import ui

from armtwin.app.control.session import Session
from armtwin.app.pages.frame import frame

PATH, LABEL, ICON = "/", "Arm", "precision_manufacturing"


class ArmView(ui.element, component="../assets/arm_page.js"):
    """The 3-D view and everything that moves the arm; it speaks to the stream by itself."""


def register(session: Session) -> None:
    """Serve the page."""

    @ui.page(PATH)
    def arm_page() -> None:
        ui.add_head_html('<link rel="stylesheet" href="/assets/arm_page.css">')
        with frame(session, LABEL):
            ArmView()
