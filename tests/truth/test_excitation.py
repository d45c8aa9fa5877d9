"""Excitations: what they determine, and that they keep to every limit."""

import numpy as np
import pytest
from energy_arms import ARM, wheel

import armtwin as at
from armtwin.errors import InputError, PlanError
from armtwin.motion.clearance.clearance import Environment, clearances
from armtwin.motion.clearance.obstacles import Capsule
from armtwin.motion.excitation.excitation import ExcitationProblem
from armtwin.motion.excitation.fourier import _Search, excite_fourier
from armtwin.motion.excitation.information import information
from armtwin.motion.excitation.random_waypoints import random_cycle
from armtwin.motion.excitation.series import Fourier
from armtwin.motion.excitation.trapezoids import excite_waypoints
from armtwin.motion.limits import MotionLimits

LIMITS = np.full(6, 3.0), np.full(6, 6.0)
BASE = 58
"""Combinations of parameters that a UR5e can determine: links, rotors, friction, offsets."""


@pytest.fixture(scope="module")
def found():
    """Return both kinds of excitation of a UR5e."""
    return {
        "fourier": excite_fourier(ExcitationProblem(ARM)),
        "waypoints": excite_waypoints(ExcitationProblem(ARM)),
    }


@pytest.mark.parametrize("kind", ["fourier", "waypoints"])
def test_limits_are_kept(found, kind):
    """Joints, speed, acceleration and distances stay within limits when sampled at 500 Hz."""
    motion = found[kind].motion
    assert np.abs(motion.qd).max() <= 3.0 + 1e-9
    assert np.abs(motion.qdd).max() <= 6.0 + 1e-9
    assert (motion.q >= ARM.lower).all() and (motion.q <= ARM.upper).all()
    assert clearances(ARM, motion.q, Environment())[0].min() >= 0.01
    np.testing.assert_allclose(motion.qd[[0, -1]], 0, atol=1e-9)


@pytest.mark.parametrize("kind", ["fourier", "waypoints"])
def test_it_tells_more_than_random(found, kind):
    """Estimates deviate by 0.6 or less of a random motion's when the motion was searched for."""
    assert found[kind].deviation < 0.6
    assert found[kind].rank == BASE
    assert found[kind].condition < 30


def test_information_predicts_the_spread_of_estimates(found):
    """Least squares over noise spreads as the information says when estimates are repeated."""
    motion = found["waypoints"].motion
    determined = information(ARM, *LIMITS)
    rows = determined.rows(motion.q[::10], motion.qd[::10], motion.qdd[::10])
    spread = np.linalg.inv(rows.T @ rows)
    rng, inverse = np.random.default_rng(0), np.linalg.pinv(rows)
    estimates = inverse @ rng.normal(size=(len(rows), 400))
    ratio = estimates.var(axis=1) / np.diag(spread)
    assert 0.9 < np.median(ratio) < 1.1


def test_gradient_of_the_search_is_exact():
    """The search's gradient equals differences when a series is random."""
    around = Environment(obstacles=(Capsule((0.9, 0.9, 0.5), (0.9, 0.9, 1.0), 0.1),))
    box = ((-2.0, -2.0, -2.0), (2.0, 2.0, 2.0))
    search = _Search(
        ExcitationProblem(ARM, around=around, box=box), information(ARM, *LIMITS), Fourier(8.0)
    )
    x = next(search.starts())[1].ravel()
    direction = np.random.default_rng(1).normal(size=x.size)
    sides = [search.cost(x + s * 1e-6 * direction, 0.1)[0] for s in (1, -1)]
    slope = search.cost(x, 0.1)[1] @ direction
    np.testing.assert_allclose((sides[0] - sides[1]) / 2e-6, slope, rtol=1e-5)


def test_series_starts_and_ends_at_rest():
    """Speed and acceleration vanish at both ends when numbers are random."""
    series = Fourier(7.0, 4)
    x = np.random.default_rng(0).normal(size=(series.free, 3))
    _, qd, qdd = (B @ x for B in series.rows(np.array([0.0, 7.0])))
    np.testing.assert_allclose(qd, 0, atol=1e-10)
    np.testing.assert_allclose(qdd, 0, atol=1e-9)


def test_same_seed_gives_the_same_motion(found):
    """The same motion is found again when the seed is the same, another when it is not."""
    again = excite_waypoints(ExcitationProblem(ARM), tries=20)
    same, other = (excite_waypoints(ExcitationProblem(ARM, seed=s), tries=20) for s in (0, 1))
    np.testing.assert_array_equal(again.motion.q, same.motion.q)
    assert again.motion.q.shape != other.motion.q.shape or (again.motion.q != other.motion.q).any()


def test_tool_stays_in_the_box():
    """The tool keeps to its box when one is given, for both kinds."""
    box = ((-0.95, -0.95, 0.1), (0.95, 0.95, 1.1))
    request = ExcitationProblem(ARM, box=box)
    for motion in (
        excite_fourier(request, 8.0, 3).motion,
        excite_waypoints(request, 4, tries=10).motion,
    ):
        tool = at.fk(ARM, motion.q)[:, :3, 3]
        assert (tool >= box[0]).all() and (tool <= box[1]).all()


def test_other_arms():
    """A series is found when the arm has one joint."""
    request = ExcitationProblem(wheel(), MotionLimits(2.0, 4.0), Environment(floor=None))
    assert excite_fourier(request, 6.0, 3).rank == 4


def test_random_cycles_keep_clear():
    """Every leg keeps its distance when cycles are random."""
    for seed in range(3):
        points = random_cycle(ARM, np.random.default_rng(seed))
        way = np.concatenate([np.linspace(a, b, 40) for a, b in zip(points, points[1:])])  # noqa: B905
        assert clearances(ARM, way, Environment())[0].min() > 0.0
        np.testing.assert_array_equal(points[0], points[-1])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"box": ((0.0, 0.0, 1.0), (1.0, 1.0, 0.5))}, "lowest corner"),
        ({"limits": MotionLimits(9.0, 6.0)}, "beyond its own"),
        ({"limits": MotionLimits(-1.0, 6.0)}, "positive"),
        ({"limits": MotionLimits([1.0, 2.0], 6.0)}, "one number or 6"),
    ],
)
def test_impossible_requests(change, words):
    """The request is refused with a reason when its numbers make no sense."""
    with pytest.raises(InputError, match=words):
        excite_waypoints(ExcitationProblem(ARM, **change), tries=0)


def test_nowhere_to_go():
    """No random posture is found when the margin is larger than the arm."""
    request = ExcitationProblem(ARM, around=Environment(margin=2.0))
    with pytest.raises(PlanError, match="random points"):
        excite_waypoints(request)


@pytest.mark.parametrize(("period", "harmonics"), [(0.0, 5), (np.nan, 5), (10.0, 1)])
def test_bad_series(period, harmonics):
    """A series is refused when its period or harmonics make no sense."""
    with pytest.raises(InputError, match="positive period"):
        excite_fourier(ExcitationProblem(ARM), period, harmonics)


def test_arm_without_masses():
    """An excitation is refused when the arm has no masses."""
    from armtwin.errors import MissingDataError

    with pytest.raises(MissingDataError, match="mass"):
        ExcitationProblem(at.load("desktop5"))
