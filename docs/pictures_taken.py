"""Pictures of pages in Debian's chromium, which draws in software, as small WebP files."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

SIZES: dict[str, dict[str, int]] = {
    "desk": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
    "landscape": {"width": 844, "height": 390},
}
THEMES = ("light", "dark")
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
QUALITY = 82
"""Of WebP pictures."""
SETTLED, LONGEST = 4.0, 60.0
"""A page has settled after this time without another picture of the scene; longest wait [s]."""
DRAWN = "document.querySelector('[data-drawn]')?.dataset.drawn ?? ''"
FINE = "document.querySelector('[data-drawn]')?.dataset.quality !== 'coarse'"


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """Give a browser."""
    with sync_playwright() as tools:
        opened = tools.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        try:
            yield opened
        finally:
            opened.close()


@contextlib.contextmanager
def opened(chromium: Browser, size: str, theme: str) -> Iterator[Page]:
    """Give an empty page of a size in a theme; phones have a touch screen."""
    context = chromium.new_context(
        viewport=SIZES[size],  # type: ignore[arg-type]
        color_scheme=theme,  # type: ignore[arg-type]
        has_touch=size != "desk",
        reduced_motion="reduce",
    )
    context.set_default_timeout(180_000)
    try:
        yield context.new_page()
    finally:
        context.close()


def settle(page: Page) -> None:
    """Wait until the scene, where there is one, was drawn in full and does not change."""
    seen: Any = None
    begun = since = time.monotonic()
    while time.monotonic() - begun < LONGEST:
        now = page.evaluate(DRAWN)
        if now != seen:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since > SETTLED and page.evaluate(FINE):
            return
        page.wait_for_timeout(100)


def take(page: Page, path: Path) -> None:
    """Write a page as a WebP picture."""
    with tempfile.TemporaryDirectory() as place:
        shot = Path(place, "shot.png")
        page.screenshot(path=shot)
        with Image.open(shot) as picture:
            picture.convert("RGB").save(path, quality=QUALITY, method=6)
