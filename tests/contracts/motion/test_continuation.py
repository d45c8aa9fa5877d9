"""Tool paths of arms without a closed form: the short way for six joints, and where it ends."""

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import PlanError
from armtwin.motion import continuation
from armtwin.simulation.as_built import as_built

PATH = at.Circle(radius=0.1, period=2.0, seconds=1.2)


@pytest.fixture(scope="module")
def arm():
    """An arm whose lengths and zero positions are a little off: no closed form fits it."""
    return as_built(at.load("ur10e"), 3)


def test_six_joints_give_what_the_general_descent_gives(arm, monkeypatch):
    """Joints agree to rounding when each pose is solved the short way and in general."""
    general, taken = continuation._newton, []

    def counted(*given):
        taken.append(1)
        return general(*given)

    monkeypatch.setattr(continuation, "_newton", counted)
    short = PATH.motion(arm, 250.0)
    assert not taken
    np.testing.assert_array_equal(PATH.motion(arm.with_(), 250.0).q, short.q)
    monkeypatch.setattr(continuation, "_six_joints", lambda *_: None)
    np.testing.assert_allclose(PATH.motion(arm, 250.0).q, short.q, rtol=0, atol=1e-12)
    assert len(taken) >= len(short)


def test_tool_is_on_the_path(arm):
    """The tool stays within a nanometre of the circle when joints are planned along it."""
    motion = PATH.motion(arm, 250.0)
    tool = at.fk(arm, motion.q)[:, :3, 3]
    assert _off_circle(tool) < 1e-9


def _off_circle(points):
    """Return how far points (n, 3) in a plane are off the circle through them."""
    flat = points[:, :2] - points[:, :2].mean(axis=0)
    A = np.column_stack([2 * flat, np.ones(len(flat))])
    x, y, rest = np.linalg.lstsq(A, (flat**2).sum(axis=1), rcond=None)[0]
    radius = np.sqrt(rest + x * x + y * y)
    return float(np.abs(np.linalg.norm(flat - [x, y], axis=1) - radius).max())


def test_path_out_of_reach_is_refused(arm):
    """Time and place are named when the path leaves the workspace."""
    with pytest.raises(PlanError, match=r"at t = \d"):
        at.Circle(radius=1.6, period=20.0, seconds=20.0).motion(arm, 50.0)
