"""The Teach page: save positions, put them in order, run them."""

from __future__ import annotations

from nicegui import ui

from armtwin.app.control.session import Session
from armtwin.app.pages.frame import frame

PATH, LABEL, ICON = "/teach", "Teach", "playlist_add"


class TeachView(ui.element, component="../assets/teach_page.js"):
    """Positions and their program; it speaks to the API by itself."""


def register(session: Session) -> None:
    """Serve the page."""

    @ui.page(PATH)
    def teach_page() -> None:
        ui.add_head_html('<link rel="stylesheet" href="/assets/work.css">')
        with frame(session, LABEL):
            TeachView()
