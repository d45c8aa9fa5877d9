"""One bounded descent from a joint vector to a tool pose nearby, as jogging uses it."""

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import PlanError, UnreachableError
from armtwin.motion.follow import solution_near
from armtwin.robots.simulated_arm import start_position
from armtwin.spatial import pose


@pytest.mark.parametrize("name", ["ur5e", "desktop5", "ur3e-screws"])
def test_solution_is_that_of_the_whole_search(name):
    """The nearest of all solutions is returned when the tool moves by a jog step."""
    arm = at.load(name)
    q = start_position(arm)
    for step in np.vstack([np.eye(6), -np.eye(6)]) * 4e-3:
        wanted = at.fk(arm, q) @ pose(step[:3], step[3:])
        np.testing.assert_allclose(
            solution_near(arm, wanted, q), at.ik(arm, wanted, seed=q).best, atol=1e-8
        )


@pytest.mark.parametrize("name", ["ur5e", "desktop5"])
def test_pose_out_of_reach_is_refused(name):
    """The step is refused when the pose lies beyond the arm."""
    arm = at.load(name)
    q = start_position(arm)
    far = at.fk(arm, q)
    far[:3, 3] *= 10
    with pytest.raises((UnreachableError, PlanError), match="reach|workspace"):
        solution_near(arm, far, q)
