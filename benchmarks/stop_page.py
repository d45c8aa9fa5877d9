"""STOP pressed in a browser that draws in software: ``python -m benchmarks.stop --only page``.

Chromium shows the app's page with full graphics while the arm moves, and busy processes take the
processor. Input goes to the browser as raw events of its debugging protocol: ``page.click`` would
wait for stable pictures first. Two times are taken from the moment the browser has the event: until
the page's listener runs, and until a state says that the arm heads for its stop.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from benchmarks.app_browser import browser

VIEWPORT = {"width": 1280, "height": 800}
LISTEN = """
window.stopInputs = [];
for (const type of ["pointerdown", "keydown"]) addEventListener(type, (event) => {
  const stamp = event.timeStamp;
  window.stopInputs.push([performance.timeOrigin + stamp, performance.now() - stamp]);
}, true);
"""
ESCAPE = {"key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27}


@dataclass
class PageTimes:
    """How long STOPs pressed in a page took, from the event in the browser on [s].

    Attributes:
        handled: until the page's listener ran.
        acted: until the first state in which the arm heads for its stop.
    """

    handled: list[float] = field(default_factory=list)
    acted: list[float] = field(default_factory=list)


class Presser:
    """A page with the app, and the raw input that stops the arm.

    Args:
        page: Playwright's page.
    """

    def __init__(self, page: Any) -> None:
        self._page = page
        self._line = page.context.new_cdp_session(page)
        box = page.get_by_test_id("stop").bounding_box()
        self._at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}

    def press(self, *, key: bool) -> tuple[float, float]:
        """Press STOP or Escape.

        Returns:
            When the browser got it (time of day), and how long until the listener ran [s].
        """
        if key:
            self._send("Key", "rawKeyDown", ESCAPE)
            self._send("Key", "keyUp", ESCAPE)
        else:
            for kind in ("mousePressed", "mouseReleased"):
                self._send("Mouse", kind, {**self._at, "button": "left", "clickCount": 1})
        stamp, delay = self._page.evaluate("() => stopInputs.pop()")
        return stamp / 1000, delay / 1000

    def _send(self, device: str, kind: str, given: dict[str, Any]) -> None:
        self._line.send(f"Input.dispatch{device}Event", {"type": kind, **given})


@contextlib.contextmanager
def opened_page(address: str, graphics: str = "full") -> Iterator[Any]:
    """Give the app's page in a browser that draws in software, once its arm is drawn."""
    with browser() as started:
        context = started.new_context(viewport=VIEWPORT)
        context.set_default_timeout(120_000)
        context.add_init_script(LISTEN)
        page = context.new_page()
        page.goto(f"http://{address}/?graphics={graphics}")
        page.locator("[data-testid=canvas][data-drawn]").wait_for()
        yield page


def page_stops(client: Any, page: Any, count: int) -> PageTimes:
    """Return the times of STOPs pressed in a page, by pointer and by key in turn.

    Args:
        client: moves the arm, and notes when it heads for its stop (``benchmarks.stop.Client``).
        page: shows the arm.
        count: of STOPs.
    """
    presser, times = Presser(page), PageTimes()
    for number in range(count):
        client.set_out()
        stamp, delay = presser.press(key=number % 2 == 1)
        times.handled.append(delay)
        times.acted.append(client.stopped_at() - stamp)
    return times
