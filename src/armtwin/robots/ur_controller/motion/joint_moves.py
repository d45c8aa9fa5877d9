"""Motions in joint space, evaluated once per control cycle."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from armtwin.motion.timing import trapezoid_at
from armtwin.robots.motion_generator import RateLimits
from armtwin.spatial import Array

SERVO_ACCELERATION = 40.0
"""Hardest acceleration of a joint that follows a target [rad/s2]."""
MAX_RATE = 1e12
"""Largest rate of a share, that of no displacement at all [1/s, 1/s2]."""
STANDARD_GAIN = 300.0
"""Gain of servoj at which the arm lags by just the lookahead time."""


@dataclass(frozen=True, eq=False)
class TorqueCommand:
    """Torques for one control cycle, instead of stiff position control.

    Attributes:
        torque: added at the joints (dof,) [Nm].
        viscous: share of the viscous friction that is compensated (dof,).
        coulomb: share of the dry friction that is compensated (dof,).
        tracks: whether the reference is followed, without integral action; else gravity is
            compensated and nothing more.
    """

    torque: Array
    viscous: Array
    coulomb: Array
    tracks: bool


@dataclass(eq=False)
class Reference:
    """Reference of the joints: positions, speeds and accelerations (dof,).

    ``command``, if any, counts for one cycle of a body that forces move; ``scale`` is the last
    speed scaling above 0.
    """

    q: Array
    qd: Array
    qdd: Array
    command: TorqueCommand | None = None
    scale: float = 1.0

    @classmethod
    def at(cls, q: Array) -> Reference:
        """Return the reference of an arm at rest."""
        return cls(q.copy(), np.zeros_like(q), np.zeros_like(q))

    def to_speed(self, qd: Array, dt: float) -> None:
        """Go on for ``dt`` while the speed changes evenly to ``qd``."""
        self.q = self.q + (self.qd + qd) * (dt / 2)
        self.qdd, self.qd = (qd - self.qd) / dt, qd

    def rest(self) -> None:
        """Stand where it is."""
        self.qd, self.qdd = np.zeros_like(self.q), np.zeros_like(self.q)


class Move(ABC):
    """Something the arm is doing."""

    @abstractmethod
    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Move the reference on by a cycle of ``dt`` seconds; return True at the end.

        Args:
            reference: changed in place.
            dt: length of the cycle [s].
            scale: speed scaling, 0 to 1; moves along a path and commands of speed run slower,
                servo commands do not.
        """


class MoveJoints(Move):
    """From rest straight in joint space to rest: one trapezoid that all joints share.

    Args:
        start: joints (dof,) [rad].
        end: joints (dof,) [rad].
        speed: top speed of the joint that moves most [rad/s].
        acceleration: likewise [rad/s2].
        limits: speeds that no joint may exceed, and accelerations that none exceeds for the sake
            of ``seconds``.
        seconds: how long it takes, instead of speed and acceleration; a quarter each to
            accelerate and to brake. It takes longer where the limits demand that.
    """

    def __init__(
        self,
        start: Array,
        end: Array,
        speed: float,
        acceleration: float,
        *,
        limits: RateLimits,
        seconds: float = 0.0,
    ) -> None:
        self.start, self.shift, self.time = start, end - start, 0.0
        self.rates = joint_rates(self.shift, speed, acceleration, limits=limits, seconds=seconds)

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Go on along the trapezoid, in scaled time."""
        self.time += dt * scale
        s, ds, dds = trapezoid_at(self.time, *self.rates)
        reference.q = self.start + s * self.shift
        reference.qd = ds * scale * self.shift
        reference.qdd = dds * scale**2 * self.shift
        return s >= 1.0


def joint_rates(
    shift: Array, speed: float, acceleration: float, *, limits: RateLimits, seconds: float = 0.0
) -> tuple[float, float]:
    """Return speed [1/s] and acceleration [1/s2] of the share of a displacement that is done.

    Args:
        shift: displacement of the joints (dof,) [rad].
        speed: top speed of the joint that moves most [rad/s].
        acceleration: likewise [rad/s2].
        limits: speeds that no joint exceeds, and accelerations that none exceeds for ``seconds``.
        seconds: duration instead of speed and acceleration, where the limits allow it.
    """
    fastest, hardest = most_rates(shift, limits)
    if seconds > 0:
        rate, change = lasting(seconds)
        return min(rate, fastest), min(change, hardest)
    longest = max(float(np.abs(shift).max()), 1e-12)
    return min(speed / longest, fastest), acceleration / longest


def most_rates(shift: Array, limits: RateLimits) -> tuple[float, float]:
    """Return the largest speed [1/s] and acceleration [1/s2] of a displacement within limits."""
    with np.errstate(divide="ignore"):
        shares = limits.speed / np.abs(shift), limits.acceleration / np.abs(shift)
    return min(float(shares[0].min()), MAX_RATE), min(float(shares[1].min()), MAX_RATE)


def lasting(seconds: float) -> tuple[float, float]:
    r"""Return the rates [1/s, 1/s2] of a trapezoid of that length, a quarter of it braking.

    .. math:: v = \frac{4}{3 T}, \quad a = \frac{4 v}{T}
    """
    rate = 4 / (3 * seconds)
    return rate, 4 * rate / seconds


class SpeedJoints(Move):
    """Joint speeds that are taken up at a given acceleration and held.

    Args:
        speeds: wanted (dof,) [rad/s].
        acceleration: of the joint whose speed has to change most [rad/s2].
        seconds: how long; without end if None.

    Attributes:
        elapsed: scaled time since it began [s].
    """

    def __init__(self, speeds: Array, acceleration: float, seconds: float | None = None) -> None:
        self.speeds, self.acceleration, self.left = speeds, acceleration, seconds
        self.reached, self.elapsed = False, 0.0

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Change the speed by at most a cycle's share, in scaled time; at scale 0, brake."""
        self.elapsed += dt * scale
        speed, target, time = reference.qd, 0 * self.speeds, dt
        if scale > 0:
            speed, target, time = speed / reference.scale, self.speeds, dt * scale
        change = target - speed
        most = float(np.abs(change).max())
        share = min(1.0, self.acceleration * time / most) if most > 0 else 1.0
        reference.to_speed((speed + share * change) * (scale or 1.0), dt)
        self.reached = share >= 1.0
        if self.left is None:
            return False
        self.left -= dt
        return self.left <= 0


