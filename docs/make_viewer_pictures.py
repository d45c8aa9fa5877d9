"""Makes the pictures of docs/viewer.md: ``python docs/make_viewer_pictures.py [FOLDER]``.

Simulates a pushed UR10e, saves it with ``armtwin.view`` and photographs the page in Chromium on a
desk and on a phone, light and dark.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pictures_taken import browser, opened, settle, take
from playwright.sync_api import Page

import armtwin as at

SHOTS = (
    ("viewer_desk", "twin", "desk", "light", "Results", 6.3),
    ("viewer_desk_dark", "twin", "desk", "dark", "Adjust", 8.6),
    ("viewer_phone", "twin", "phone", "light", "Results", 3.0),
    ("viewer_phone_dark", "twin", "phone", "dark", "Play", 6.3),
    ("viewer_meshes", "model", "desk", "light", "Move", 0.0),
)
"""Name, file, size, theme, tab, and time in the recording [s]."""
ADJUST = """() => armtwinSession.content.sliders.forEach((slider, k) => {
  if (slider.name === "a2") armtwinSession.setSlider(k, slider.lower);
  if (slider.name === "mass") armtwinSession.setSlider(k, slider.upper / 2);
})"""


def main(folder: Path) -> None:
    """Write all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, browser() as chromium:
        at.view("ur10e", recording()).save(Path(place, "twin.html"))
        at.view("xarm7").save(Path(place, "model.html"))
        for name, file, size, theme, tab, moment in SHOTS:
            with opened(chromium, size, theme) as page:
                page.goto(Path(place, f"{file}.html").as_uri())
                page.wait_for_selector("[data-posed]")
                show(page, tab, moment)
                settle(page)
                take(page, folder / f"{name}.webp")


def recording() -> at.Recording:
    """Return a simulated UR10e with friction, noise and small errors that is pushed once."""
    from armtwin.demo import scenario

    staged = scenario.staged(scenario.built(at.load("ur10e")), (scenario.PUSH,), seed=0)
    for _ in staged.parts():
        pass
    return staged.recording()


def show(page: Page, tab: str, moment: float) -> None:
    """Open a tab at a moment, and move a slider where there is one."""
    page.get_by_role("tab", name=tab).click()
    page.evaluate("t => armtwinSession.clock.seek(t)", moment)
    if tab == "Adjust":
        page.evaluate(ADJUST)
    if tab == "Move":
        page.get_by_role("button", name="Drag tool").click()


if __name__ == "__main__":
    default = Path(__file__).parent / "pictures"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
