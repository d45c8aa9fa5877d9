"""When a robot counts as lost, and when as heard."""

import asyncio
import time
from collections import deque
from types import SimpleNamespace

import numpy as np
import pytest
from waiting import until

import armtwin
from armtwin.robots.ur import feed as feeds
from armtwin.robots.ur.protocol.client import Batch


class Samples:
    """A connection that gives so many samples, 8 ms apart on the robot's clock, and then nothing.

    Attributes:
        more: permits for samples after the first.
    """

    more = asyncio.Semaphore(0)

    def __init__(self, *given, **options):
        pass

    async def batches(self):
        """Yield the samples."""
        stamp = 1.0
        while True:
            rows = np.array([(stamp,)], dtype=[("timestamp", "f8")])
            yield Batch(rows, np.array([time.monotonic()]))
            stamp += 0.008
            await self.more.acquire()


def twin(arm, monitor):
    """Return a twin that keeps nothing."""
    return SimpleNamespace(recent=(), add=lambda rows: None)


@pytest.fixture
def feed(monkeypatch):
    """A feed of such samples."""
    monkeypatch.setattr(feeds, "Stream", Samples)
    monkeypatch.setattr(feeds.twins, "Twin", twin)
    monkeypatch.setattr(Samples, "more", asyncio.Semaphore(0))
    return feeds.UrFeed(armtwin.load("ur5e"), "127.0.0.1", deque())


def test_a_robot_is_not_lost_while_its_reader_is_held_up(feed):
    """A robot is lost when it is silent, not when this process had no time to read samples."""

    async def act():
        assert feed.lost
        await feed.start()
        began = time.monotonic()
        time.sleep(2 * feeds.SILENCE)  # noqa: ASYNC251 - the hold-up
        assert not feed.lost
        await asyncio.sleep(feeds.TURN)
        assert not feed.lost
        await until(lambda: feed.lost)
        assert time.monotonic() - began > 2 * feeds.SILENCE + feeds.SILENCE - feeds.LONGEST_TURN
        await feed.close()

    asyncio.run(act())


@pytest.mark.parametrize(("samples", "heard"), [(0, False), (1, False), (2, True)])
def test_a_sample_that_waited_here_proves_nothing(feed, samples, heard):
    """A robot is heard after a moment with the second read: the first may have waited before."""

    async def act():
        await feed.start()
        for _ in range(samples):
            Samples.more.release()
        found = await feed.heard_after(time.monotonic(), 60.0)
        await feed.close()
        return found

    assert asyncio.run(act()) == heard
