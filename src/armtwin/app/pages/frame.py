"""Frame of every page: robot's name, navigation, control and STOP."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from nicegui import ui

from armtwin.app.control.session import Session

ON_PHONES = 4
"""Pages in a phone's bottom bar; the others are under More."""
KINDS = {
    "simulated": "simulated",
    "virtual": "virtual robot",
    "real": "REAL ROBOT",
    "servo": "servo arm",
    "recording": "recording",
}
KEPT_LIGHT = (
    "<script>addEventListener('DOMContentLoaded',()=>{const kept=localStorage.armtwin_dark;"
    "if(kept!==undefined)setTimeout(()=>Quasar.Dark.set(kept==='1'));});</script>"
)
OTHER_LIGHT = (
    "() => { Quasar.Dark.toggle(); localStorage.armtwin_dark = Quasar.Dark.isActive ? '1' : '0'; }"
)
"""Toggles dark mode; the browser keeps the choice."""


class ControlBar(ui.element, component="../assets/control_bar.js"):
    """Who has control, and the red button."""


@contextlib.contextmanager
def frame(session: Session, title: str) -> Iterator[None]:
    """Draw the content of the block between header and navigation.

    Args:
        session: the running app.
        title: the page's name, one of those in the navigation where it stands there.
    """
    robot = session.robot
    ui.page_title(f"{title} - {robot.title}")
    ui.colors(primary="#1565c0")
    ui.add_head_html('<link rel="stylesheet" href="/assets/frame.css">' + KEPT_LIGHT)
    ui.dark_mode(value=None)
    real = " real" if robot.real else ""
    with ui.header(fixed=True).classes(f"app-header items-center no-wrap{real}"):
        with ui.element("div").classes("app-title"):
            ui.label(robot.title).classes("app-name").props('data-testid="arm-name"')
            ui.label(KINDS[robot.kind]).classes("app-kind")
        with ui.element("nav").classes("app-nav").props('aria-label="Pages"'):
            for path, label, icon in session.navigation:
                _entry(path, label, icon, current=label == title, small=True)
        ui.space().classes("app-space")
        contrast = ui.button(icon="contrast", color=None).classes("app-contrast")
        contrast.props('flat round aria-label="Dark or light"').on("click", js_handler=OTHER_LIGHT)
        ControlBar()
    with ui.footer(fixed=True).classes("app-foot"):
        for path, label, icon in session.navigation[:ON_PHONES]:
            _entry(path, label, icon, current=label == title)
        _more(session.navigation[ON_PHONES:], title)
    yield


def _entry(path: str, label: str, icon: str, *, current: bool, small: bool = False) -> None:
    with ui.link(target=path) as link:
        if current:
            link.props('aria-current="page"')
        if not small:
            ui.icon(icon, size="24px").props('aria-hidden="true"')
        ui.label(label)


def _more(entries: list[tuple[str, str, str]], title: str) -> None:
    """Add the menu of pages beyond a phone's bottom bar, and dark mode."""
    button = ui.button("More", icon="more_horiz", color=None).props("flat stack no-caps")
    if any(label == title for _, label, _ in entries):
        button.props('aria-current="page"')
    with button, ui.menu().props('anchor="top right" self="bottom right"'):
        for path, label, _ in entries:
            ui.menu_item(label, on_click=lambda path=path: ui.navigate.to(path))
        ui.menu_item("Dark or light").on("click", js_handler=OTHER_LIGHT)
