"""A UR5 that stands, with planted contacts, or stops and goes: noise, hunting and stiction.

Sizes are those of the standstill of a real UR5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import armtwin as at
from armtwin.recording.recording import Recording
from armtwin.spatial import Array

HOME = np.deg2rad([20, -70, 95, -100, -80, 10])
STEP = 0.008
NM_PER_AMPERE = np.array([11.0, 11.0, 11.0, 9.5, 9.5, 9.5])
NOISE = np.array([0.010, 0.014, 0.011, 0.009, 0.009, 0.011])
"""White noise of the currents of a standing UR5 [A], joints 1 to 6."""
WINDING = np.array([0.10, 0.12, 0.06, 0.004, 0.002, 0.002])
"""Slopes with which integral action winds the currents up [A/s]."""
STICTION = np.array([2.5, 3.0, 2.0, 0.3, 0.3, 0.3])
"""Change of load that the gears take without the motors [Nm]."""
LAG = np.exp(-STEP / 0.06)
"""Part of a sample that is left in the next: the motors follow a load within 60 ms."""
DRY = np.array([9.0, 10.0, 7.0, 2.0, 2.0, 2.0])
"""Dry friction of the moving joints [Nm]."""
CYCLE = 12.0
"""Time in which the arm stands for 7 s, moves for 4 and stands again [s]."""
COLD, WARM_UP, WANDERING = 0.15, 600.0, 0.05
"""Friction of the cold arm above that of the warm one, its time constant [s], and how far currents
wander slowly besides [A]."""
BREAKAWAY, STRIBECK = 0.25, 0.02
"""Static friction above dry friction, relative, and the speed over which it falls [rad/s]."""


@dataclass(frozen=True, eq=False)
class Planted:
    """What was planted in a standing arm.

    Attributes:
        force: size of the force on the tool (n,) [N].
        held: torques of the force behind the gears' stiction (n, 6) [Nm].
        transmitted: the same as the motors follow it (n, 6) [Nm].
    """

    force: Array
    held: Array
    transmitted: Array


def hunting(rng: np.random.Generator, count: int) -> Array:
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


def play(load: Array, width: float) -> Array:
    """Return what is left of a load (n,) behind stiction that holds a width of it."""
    held, found = 0.0, np.empty_like(load)
    for k, value in enumerate(load):
        held = min(max(held, value - width), value + width)
        found[k] = held
    return found


def contacts(rng: np.random.Generator, count: int, number: int) -> Array:
    """Return forces at the tool (count, 3) [N]: pushes with ramps, in random directions."""
    force, t = np.zeros((count, 3)), STEP * np.arange(count)
    slot = (t[-1] - 6.0) / max(number, 1)
    for k in range(number):
        rise, hold = rng.uniform(0.1, 0.4), rng.uniform(0.3, 1.2)
        begin = 4.0 + k * slot + rng.uniform(0, max(slot - 2.4, 0.1))
        shape = np.interp(
            t, begin + np.array([0, rise, rise + hold, 2 * rise + hold]), [0, 1, 1, 0]
        )
        direction = rng.standard_normal(3)
        force += np.outer(shape, direction / np.linalg.norm(direction)) * rng.uniform(15, 45)
    return force


def planted_force(force: Array) -> Planted:
    """Return what gears and motors make of forces at the tool (n, 3) [N]."""
    external = force @ at.jacobian(at.load("ur5"), HOME)[:3]
    held = np.stack([play(external[:, j], STICTION[j]) for j in range(6)], axis=1)
    transmitted = held.copy()
    for k in range(1, len(transmitted)):
        transmitted[k] = LAG * transmitted[k - 1] + (1 - LAG) * transmitted[k]
    return Planted(np.linalg.norm(force, axis=1), held, transmitted)


def standing(
    seed: int,
    *,
    seconds: float = 90.0,
    number: int = 0,
    drift: float = 0.0,
    brake: float | None = None,
    cold: bool = False,
) -> tuple[Recording, Planted]:
    """Return a recording of a standing UR5 and what was planted in it.

    Args:
        seed: of noise and contacts.
        seconds: length of the recording [s].
        number: contacts in it.
        drift: slow change of every current over the recording [A].
        brake: time at which brakes close and currents fall to zero [s].
        cold: the arm warms up, and currents wander slowly.
    """
    rng, arm = np.random.default_rng(seed), at.load("ur5")
    count = round(seconds / STEP)
    t = STEP * np.arange(count)
    truth = planted_force(contacts(rng, count, number))
    transmitted = truth.transmitted
    still = at.inverse_dynamics(arm, HOME, np.zeros(6), np.zeros(6)) / NM_PER_AMPERE
    current = still - transmitted / NM_PER_AMPERE + hunting(rng, count)
    current += np.exp(-t / 0.15)[:, None] * 0.1 * NM_PER_AMPERE / 9.5 * rng.standard_normal(6)
    current += drift * np.outer(t / t[-1], rng.uniform(-1, 1, 6))
    current += NOISE * rng.standard_normal((count, 6))
    if brake is not None:
        current[t > brake] = 0.0
    q = HOME + np.round(transmitted * 1e-5 / 9e-6) * 9e-6
    qd = np.where(rng.random((count, 6)) < 0.01, 0.004, 0.0) * rng.choice([-1, 1], (count, 6))
    if cold:
        sides = rng.choice([-1, 1], 6)
        current += warming(t)[:, None] * sides * DRY / NM_PER_AMPERE + wandering(rng, count)
    groups = {"q": q, "qd": qd, "current": current}
    return Recording.of(t, groups, arm="ur5"), truth


def warming(t: Array) -> Array:
    """Return friction of an arm that warms up above that of the warm one, relative (n,)."""
    return np.asarray(COLD * np.exp(-t / WARM_UP))


def wandering(rng: np.random.Generator, count: int) -> Array:
    """Return currents (count, 6) [A] that wander over minutes: a random walk drawn back."""
    stay = np.exp(-STEP / 120.0)
    size = WANDERING * np.sqrt(1 - stay**2)
    found, value = np.zeros((count, 6)), WANDERING * rng.standard_normal(6)
    for k, push in enumerate(size * rng.standard_normal((count, 6))):
        value = stay * value + push
        found[k] = value
    return found


def stop_and_go(seed: int, *, seconds: float = 36.0, with_target: bool = True) -> Recording:
    """Return an arm that stands, swings and stands again, without contact.

    Friction is static at first (breakaway), falls as the arm warms up, and currents hunt while it
    stands, wander slowly and have white noise.

    Args:
        seed: of the noise.
        seconds: length of the recording [s].
        with_target: whether target speeds are recorded.
    """
    rng, arm = np.random.default_rng(seed), at.load("ur5")
    t = STEP * np.arange(round(seconds / STEP))
    phase = np.clip((t % CYCLE - 7.0) / 4.0, 0, 1)
    shape = phase - np.sin(2 * np.pi * phase) / (2 * np.pi)
    swing = np.where(np.floor(t / CYCLE) % 2 == 0, shape, 1 - shape)
    q = HOME + 0.5 * np.outer(swing, [1, -0.4, 0.5, 1, -1, 1])
    qd = np.gradient(q, STEP, axis=0)
    stuck = np.zeros_like(q)
    for k in range(1, len(t)):
        stuck[k] = np.clip(stuck[k - 1] + (q[k] - q[k - 1]) / 2e-4, -1, 1)
    friction = DRY * stuck * (1 + BREAKAWAY * np.exp(-np.abs(qd) / STRIBECK))
    friction *= 1 + warming(t)[:, None]
    tau = at.inverse_dynamics(arm, q, qd, np.gradient(qd, STEP, axis=0)) + friction
    rests = (phase == 0) | (phase == 1)
    current = tau / NM_PER_AMPERE + _hunting_at_rest(rng, rests) + wandering(rng, len(t))
    current += NOISE * rng.standard_normal(q.shape)
    groups = {"q": q, "qd": np.round(qd / 0.002) * 0.002, "current": current}
    if with_target:
        groups["target_qd"] = np.where(rests[:, None], 0.0, qd)
    return Recording.of(t, groups, arm="ur5")


def _hunting_at_rest(rng: np.random.Generator, rests: Array) -> Array:
    """Return currents (n, 6) [A] that hunt anew from zero after every stop.

    Motion takes away within 50 ms what integral action has wound up.
    """
    found, stay = np.zeros((len(rests), 6)), np.exp(-STEP / 0.05)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], rests, [False]]).astype(int)))
    for begin, end in edges.reshape(-1, 2).tolist():
        found[begin:end] = hunting(rng, end - begin)
        left = stay ** np.arange(1, len(found[end : end + 60]) + 1)
        found[end : end + 60] = left[:, None] * found[end - 1]
    return found
