"""When a robot counts as lost."""

import asyncio
import time
from collections import deque
from types import SimpleNamespace

import numpy as np
from waiting import until

import armtwin
from armtwin.robots.ur import feed as feeds
from armtwin.robots.ur.protocol.client import Batch


class OneSample:
    """A connection that gives one sample, and then nothing."""

    def __init__(self, *given, **options):
        pass

    async def batches(self):
        """Yield the sample."""
        rows = np.array([(1.0,)], dtype=[("timestamp", "f8")])
        yield Batch(rows, np.array([time.monotonic()]))
        await asyncio.Event().wait()


def twin(arm, monitor):
    """Return a twin that keeps nothing."""
    return SimpleNamespace(recent=(), add=lambda rows: None)


def test_a_robot_is_not_lost_while_its_reader_is_held_up(monkeypatch):
    """A robot is lost when it is silent, not when this process had no time to read samples."""
    monkeypatch.setattr(feeds, "Stream", OneSample)
    monkeypatch.setattr(feeds.twins, "Twin", twin)

    async def act():
        feed = feeds.UrFeed(armtwin.load("ur5e"), "127.0.0.1", deque())
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
