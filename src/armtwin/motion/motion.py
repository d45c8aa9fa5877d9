"""Motions: joint states over time, and the base class of paths."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.spatial import Array, as_numbers

RATE = 500.0
"""Samples per second of a motion [Hz]: the control rate of UR's e-Series."""


@dataclass(frozen=True, eq=False)
class Motion:
    """Joint positions, speeds and accelerations at evenly spaced times.

    Attributes:
        time: (n,) [s], from 0 on.
        q: positions (n, dof) [rad | m].
        qd: speeds (n, dof) [rad/s | m/s].
        qdd: accelerations (n, dof) [rad/s2 | m/s2].
        name: what it is, for people.
        notes: what a reader should know, such as limits that could not be checked.
    """

    time: Array
    q: Array
    qd: Array
    qdd: Array
    name: str = "motion"
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the shapes and lock the arrays."""
        shape = np.shape(self.q)
        if len(shape) != 2 or shape[0] < 2 or np.shape(self.time) != shape[:1]:
            raise InputError(
                f"a motion needs time (n,) and q, qd, qdd (n, dof) with n >= 2; got time "
                f"{np.shape(self.time)} and q {shape}"
            )
        for name in ("time", "q", "qd", "qdd"):
            array = np.ascontiguousarray(as_numbers(getattr(self, name), name))
            if name != "time" and array.shape != shape:
                raise InputError(f"{name} has shape {array.shape}; q has {shape}")
            if not np.isfinite(array).all():
                raise InputError(f"{self.name}: {name} holds NaN or infinity")
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        """Return one line."""
        rows, joints = self.q.shape
        return f"<Motion {self.name}: {rows} rows, {joints} joints, {self.duration:g} s>"

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.time)

    @property
    def step(self) -> float:
        """Time between samples [s]."""
        return float(self.time[1] - self.time[0])

    @property
    def duration(self) -> float:
        """Time from the first sample to the last [s]."""
        return float(self.time[-1] - self.time[0])

    def at(self, time: float) -> tuple[Array, Array, Array]:
        """Return position, speed and acceleration (dof,) at a time since the start [s].

        Cubic between samples, by their positions and speeds; before and after, at rest at an end.
        """
        since = min(max(time, 0.0), self.duration)
        row = min(int(since / self.step), len(self) - 2)
        h, x = self.step, since / self.step - row
        p, v, a = (values[row : row + 2] for values in (self.q, self.qd, self.qdd))
        position = (
            (1 + 2 * x) * (1 - x) ** 2 * p[0] + x**2 * (3 - 2 * x) * p[1]
            + h * x * (1 - x) * ((1 - x) * v[0] - x * v[1])
        )  # fmt: skip
        speed = (
            6 * x * (1 - x) * (p[1] - p[0]) / h
            + (1 - x) * (1 - 3 * x) * v[0] + x * (3 * x - 2) * v[1]
        )  # fmt: skip
        inside = 0.0 <= time <= self.duration
        return position, speed * inside, ((1 - x) * a[0] + x * a[1]) * inside


class Path(ABC):
    """Something an arm can be led along."""

    @abstractmethod
    def motion(self, arm: Arm, rate: float = RATE, *, seed: ArrayLike | None = None) -> Motion:
        """Return the arm's motion along the path at ``rate`` samples per second.

        Args:
            arm: the arm.
            rate: samples per second.
            seed: joint vector (dof,) that the motion starts near, where there is a choice.

        Raises:
            PlanError: the arm cannot make the motion; the message says where and when.
        """


def grid(seconds: float, rate: float) -> Array:
    """Return the times 0, 1/rate, ... that cover ``seconds``, with the end at or after them."""
    if not (np.isfinite(seconds) and seconds > 0 and np.isfinite(rate) and rate > 0):
        raise InputError(
            f"a motion lasts a positive time at a positive rate; got {seconds} s at {rate} Hz"
        )
    return np.asarray(np.arange(int(np.ceil(seconds * rate - 1e-9)) + 1) / rate)


def as_direction(value: ArrayLike, what: str) -> Array:
    """Return a unit vector (3,) along ``value``."""
    vector = as_numbers(value, what)
    if vector.shape != (3,) or not np.isfinite(vector).all() or np.linalg.norm(vector) < 1e-9:
        raise InputError(f"{what} must be three finite numbers, not all zero; got {value!r}")
    return np.asarray(vector / np.linalg.norm(vector))


def as_point(value: ArrayLike, what: str) -> Array:
    """Return a finite point (3,)."""
    point = as_numbers(value, what)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise InputError(f"{what} must be three finite numbers; got {value!r}")
    return point
