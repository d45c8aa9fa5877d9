"""The pages: their addresses, names and views.

A view is a component of ``assets``; it speaks to the stream and the API by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nicegui import ui

from armtwin.app.control.session import Session
from armtwin.app.pages.frame import frame
from armtwin.fmu.export.models import MODELS
from armtwin.model.catalogue.catalogue import arm_names, load
from armtwin.recording.columns.dialects import bundled

BEST = "ur5e-energy"
"""The arm that shows most as a virtual robot: it has masses, friction and motors."""
MORE = {
    "Teach": "positions, programs, URScript",
    "Check": "a recording against the model",
    "Identify": "masses and friction from recordings",
    "Energy": "where it goes, and how to save it",
    "FMU": "the arm for other simulators",
}
"""Pages that need no robot, and their purpose."""


class ArmView(ui.element, component="../assets/arm_page.js"):
    """The 3-D view and everything that moves the arm."""


class TeachView(ui.element, component="../assets/teach_page.js"):
    """Positions and the program made of them."""


class LiveView(ui.element, component="../assets/live_page.js"):
    """Charts of the state, alarms and the record button."""


class _RecordingView(ui.element):
    """A page that reads recordings; it offers the bundled mappings of columns."""

    def __init__(self) -> None:
        super().__init__()
        self._props["mappings"] = list(bundled())


class CheckView(_RecordingView, component="../assets/check_page.js"):
    """Validation of the model against a recording."""


class IdentifyView(_RecordingView, component="../assets/identify_page.js"):
    """Identification of masses, friction and motors from recordings."""


class EnergyView(_RecordingView, component="../assets/energy_page.js"):
    """Energy of a recording, and the motion of least energy."""


class FmuView(ui.element, component="../assets/fmu_page.js"):
    """Export of an arm's model to other simulators."""

    def __init__(self) -> None:
        super().__init__()
        self._props["models"] = {name: kind.summary for name, kind in MODELS.items()}


class StartView(ui.element, component="../assets/start_page.js"):
    """The first-time page: what can be done without a robot.

    Args:
        arms: names of arms that a virtual robot can be, the proposed one first.
        more: path, name and purpose of other pages.
    """

    def __init__(self, arms: list[str], more: list[tuple[str, str, str]]) -> None:
        super().__init__()
        self._props["arms"], self._props["more"] = arms, more


@dataclass(frozen=True)
class AppPage:
    """A page: address, entry in the navigation (a Material icon's name), style files, content."""

    path: str
    label: str
    icon: str
    styles: tuple[str, ...]
    view: Callable[[Session], object]

    def register(self, session: Session) -> None:
        """Serve the page."""

        @ui.page(self.path)
        def page() -> None:
            links = (f'<link rel="stylesheet" href="/assets/{name}">' for name in self.styles)
            ui.add_head_html("".join(links))
            with frame(session, self.label):
                self.view(session)


def _start(session: Session) -> StartView:
    more = [(path, name, MORE[name]) for path, name, _ in session.navigation if name in MORE]
    return StartView(virtual_arms(session.robot.arm.name), more)


def virtual_arms(first: str) -> list[str]:
    """Return the arms that a virtual robot can be, ``first`` or the most suitable one first."""
    names = [name for name in arm_names() if name.startswith("ur") and load(name).dof == 6]
    head = [BEST] if first in ("ur5e", BEST) or first not in names else [first, BEST]
    return head + [name for name in names if name not in head]


WORK, CHARTS = ("work.css",), ("uPlot.min.css", "live.css")
PAGES = (
    AppPage("/", "Arm", "precision_manufacturing", ("arm_page.css",), lambda _: ArmView()),
    AppPage("/teach", "Teach", "playlist_add", WORK, lambda _: TeachView()),
    AppPage("/live", "Live", "show_chart", CHARTS, lambda _: LiveView()),
    AppPage("/check", "Check", "fact_check", WORK, lambda _: CheckView()),
    AppPage("/identify", "Identify", "tune", WORK, lambda _: IdentifyView()),
    AppPage("/energy", "Energy", "bolt", WORK, lambda _: EnergyView()),
    AppPage("/fmu", "FMU", "deployed_code", WORK, lambda _: FmuView()),
    AppPage("/start", "Start", "rocket_launch", (*CHARTS, "start.css"), _start),
)
"""All pages in the order of the navigation."""
