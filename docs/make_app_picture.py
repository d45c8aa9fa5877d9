"""Takes the README's first picture: the app on a desk and a phone, led round a circle.

``python docs/make_app_picture.py [FILE]``; needs playwright and Debian's chromium.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

import armtwin

DESK, PHONE, GAP = (1280, 800), (390, 800), 20
PAPER = (226, 230, 236)
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
CLIENT = "picture-taker"
SETTLE_MS = 2500
"""Time for the fine picture that follows once the arm rests, where it is drawn in software."""
QUALITY = 85
"""Of the WebP picture: 84 kB."""
PATIENCE = 180.0
"""Longest wait for anything [s]: a busy machine that draws in software is slow."""


def post(address: str, path: str, **content: Any) -> None:
    """Send a request to the app."""
    data, head = json.dumps(content).encode(), {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/api/{path}", data, head)
    urllib.request.urlopen(request, timeout=PATIENCE).close()


def circle() -> Any:
    """Return joint vectors round a circle, 2 ms apart."""
    return armtwin.Circle(radius=0.15, period=4, seconds=4).motion(armtwin.load("ur10e")).q


def lead_to_start(address: str) -> None:
    """Take control and bring the arm to the circle."""
    post(address, "lease/take", client=CLIENT, name="the picture")
    threading.Thread(target=_keep_control, args=(address,), daemon=True).start()
    post(address, "move", client=CLIENT, q=circle()[0].tolist(), speed=1.0)
    _wait(address)


def _keep_control(address: str) -> None:
    """Send heartbeats until the app ends; they keep control until it is released."""
    with contextlib.suppress(OSError):
        while True:
            post(address, "lease/heartbeat", client=CLIENT)
            time.sleep(0.3)


def lead(address: str) -> None:
    """Lead the arm round most of the circle, wait until it rests, and release control."""
    q = circle()
    for row in q[:1700:10]:
        post(address, "follow", client=CLIENT, q=row.tolist(), speed=1.0)
        time.sleep(0.02)
    _wait(address)
    post(address, "lease/release", client=CLIENT)


def _wait(address: str) -> None:
    """Return when the arm stands still."""
    moving = True
    while moving:
        time.sleep(0.05)
        with urllib.request.urlopen(f"{address}/api/state", timeout=PATIENCE) as answer:
            moving = json.load(answer)["moving"]


def photographed(browser: Browser, address: str, sizes: list[tuple[int, int]]) -> list[Image.Image]:
    """Return the page in light and dark at the given sizes."""
    pages = []
    for (width, height), scheme in zip(sizes, ("light", "dark"), strict=True):
        viewport: Any = {"width": width, "height": height}
        page = browser.new_context(viewport=viewport, color_scheme=scheme).new_page()
        page.set_default_timeout(1e3 * PATIENCE)
        page.goto(address)
        page.wait_for_selector("[data-shapes] canvas")
        pages.append(page)
    lead_to_start(address)
    for page in pages:
        page.get_by_role("button", name="Clear the path").click()
    lead(address)
    pages[0].get_by_role("button", name="Take control").click()
    for page in pages:
        page.get_by_role("button", name="Fit").click()
        page.wait_for_timeout(SETTLE_MS)
        page.wait_for_selector("[data-quality=fine]")
    return [Image.open(io.BytesIO(page.screenshot())).convert("RGB") for page in pages]


def main(file: Path) -> None:
    """Start the app, take the picture, end the app."""
    command = [sys.executable, "-m", "armtwin.cli", "app", "ur10e", "--port", "0"]
    app = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert app.stdout is not None
    try:
        lines = iter(app.stdout.readline, "")
        address = next(found[0] for line in lines if (found := re.search(r"http://\S+", line)))
        with sync_playwright() as tools:
            browser = tools.chromium.launch(
                executable_path=shutil.which("chromium"), args=FLAGS, timeout=1e3 * PATIENCE
            )
            desk, phone = photographed(browser, address, [DESK, PHONE])
            browser.close()
    finally:
        app.send_signal(signal.SIGINT)
        app.wait(PATIENCE)
    whole = Image.new("RGB", (DESK[0] + PHONE[0] + 3 * GAP, DESK[1] + 2 * GAP), PAPER)
    whole.paste(desk, (GAP, GAP))
    whole.paste(phone, (DESK[0] + 2 * GAP, GAP))
    file.parent.mkdir(parents=True, exist_ok=True)
    whole.save(file, quality=QUALITY, method=6)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "pictures/app.webp"))
