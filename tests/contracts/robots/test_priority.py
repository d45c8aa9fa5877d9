"""The priority of a process that runs a robot."""

import gc
import os
import sys
from pathlib import Path

import pytest

from armtwin.robots import priority


@pytest.fixture
def asked(monkeypatch):
    """What a process of usual niceness asks the system for."""
    calls = []
    monkeypatch.setattr(os, "getpriority", lambda *_: 0)
    monkeypatch.setattr(os, "setpriority", lambda *given: calls.append(("nice", given[2])))
    monkeypatch.setattr(priority, "_set_slice", lambda size: calls.append(("slice", size)))
    return calls


def test_robots_have_priority_while_they_run(asked):
    """Slice and niceness are raised, and reset at the end, when a robot runs."""
    with pytest.raises(KeyboardInterrupt), priority.control_priority():
        assert asked == [("slice", priority.SHORT_SLICE), ("nice", priority.CONTROL)]
        asked.clear()
        raise KeyboardInterrupt
    assert asked == [("slice", priority.USUAL_SLICE), ("nice", 0)]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone has a niceness of sessions")
@pytest.mark.parametrize(("own", "written"), [(True, [f"{priority.CONTROL}", "0"]), (False, [])])
def test_only_an_own_session_is_raised(asked, monkeypatch, own, written):
    """A session's share of the processors is raised and reset when it is the process's own."""
    monkeypatch.setattr(os, "getsid", lambda _: os.getpid() + (not own))
    values = []
    monkeypatch.setattr(Path, "write_text", lambda _, text, **kind: values.append(text))
    with priority.control_priority():
        pass
    priority.raise_priority()
    priority.reset_priority()
    assert values == 2 * written


def test_chosen_niceness_stays(asked, monkeypatch):
    """Nothing is changed when somebody has chosen another niceness."""
    monkeypatch.setattr(os, "getpriority", lambda *_: 5)
    with priority.control_priority():
        pass
    assert asked == []


def test_missing_permission_is_no_error(asked, monkeypatch):
    """The robot runs with short waits when a high priority is not allowed."""

    def refuse(*given):
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refuse)
    with priority.control_priority():
        assert asked == [("slice", priority.SHORT_SLICE)]


def test_collections_are_as_usual_afterwards():
    """Old objects are collected rarely while a robot runs, and as usual when it has ended."""
    usual = gc.get_threshold()
    with pytest.raises(KeyboardInterrupt), priority.short_collections():
        assert gc.get_threshold() == (*usual[:2], priority.FULL_COLLECTIONS)
        assert gc.get_freeze_count()
        raise KeyboardInterrupt
    assert gc.get_threshold() == usual
    assert not gc.get_freeze_count()
