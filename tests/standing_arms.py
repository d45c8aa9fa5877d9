"""A standing UR5 with planted contacts: noise, hunting and stiction as in real standstill."""

import numpy as np

import armtwin as at
from armtwin.recording.recording import Recording

HOME = np.deg2rad([20, -70, 95, -100, -80, 10])
STEP = 0.008
NM_PER_AMPERE = np.array([11.0, 11.0, 11.0, 9.5, 9.5, 9.5])
NOISE = np.array([0.010, 0.014, 0.011, 0.009, 0.009, 0.011])
"""White noise of the currents of a standing UR5 [A], joints 1 to 6."""
WINDING = np.array([0.10, 0.12, 0.06, 0.004, 0.002, 0.002])
"""Slopes with which integral action winds the currents up [A/s]."""
STICTION = np.array([2.5, 3.0, 2.0, 0.3, 0.3, 0.3])
"""Change of load that the gears take without the motors [Nm]."""


def hunting(rng, count):
    """Return currents (count, 6) [A] that wind up at changing slopes and slip back."""
    found = np.zeros((count, 6))
    for j in range(6):
        value, slope, back = 0.0, 0.0, 0.0
        for k in range(count):
            if rng.random() < STEP / 1.5:
                slope = WINDING[j] * rng.standard_normal()
            if rng.random() < STEP / 4.0 and abs(value) > 2 * WINDING[j] * 0.3:
                back = rng.uniform(0.3, 0.8) * value
            move = 0.3 * back
            back -= move
            value += slope * STEP - move - value * STEP / 8.0
            found[k, j] = value
    return found


def play(load, width):
    """Return what is left of a load (n,) behind stiction that holds a width of it."""
    held, found = 0.0, np.empty_like(load)
    for k, value in enumerate(load):
        held = min(max(held, value - width), value + width)
        found[k] = held
    return found


def contacts(rng, count, number):
    """Return forces at the tool (count, 3) [N]: pushes with ramps, in random directions."""
    force, t = np.zeros((count, 3)), STEP * np.arange(count)
    slot = (t[-1] - 6.0) / max(number, 1)
    for k in range(number):
        rise, hold = rng.uniform(0.1, 0.4), rng.uniform(0.3, 1.2)
        begin = 4.0 + k * slot + rng.uniform(0, max(slot - 2.4, 0.1))
        shape = np.interp(
            t, begin + np.array([0, rise, rise + hold, 2 * rise + hold]), [0, 1, 1, 0]
        )
        way = rng.standard_normal(3)
        force += np.outer(shape, way / np.linalg.norm(way)) * rng.uniform(15, 45)
    return force


def standing(seed, *, seconds=90.0, number=0, drift=0.0, brake=None):
    """Return a recording of a standing UR5 and the size of the force on its tool (n,) [N].

    Args:
        seed: of noise and contacts.
        seconds: length of the recording [s].
        number: contacts in it.
        drift: slow change of every current over the recording [A].
        brake: time at which brakes close and currents fall to zero [s].
    """
    rng, arm = np.random.default_rng(seed), at.load("ur5")
    count = round(seconds / STEP)
    t, force = STEP * np.arange(count), contacts(rng, round(seconds / STEP), number)
    external = force @ at.jacobian(arm, HOME)[:3]
    felt = np.stack([play(external[:, j], STICTION[j]) for j in range(6)], axis=1)
    lag = np.exp(-STEP / 0.06)
    for k in range(1, count):
        felt[k] = lag * felt[k - 1] + (1 - lag) * felt[k]
    still = at.inverse_dynamics(arm, HOME, np.zeros(6), np.zeros(6)) / NM_PER_AMPERE
    current = still - felt / NM_PER_AMPERE + hunting(rng, count)
    current += np.exp(-t / 0.15)[:, None] * 0.1 * NM_PER_AMPERE / 9.5 * rng.standard_normal(6)
    current += drift * np.outer(t / t[-1], rng.uniform(-1, 1, 6))
    current += NOISE * rng.standard_normal((count, 6))
    if brake is not None:
        current[t > brake] = 0.0
    q = HOME + np.round(felt * 1e-5 / 9e-6) * 9e-6
    qd = np.where(rng.random((count, 6)) < 0.01, 0.004, 0.0) * rng.choice([-1, 1], (count, 6))
    groups = {"q": q, "qd": qd, "current": current}
    return Recording.of(t, groups, arm="ur5"), np.linalg.norm(force, axis=1)
