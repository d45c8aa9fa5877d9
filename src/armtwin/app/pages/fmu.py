"""The FMU page."""

from __future__ import annotations

from nicegui import ui

from armtwin.app.control.session import Session
from armtwin.app.pages.frame import frame
from armtwin.fmu.export.models import MODELS

PATH, LABEL, ICON = "/fmu", "FMU", "deployed_code"


class FmuView(ui.element, component="../assets/fmu_page.js"):
    """An arm's model for other simulators."""

    def __init__(self) -> None:
        super().__init__()
        self._props["models"] = {name: kind.summary for name, kind in MODELS.items()}


def register(session: Session) -> None:
    """Serve the page."""

    @ui.page(PATH)
    def fmu_page() -> None:
        ui.add_head_html('<link rel="stylesheet" href="/assets/work.css">')
        with frame(session, LABEL):
            FmuView()
