"""The fastest straight motion beside TOPP-RA."""

import numpy as np
import pytest
from energy_arms import ARM, free_moves

from armtwin.motion.limits import MotionLimits
from armtwin.motion.optimal.fastest import fastest
from armtwin.motion.optimal.solve import Task
from armtwin.motion.timing import trapezoid_duration

pytest.importorskip("toppra", reason="the peer toppra is not installed")
LIMITS = MotionLimits(np.pi, 15.0)


@pytest.mark.parametrize("number", range(3))
def test_fastest_spline_against_topp_ra(number):
    """Our fastest spline takes at most 15 % longer than TOPP-RA, whose acceleration may jump."""
    move = free_moves(3)[number]
    peer = fastest(ARM, move, LIMITS)
    ours = Task(ARM, LIMITS).fastest(*move)
    assert peer.duration * (1 - 1e-2) <= ours <= 1.15 * peer.duration


def test_topp_ra_is_the_trapezoid_where_torques_allow():
    """TOPP-RA takes the trapezoid's time when no torque limit is met."""
    move = np.array([[0.0, -1.5, 0.5, 0.0, 0.0, 0.0], [1.0, -1.5, 0.5, 0.0, 0.0, 0.0]])
    found = fastest(ARM, move, MotionLimits(2.0, 4.0))
    assert abs(found.duration - trapezoid_duration(2.0, 4.0)) < 0.01
    np.testing.assert_allclose(found.q[[0, -1]], move, atol=1e-6)
    assert np.abs(found.qd).max() <= 2.0 + 1e-6
    assert np.abs(found.qdd).max() <= 4.0 + 1e-6