class Brake(Move):
    """All joints come to rest together, the fastest at ``deceleration`` [rad/s2]."""

    def __init__(self, deceleration: float) -> None:
        self.deceleration = deceleration

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Reduce the speed by a cycle's deceleration; speed scaling does not slow braking down."""
        speed = float(np.abs(reference.qd).max())
        left = max(0.0, speed - self.deceleration * dt)
        if left == 0.0:
            reference.to_speed(np.zeros_like(reference.qd), dt)
            reference.rest()
            return True
        reference.to_speed(reference.qd * (left / speed), dt)
        return False


class Servo(Move):
    r"""Follows a target that is set again and again.

    The position error follows a critically damped spring, solved exactly over a cycle:

    .. math:: \ddot e + 2 \omega \dot e + \omega^2 e = 0, \quad
              \omega = \frac{2}{lookahead} \sqrt{gain / 300}

    so that a target moving evenly is followed ``lookahead`` seconds late at the standard gain.
    How a real controller does it is not published; this is a model of its effect.

    Args:
        target: joints (dof,) [rad].
        lookahead: [s].
        gain: 100 to 2000.
        top: speeds that no joint may exceed (dof,) [rad/s].
        seconds: how long the command counts that set the target [s].
    """

    def __init__(
        self, target: Array, lookahead: float, gain: float, top: Array, seconds: float = 0.002
    ) -> None:
        self.top, self.seconds = top, seconds
        self.set(target, lookahead, gain)

    def set(self, target: Array, lookahead: float, gain: float) -> None:
        """Change the target and how it is followed.

        Args:
            target: joints (dof,) [rad].
            lookahead: [s], clipped to 0.03 to 0.2.
            gain: clipped to 100 to 2000.
        """
        self.target = target
        self.omega = (
            2 / np.clip(lookahead, 0.03, 0.2) * np.sqrt(np.clip(gain, 100, 2000) / STANDARD_GAIN)
        )

    def step(self, reference: Reference, dt: float, scale: float) -> bool:
        """Follow for a cycle; joints far from their target are led there within their limits."""
        offset, w = reference.q - self.target, self.omega
        slope = reference.qd + w * offset
        fade = float(np.exp(-w * dt))
        qd = (reference.qd - w * dt * slope) * fade
        q = self.target + (offset + slope * dt) * fade
        hard = np.abs(qd - reference.qd) > SERVO_ACCELERATION * dt
        far = hard | (np.abs(qd) > self.top)
        if far.any():
            led = self._led(reference.qd, offset, dt)
            qd = np.where(far, led, qd)
            q = np.where(far, reference.q + (reference.qd + led) * (dt / 2), q)
        reference.qdd, reference.qd, reference.q = (qd - reference.qd) / dt, qd, q
        return False

    def _led(self, qd: Array, offset: Array, dt: float) -> Array:
        """Return the next speeds from which the joints can still stop in time."""
        away = np.abs(offset)
        slowly = np.minimum(np.sqrt(SERVO_ACCELERATION * away), away * self.omega / 2)
        wanted = -np.sign(offset) * np.minimum(slowly, self.top)
        most = SERVO_ACCELERATION * dt
        return np.asarray(qd + np.clip(wanted - qd, -most, most))
