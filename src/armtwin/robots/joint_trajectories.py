r"""Trajectories of all joints, computed by ruckig: joint by joint, or along a straight line.

**Joint by joint** every joint is as fast as its own limits allow, so the joints arrive at
different times and the arm leaves the path between its positions.

**Along a line** all joints share one motion ``s(t)``. Ruckig's phase synchronization does that only
for states that are collinear to rounding and only where it is time-optimal (else it falls back to
time synchronization, without a word). So the line is a coordinate of its own here, and what the
state holds across it (a target that moves turns the line) dies out beside it:

.. math:: q(t) = q_0 + u \, s(t) + c(t), \qquad
          \dot q_0 = u \, \dot s_0 + \dot c_0, \quad \ddot q_0 = u \, \ddot s_0 + \ddot c_0

Speed, acceleration and jerk are divided between ``s`` and ``c``, so their sum keeps every joint's
limits. An arm on its line has :math:`c = 0` and stays on it exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armtwin.errors import PlanError
from armtwin.spatial import Array

if TYPE_CHECKING:
    from ruckig import InputParameter, Trajectory

State = tuple[Array, Array, Array]
"""Position, speed and acceleration (dof,)."""
Rates = tuple[Array, Array, Array]
"""Limits of speed, acceleration and jerk (dof,)."""
ALONG, ACROSS = 0.8, 0.15
"""Shares of acceleration and jerk along and across a line whose target moves. The rest is for an
acceleration that belonged to the line before."""
ROUNDING = 1e-9
"""Share of the limits below which a motion across the line is rounding."""


@dataclass(frozen=True, eq=False)
class JointByJoint:
    """A motion in which every joint takes its own shortest time; ``target`` is None for braking.

    A plan holds no object of ruckig: its bindings complain about objects that are alive when the
    interpreter ends. Computing a trajectory again takes less than 0.1 ms.
    """

    state: State
    target: Array | None
    rates: Rates

    def at(self, time: float) -> State:
        """Return position, speed and acceleration (dof,) so long after the start [s]."""
        return _at(self._trajectory(), time)

    def duration(self) -> float:
        """Return the duration [s]."""
        return float(self._trajectory().duration)

    def extremes(self) -> tuple[Array, Array]:
        """Return the smallest and the largest positions (dof,) on the way [rad | m]."""
        return _extremes(self._trajectory())

    def _trajectory(self) -> Trajectory:
        q, qd, qdd = self.state
        bound = self.rates[1]
        return _trajectory((q, qd, np.clip(qdd, -bound, bound)), self.target, self.rates)


@dataclass(frozen=True, eq=False)
class AlongLine:
    """A motion along a straight line in joint space.

    Attributes:
        q: where it starts (dof,) [rad | m].
        line: direction ``u`` (dof,); its largest component is 1.
        along: state on the line, (1,) each.
        target: distance along the line (1,) [rad | m]; None for braking.
        rates: limits of the motion along the line, (1,) each.
        across: state beside the line, (dof,) each.
        across_rates: limits of the motion across it, (dof,) each; None if there is none.
    """

    q: Array
    line: Array
    along: State
    target: Array | None
    rates: Rates
    across: State
    across_rates: Rates | None

    def at(self, time: float) -> State:
        """Return position, speed and acceleration (dof,) so long after the start [s]."""
        along, across = self._trajectories()
        q, qd, qdd = (self.line * value for value in _at(along, time))
        if across is None:
            return self.q + q, qd, qdd
        beside = _at(across, time)
        return self.q + q + beside[0], qd + beside[1], qdd + beside[2]

    def duration(self) -> float:
        """Return the duration [s]."""
        along, across = self._trajectories()
        return max(along.duration, 0.0 if across is None else across.duration)

    def extremes(self) -> tuple[Array, Array]:
        """Return bounds of the positions (dof,) on the way [rad | m]."""
        along, across = self._trajectories()
        low, high = np.sort([self.line * end for end in _extremes(along)], axis=0)
        beside = (0.0, 0.0) if across is None else _extremes(across)
        return self.q + low + beside[0], self.q + high + beside[1]

    def _trajectories(self) -> tuple[Trajectory, Trajectory | None]:
        along = _trajectory(self.along, self.target, self.rates)
        if self.across_rates is None:
            return along, None
        target = None if self.target is None else np.zeros_like(self.q)
        return along, _trajectory(self.across, target, self.across_rates)


def along_line(
    state: State, target: Array | None, rates: Rates, top: Array, *, follows: bool = False
) -> AlongLine | None:
    """Return a motion along a line; None for a state that has too much beside the line.

    The line leads to the target, or in the direction of motion for braking.

    Args:
        state: at the start.
        target: where to rest (dof,) [rad | m]; None for braking.
        rates: limits of the motion.
        top: speeds that are never exceeded (dof,), even if the motion before was faster than
            ``rates`` allows [rad/s | m/s].
        follows: whether another target is expected before this one is reached; then a part of the
            limits is kept for it.
    """
    q, qd, qdd = state
    away = np.zeros_like(q) if target is None else target - q
    heading = next((h for h in (away, qd, qdd) if np.abs(h).max() > 0), None)
    if heading is None:
        return None
    line = heading / np.abs(heading).max()
    weights = line / rates[1] ** 2  # joints are compared by their acceleration limits
    along = tuple(np.array([weights @ value / (weights @ line)], float) for value in (qd, qdd))
    across = np.zeros_like(q), qd - along[0] * line, qdd - along[1] * line
    shares = _shares(across, rates, braking=target is None, follows=follows)
    beside = _across_rates(across, rates, shares[1])
    rate = _along_rates(line, rates, beside, shares[0])
    if rate is None or not _fits(line, along, rate, (top, rates[1]), beside):
        return None
    length = None if target is None else np.array([np.abs(away).max()])
    return AlongLine(q, line, (np.zeros(1), along[0], along[1]), length, rate, across, beside)


def _shares(across: State, rates: Rates, *, braking: bool, follows: bool) -> tuple[float, float]:
    """Return the shares of acceleration and jerk along and across a line."""
    _, qd, qdd = across
    needed = float((np.abs(qdd) / rates[1]).max())
    if max(needed, float((np.abs(qd) / rates[0]).max())) < ROUNDING:
        return (ALONG if follows else 1.0), 0.0
    return (1.0 - needed, needed) if braking else (ALONG, ACROSS)


def _across_rates(across: State, rates: Rates, share: float) -> Rates | None:
    """Return the limits across a line: the speed is the largest one on the way to rest."""
    if share == 0.0:
        return None
    _, qd, qdd = across
    peak = np.abs(qd) + qdd**2 / (2 * share * rates[2])
    return peak + ROUNDING * rates[0], share * rates[1], share * rates[2]


def _along_rates(line: Array, rates: Rates, beside: Rates | None, share: float) -> Rates | None:
    """Return the limits (1,) along a line with which no joint exceeds its own; None if none."""
    size = np.maximum(np.abs(line), ROUNDING)
    speed = rates[0] if beside is None else rates[0] - beside[0]
    along = [
        np.array([(value / size).min()]) for value in (speed, share * rates[1], share * rates[2])
    ]
    return (along[0], along[1], along[2]) if along[0] > 0 and share > 0 else None


def _fits(
    line: Array,
    along: tuple[Array, ...],
    rate: Rates,
    top: tuple[Array, Array],
    beside: Rates | None,
) -> bool:
    """Return whether a state that exceeds the shares keeps the joints' limits nevertheless."""
    if beside is None:
        return True
    size = np.abs(line)
    peak = np.abs(along[0]) + along[1] ** 2 / (2 * rate[2])
    speed = size * peak + beside[0] <= top[0]
    acceleration = size * np.abs(along[1]) + beside[1] <= top[1] * (1 + ROUNDING)
    return bool(speed.all() and acceleration.all())


