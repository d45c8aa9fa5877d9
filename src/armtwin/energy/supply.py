r"""Power of a whole robot, fitted to its own recording: idle power and motors.

.. math:: P = P_{idle} + \sum_{sizes} \Bigl( k \sum_j \dot q_j I_j + R \sum_j I_j^2 \Bigr)
          + c \sum_j \dot q_j^2

Joints of one motor size share their back-EMF k [V s/rad, at the joint] and resistance R [Ohm]; the
last term is loss in iron. All are 0 or more. Outliers count less (soft L1, scaled by the data).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armtwin.errors import InputError, MissingColumnError
from armtwin.model.arm import Arm
from armtwin.progress import OnProgress, report_step
from armtwin.recording.recording import Recording
from armtwin.spatial import Array

FEWEST = 50
"""Least number of rows to fit, all together and with a joint in motion."""
REST = 0.02
"""Joints slower than this stand [rad/s]."""
MAX_CONDITION = 1e4
"""Condition number of the columns, each of size 1, beyond which they are not identifiable; a
recording of an arm that moves all joints has 10 to 100."""
BLOCKS = 8
"""Blocks of time that the idle power's interval leaves out, one after the other."""
CONFIDENCE = 1.96
"""Standard deviations of a 95 % interval."""


@dataclass(frozen=True, eq=False)
class Supply:
    """A robot's power as a function of its motor currents and joint speeds.

    Attributes:
        sizes: joints (from 0) that share a motor size.
        idle: power at standstill without motor currents [W].
        idle_interval: its 95 % interval [W] from blocks of the recording.
        back_emf: per size [V s/rad at the joint]; NaN where no joint of the size moved.
        resistance: per size [Ohm].
        iron: [W s2/rad2].
    """

    sizes: tuple[tuple[int, ...], ...]
    idle: float
    idle_interval: tuple[float, float]
    back_emf: Array
    resistance: Array
    iron: float

    def to_dict(self) -> dict[str, Any]:
        """Return the model as plain data; joints count from 1."""
        return {
            "idle": self.idle,
            "idle_interval": list(self.idle_interval),
            "joints": [[j + 1 for j in group] for group in self.sizes],
            "back_emf": [finite(float(value)) for value in self.back_emf],
            "resistance": self.resistance.tolist(),
            "iron": self.iron,
        }

    def power(self, current: Array, qd: Array) -> Array:
        """Return the power (n,) [W] for currents and speeds (n, dof)."""
        numbers = np.concatenate([[self.idle], self.back_emf, self.resistance, [self.iron]])
        return _columns(self.sizes, current, qd) @ np.nan_to_num(numbers)

    def unknown_joints(self, qd: Array) -> tuple[int, ...]:
        """Return the joints, from 1, that move in ``qd`` (n, dof) and have no known back-EMF."""
        fastest = np.abs(qd).max(axis=0)
        unknown = [g for g, k in zip(self.sizes, self.back_emf, strict=True) if np.isnan(k)]
        return tuple(sorted(j + 1 for group in unknown for j in group if fastest[j] > REST))

    def r_squared(self, recording: Recording) -> float:
        """Return the part of the recorded power's variance that is predicted; NaN without any."""
        measured = recording["power"]
        error = measured - self.power(recording.current, recording.qd)
        variation = float(((measured - measured.mean()) ** 2).sum())
        return 1 - float((error**2).sum()) / variation if variation > 0 else float("nan")


def finite(value: float) -> float | None:
    """Return a number, or None for NaN, which JSON does not have."""
    return None if value != value else value


def recorded_supply(
    arm: Arm, recording: Recording, on_progress: OnProgress | None = None
) -> Supply | None:
    """Fit the supply's model to a recording; None where power or currents are missing.

    Args:
        arm: the arm.
        recording: the recording.
        on_progress: called before each fit; raise from it to cancel.
    """
    if not recording.has("power", "current", "qd") or len(recording) < FEWEST:
        return None
    return fit_supply(arm, recording, on_progress)


