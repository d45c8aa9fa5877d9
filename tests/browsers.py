"""The browser that tests start: Debian's headless shell where it is installed, else chromium.

The shell has no window, tabs or user interface and needs half of chromium's processor time for the
same page.
"""

import contextlib
import shutil

import pytest

CHROMIUM = (
    shutil.which("chromium-headless-shell")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Debian chromium on this machine")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
PATIENCE = 180.0
"""Longest wait for anything [s]: long enough for a machine with a load of 20."""


@contextlib.contextmanager
def chromium():
    """Start a browser, and end it."""
    browsers = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with browsers.sync_playwright() as tools:
        browser = tools.chromium.launch(
            executable_path=CHROMIUM, args=FLAGS, timeout=1000 * PATIENCE
        )
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def browser_context(browser, **options):
    """Open a context of its own cookies whose pages wait as long as a busy machine needs."""
    context = browser.new_context(**options)
    context.set_default_timeout(1000 * PATIENCE)
    try:
        yield context
    finally:
        context.close()