def _trajectory(state: State, target: Array | None, rates: Rates) -> Trajectory:
    """Return the time-optimal trajectory of joints that do not wait for each other.

    Raises:
        PlanError: there is none.
    """
    from ruckig import ControlInterface, InputParameter, Synchronization

    q, qd, qdd = state
    request = InputParameter(len(q))
    request.current_position, request.current_velocity = q, qd
    kept = np.clip(qdd, -rates[1], rates[1])
    rounded = np.abs(qdd - kept) < ROUNDING * rates[1]  # more is reduced by ruckig, within the jerk
    request.current_acceleration = np.where(rounded, kept, qdd)
    request.max_velocity, request.max_acceleration, request.max_jerk = rates
    if target is None:
        request.control_interface = ControlInterface.Velocity
    else:
        request.target_position = target
    request.synchronization = Synchronization.No
    return calculated(request)


def calculated(request: InputParameter) -> Trajectory:
    """Return the trajectory that a request of ruckig asks for.

    Raises:
        PlanError: there is none.
    """
    from ruckig import Result, Ruckig, Trajectory

    trajectory = Trajectory(request.degrees_of_freedom)
    result = Ruckig(request.degrees_of_freedom).calculate(request, trajectory)
    if result not in (Result.Working, Result.Finished):
        raise PlanError(f"no motion within the limits was found: {result}")
    return trajectory


def _at(trajectory: Trajectory, time: float) -> State:
    q, qd, qdd = trajectory.at_time(min(time, trajectory.duration))
    return np.array(q), np.array(qd), np.array(qdd)


def _extremes(trajectory: Trajectory) -> tuple[Array, Array]:
    found = trajectory.position_extrema
    return np.array([end.min for end in found]), np.array([end.max for end in found])
