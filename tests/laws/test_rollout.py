"""Laws of the forward simulation: order of the integrator, energy, friction that holds."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import armtwin as at
from armtwin.errors import InputError, JointLimitError, MissingDataError

START = np.array([0.0, -1.2, 1.0, -0.5, 0.5, 0.2])
ZERO = np.zeros(6)

pytestmark = pytest.mark.usefixtures("numpy_target")


def fallen(arm, seconds, step):
    """Return a fall without torques."""
    return at.rollout(arm, START, ZERO, np.zeros((round(seconds / step), 6)), step=step)


def test_the_error_falls_with_the_square_of_the_step():
    """The error is a quarter, and small, when the step is half as long, against DOP853."""
    arm = at.load("ur10e")

    def rates(_, y):
        free = at.forward_dynamics(arm, y[:6], y[6:], ZERO, ignore_limits=True)
        return np.concatenate([y[6:], free])

    state = np.concatenate([START, ZERO])
    truth = solve_ivp(rates, (0, 0.2), state, method="DOP853", rtol=1e-11, atol=1e-12).y[:6, -1]
    coarse, fine = (np.abs(fallen(arm, 0.2, h).q[-1] - truth).max() for h in (2e-3, 1e-3))
    assert fine < 2e-6
    assert 3.5 < coarse / fine < 4.5


def test_energy_is_kept_in_a_free_fall():
    """Kinetic and potential energy change by less than 1e-5 of what was exchanged."""
    arm = at.load("ur10e")
    made = fallen(arm, 0.3, 1e-3)
    found = at.energies(arm, made.q, made.qd, ignore_limits=True)
    total = found.kinetic + found.potential
    assert np.ptp(total) < 1e-5 * found.kinetic.max()


def test_friction_holds_a_balanced_arm_and_stops_a_moving_one():
    """An arm under gravity compensation stays, and comes to rest from a motion, with friction."""
    arm = at.load("ur5e-energy")
    tau = np.tile(at.gravity(arm, START), (200, 1))
    still = at.rollout(arm, START, ZERO, tau)
    assert np.abs(still.q - START).max() < 1e-9
    turning = at.rollout(arm, START, [0, 0, 0, 0, 0, 0.3], tau[:100], step=2e-3)
    assert abs(turning.qd[-1, 5]) < 1e-6
    assert 0 < turning.q[-1, 5] - START[5] < 0.3 * 0.2


def test_bad_input_is_refused():
    """Shapes, limits, steps and missing masses are named when they are wrong."""
    with pytest.raises(InputError, match="one row of torques a step"):
        at.rollout("ur10e", START, ZERO, ZERO)
    with pytest.raises(InputError, match="step is 0"):
        at.rollout("ur10e", START, ZERO, [ZERO], step=0)
    with pytest.raises(InputError, match="finite"):
        at.rollout("ur10e", START, ZERO, [np.full(6, np.nan)])
    with pytest.raises(JointLimitError):
        at.rollout("ur10e", START + [0, 9, 0, 0, 0, 0], ZERO, [ZERO])
    with pytest.raises(MissingDataError, match="mass"):
        at.rollout("desktop5", np.zeros(5), np.zeros(5), [np.zeros(5)])
