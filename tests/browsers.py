"""The browser that tests start: Debian's headless shell where it is installed, else chromium.

The shell has no window, tabs or user interface and needs half of chromium's processor time for the
same page.
"""

import shutil

import pytest

CHROMIUM = (
    shutil.which("chromium-headless-shell")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
)
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Debian chromium on this machine")
