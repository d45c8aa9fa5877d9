"""The Energy page."""

from __future__ import annotations

from nicegui import ui

from armtwin.app.control.session import Session
from armtwin.app.pages.frame import frame

PATH, LABEL, ICON = "/energy", "Energy", "bolt"


class EnergyView(ui.element, component="../assets/energy_page.js"):
    """Where energy goes, and the motion that takes the least."""


def register(session: Session) -> None:
    """Serve the page."""

    @ui.page(PATH)
    def energy_page() -> None:
        ui.add_head_html('<link rel="stylesheet" href="/assets/work.css">')
        with frame(session, LABEL):
            EnergyView()
