"""Waiting for what a test expects, instead of sleeping."""

import asyncio
import time

import pytest


def wait_until(condition, seconds=180.0, what="condition"):
    """Return once a condition holds; fail after so long that no busy machine explains it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.005)
    pytest.fail(f"{what} did not come true within {seconds} s")


async def until(condition, what="condition", seconds=180.0):
    """Wait as ``wait_until`` does, while the event loop goes on."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        await asyncio.sleep(0.005)
    pytest.fail(f"{what} did not come true within {seconds} s")


class ManualClock:
    """A clock that stands until ``now`` is set [s]."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        """Return the time."""
        return self.now
