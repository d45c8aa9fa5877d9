"""Waiting for what a test expects, instead of sleeping."""

import time

import pytest


def wait_until(condition, seconds=60.0, what="condition"):
    """Return once a condition holds; fail after so long that no busy machine explains it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.005)
    pytest.fail(f"{what} did not come true within {seconds} s")
