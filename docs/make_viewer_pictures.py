"""Makes the pictures of docs/viewer.md: ``python docs/make_viewer_pictures.py [FOLDER]``.

Simulates a pushed UR10e, saves it with ``armtwin.view`` and photographs the page in Chromium on a
desk and on a phone, light and dark.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

import armtwin as at

DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
QUALITY = 88
"""Of WebP pictures."""


def main(folder: Path) -> None:
    """Write all pictures into a folder."""
    with tempfile.TemporaryDirectory() as place:
        twin, model = Path(place, "twin.html"), Path(place, "model.html")
        at.view("ur10e", recording()).save(twin)
        at.view("xarm7").save(model)
        with sync_playwright() as tools:
            browser = tools.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            shots: list[tuple[str, Path, dict[str, int], str, str, float]] = [
                ("viewer_desk", twin, DESK, "light", "Results", 6.3),
                ("viewer_desk_dark", twin, DESK, "dark", "Adjust", 8.6),
                ("viewer_phone", twin, PHONE, "light", "Results", 3.0),
                ("viewer_phone_dark", twin, PHONE, "dark", "Play", 6.3),
                ("viewer_meshes", model, DESK, "light", "Move", 0.0),
            ]
            for name, file, size, theme, tab, moment in shots:
                context = browser.new_context(
                    viewport=size, color_scheme=theme, has_touch=size is PHONE
                )
                page = context.new_page()
                page.goto(file.as_uri())
                page.wait_for_selector("[data-posed]", timeout=120_000)
                show(page, tab, moment)
                shot = Path(place, "shot.png")
                page.screenshot(path=shot)
                shrink(shot, folder / f"{name}.webp")
                context.close()
            browser.close()


def recording() -> at.Recording:
    """Return a simulated UR10e with friction, noise and small errors that is pushed once."""
    from armtwin.demo import scenario

    staged = scenario.staged(scenario.built(at.load("ur10e")), (scenario.PUSH,), seed=0)
    for _ in staged.parts():
        pass
    return staged.recording()


def show(page: Page, tab: str, moment: float) -> None:
    """Open a tab at a moment, move a slider where there is one, and wait for a fine picture."""
    page.get_by_role("tab", name=tab).click()
    page.evaluate("t => armtwinSession.clock.seek(t)", moment)
    if tab == "Adjust":
        page.evaluate(
            """() => armtwinSession.content.sliders.forEach((slider, k) => {
              if (slider.name === "a2") armtwinSession.setSlider(k, slider.lower);
              if (slider.name === "mass") armtwinSession.setSlider(k, slider.upper / 2);
            })"""
        )
    if tab == "Move":
        page.get_by_role("button", name="Drag tool").click()
    seen: Any = None
    since = time.monotonic()
    while time.monotonic() - since < 6.0:
        now = page.evaluate("document.querySelector('[data-drawn]')?.dataset.drawn ?? ''")
        if now != seen:
            seen, since = now, time.monotonic()
        page.wait_for_timeout(200)


def shrink(shot: Path, path: Path) -> None:
    """Write a picture as WebP, which keeps it small."""
    from PIL import Image

    with Image.open(shot) as picture:
        picture.convert("RGB").save(path, quality=QUALITY, method=6)


if __name__ == "__main__":
    default = Path(__file__).parent / "pictures"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
