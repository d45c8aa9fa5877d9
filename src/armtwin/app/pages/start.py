"""The first-time page: what can be done with no robot, in one screen."""

from __future__ import annotations

from nicegui import ui

from armtwin.app.control.session import Session
from armtwin.app.pages.frame import frame
from armtwin.app.pages.live import STYLES
from armtwin.model.catalogue.catalogue import arm_names, load

PATH, LABEL, ICON = "/start", "Start", "rocket_launch"
BEST = "ur5e-energy"
"""The arm that shows most: masses, friction and motors."""
MORE = {
    "Teach": "positions, programs, URScript",
    "Check": "a recording against the model",
    "Identify": "masses and friction from recordings",
    "Energy": "where it goes, and how to save it",
    "FMU": "the arm for other simulators",
}
"""Other pages that need no robot, and what they are for."""
STYLE = '<link rel="stylesheet" href="/assets/start.css">'


class StartView(ui.element, component="../assets/start_page.js"):
    """Start, push, see; speaks to the app by itself."""

    def __init__(self, arms: list[str], more: list[tuple[str, str, str]]) -> None:
        """Offer some arms, the first one first, and the way to other pages."""
        super().__init__()
        self._props["arms"], self._props["more"] = arms, more


def register(session: Session) -> None:
    """Serve the page."""

    @ui.page(PATH)
    def start_page() -> None:
        ui.add_head_html(STYLES + STYLE)
        with frame(session, LABEL):
            more = [
                (path, name, MORE[name]) for path, name, _ in session.navigation if name in MORE
            ]
            StartView(virtual_arms(session.robot.arm.name), more)


def other_pages(session: Session) -> list[tuple[str, str, str]]:
    """Return path, name and purpose of the pages that need no robot."""
    return [(path, name, MORE[name]) for path, name, _ in session.navigation if name in MORE]


def virtual_arms(first: str) -> list[str]:
    """Return the arms that a virtual robot can be, the one that suits best first."""
    names = [name for name in arm_names() if name.startswith("ur") and load(name).dof == 6]
    head = [BEST] if first in ("ur5e", BEST) or first not in names else [first, BEST]
    return head + [name for name in names if name not in head]