def fit_supply(arm: Arm, recording: Recording, on_progress: OnProgress | None = None) -> Supply:
    """Return idle power and motor losses of a robot from recorded power, currents and speeds.

    Args:
        arm: the arm.
        recording: the recording.
        on_progress: called before each fit; raise from it to cancel.

    Raises:
        MissingColumnError: power (or voltage and supply_current), current or qd is missing.
        InputError: too few rows, NaN among them, or an arm that stands still throughout: idle
            power and the motors' losses are then not identifiable.
    """
    for group in ("power", "current", "qd"):
        if not recording.has(group):
            raise MissingColumnError(
                f"{recording.origin or 'the recording'} has no {group}; the supply's model needs "
                "power (or voltage and supply_current), current1.. and qd1.."
            )
    sizes = motor_sizes(arm)
    X, y = _columns(sizes, recording.current, recording.qd), recording["power"]
    if len(y) < FEWEST or not (np.isfinite(X).all() and np.isfinite(y).all()):
        raise InputError(f"the supply's model needs {FEWEST} or more rows without gaps")
    report_step(on_progress, "fitting the supply's model", 0.0)
    shown = _identifiable(sizes, recording)
    _require_independent(X[:, shown])
    numbers = np.full(X.shape[1], np.nan)
    numbers[shown] = _fitted(X[:, shown], y)
    spread = _idle_spread(X[:, shown], y, on_progress)
    k = len(sizes)
    interval = numbers[0] - CONFIDENCE * spread, numbers[0] + CONFIDENCE * spread
    return Supply(
        sizes,
        float(numbers[0]),
        interval,
        numbers[1 : 1 + k],
        numbers[1 + k : -1],
        float(numbers[-1]),
    )


def _identifiable(sizes: tuple[tuple[int, ...], ...], recording: Recording) -> Array:
    """Return which columns are identifiable: no back-EMF of a size whose joints stand."""
    moving = np.abs(recording.qd) > REST
    sums = [int(moving[:, list(group)].any(axis=1).sum()) for group in sizes]
    if max(sums) < FEWEST:
        raise InputError(
            f"{recording.origin or 'the recording'}: the arm stands still (no joint faster than "
            f"{REST:g} rad/s in {FEWEST} rows): back-EMF, resistance and iron loss are not "
            "identifiable; give a recording with motion, or one without power columns"
        )
    pushed = [count >= FEWEST for count in sums]
    return np.array([True, *pushed, *[True] * len(sizes), True])


def _require_independent(X: Array) -> None:
    """Raise InputError where columns are almost linearly dependent."""
    size = np.sqrt((X**2).mean(axis=0))
    values = np.linalg.svd(X / np.where(size > 0, size, 1.0), compute_uv=False)
    if values[-1] * MAX_CONDITION < values[0]:
        raise InputError(
            "the recording does not separate idle power, back-EMF, resistance and iron loss "
            f"(condition number {values[0] / max(values[-1], 1e-300):.1g}): currents and speeds "
            "hardly change; give one with more motion"
        )


def motor_sizes(arm: Arm) -> tuple[tuple[int, ...], ...]:
    """Return joints grouped by their torque limit, which goes with the motor's size."""
    groups: dict[float | None, list[int]] = {}
    for number, joint in enumerate(arm.driven):
        groups.setdefault(joint.limits.effort, []).append(number)
    return tuple(tuple(group) for group in groups.values())


def _columns(sizes: tuple[tuple[int, ...], ...], current: Array, qd: Array) -> Array:
    pushed = [(current * qd)[:, list(group)].sum(axis=1) for group in sizes]
    heat = [(current**2)[:, list(group)].sum(axis=1) for group in sizes]
    return np.column_stack([np.ones(len(qd)), *pushed, *heat, (qd**2).sum(axis=1)])


def _fitted(X: Array, y: Array) -> Array:
    from scipy.optimize import least_squares, nnls

    start, _ = nnls(X, y)
    scale = 1.4826 * float(np.median(np.abs(y - X @ start))) + 1e-9

    def error(numbers: Array) -> Array:
        return np.asarray(X @ numbers - y)

    bounds = (0.0, np.inf)
    result = least_squares(
        error, start + 1e-6, jac=lambda _: X, bounds=bounds, loss="soft_l1", f_scale=scale
    )
    return np.asarray(result.x)


def _idle_spread(X: Array, y: Array, on_progress: OnProgress | None) -> float:
    """Return the standard error of idle power by leaving out one block of time after the other."""
    found = []
    for number, part in enumerate(np.array_split(np.arange(len(y)), BLOCKS), 1):
        report_step(on_progress, "interval of the idle power", number / (BLOCKS + 1))
        rows = np.setdiff1d(np.arange(len(y)), part)
        found.append(_fitted(X[rows], y[rows])[0])
    idle = np.array(found)
    return float(np.sqrt((BLOCKS - 1) / BLOCKS * ((idle - idle.mean()) ** 2).sum()))
