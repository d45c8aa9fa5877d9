"""Minimum-energy motion through points, within limits on speed, acceleration, jerk and torque."""

from __future__ import annotations

import dataclasses
import time as clock
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armtwin.dynamics.regeneration import DEFAULT, Regeneration, regeneration
from armtwin.errors import PlanError
from armtwin.model.arm import Arm
from armtwin.model.drive import effort_limits
from armtwin.motion.clearance.clearance import Contacts, Environment, check_free, contacts
from armtwin.motion.limits import MotionLimits, checked, needed_torque
from armtwin.motion.motion import RATE, Motion
from armtwin.motion.optimal.curve import STILL, leg_basis, programme, sampled
from armtwin.motion.optimal.profile import fastest_profile, least_time, quintic_profile
from armtwin.spatial import Array

if TYPE_CHECKING:
    from armtwin.equations.optimal.programme import ProgrammeBounds, ProgrammeSolution, Shape
    from armtwin.equations.optimal.spline import Basis

ROOM = 5e-3
"""Distance kept beyond the margin at the optimiser's points, for what lies between them [m]."""
ROUNDS = 5
"""Solutions until obstacles and torque limits are kept; what still fails then is refused."""
TIGHT = 1 - 1e-6
"""Part of a limit that the optimiser may use: it meets bounds to some digits only."""
SLACK = 2e-3
"""Part of a torque limit that a bound is lowered by beyond what was missed."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """A locally optimal motion of least energy, found from the straight one.

    Attributes:
        motion: of the joints.
        seconds: time of every leg (legs,) [s].
        promised: supply energy by the optimiser's smooth model [J]; ``energy.ledger`` computes it
            exactly.
        marginal: derivative of the energy by the time of every leg (legs,) [W].
        iterations: of Ipopt, all solves together.
        solve_seconds: processor time of the last solve, or of those of all legs, without deriving
            the programme [s].
        solutions: what Ipopt found, for a warm start.
        kept_apart: contacts that had to be ruled out.
    """

    motion: Motion
    seconds: Array
    promised: float
    marginal: Array
    iterations: int
    solve_seconds: float
    solutions: tuple[ProgrammeSolution, ...]
    kept_apart: Contacts = Contacts()


@dataclass(frozen=True, eq=False)
class Task:
    """The problem: the arm, its limits, the rule of regeneration and the obstacles."""

    arm: Arm
    limits: MotionLimits = MotionLimits()
    rule: Regeneration = regeneration(DEFAULT)
    around: Environment | None = None
    rate: float = RATE

    def solve_leg(self, start: Array, end: Array, T: float, guess: Optimum | None) -> Optimum:
        """Return the motion of least energy between two points, from rest to rest.

        Args:
            start: joint vector (dof,) [rad | m].
            end: joint vector (dof,) [rad | m].
            T: duration [s].
            guess: solution to start from; a straight line if None.
        """
        points = np.stack([start, end])
        found = Contacts() if guess is None else guess.kept_apart
        for _ in range(ROUNDS):
            best = self._solve(points, np.array([T]), found, guess)
            more = self._met(best.motion)
            if not more:
                break
            found, guess = found | more, None
        return self.checked(best)

    def solve_through(self, points: Array, seconds: Array, guess: Optimum | None) -> Optimum:
        """Return the motion of least energy through points without stopping.

        Args:
            points: joint vectors (k, dof) [rad | m].
            seconds: duration of every leg (k - 1,) [s].
            guess: solution to start from; straight legs if None.
        """
        found = Contacts() if guess is None else guess.kept_apart
        for _ in range(ROUNDS):
            best = self._solve(points, seconds, found, guess)
            more = self._met(best.motion)
            if not more:
                break
            found = found | more
        return self.checked(best)

    def _met(self, motion: Motion) -> Contacts:
        return Contacts() if self.around is None else contacts(self.arm, motion.q, self.around)

    def checked(self, best: Optimum) -> Optimum:
        """Return the optimum with what its motion keeps clear of noted.

        Raises:
            PlanError: the motion exceeds a limit of the arm or a clearance.
        """
        motion = checked(self.arm, best.motion)
        if self.around is not None:
            nearest = check_free(self.arm, motion, self.around)
            motion = dataclasses.replace(
                motion, notes=(*motion.notes, f"keeps {nearest:.3f} m clear")
            )
        return dataclasses.replace(best, motion=motion)

    def _solve(
        self, points: Array, seconds: Array, apart: Contacts, guess: Optimum | None
    ) -> Optimum:
        """Solve without torque limits, and with them only where they matter.

        The optimiser's friction is smooth and its torques are bounded at its points only; where
        the exact ones go beyond a limit, the bound is lowered by as much.
        """
        shape, bounds = self._shape(len(seconds), apart), self.bounds
        limit = bounds.torque
        best = self._solve_shape(shape, points, seconds, guess, bounds)
        for _ in range(ROUNDS):
            excess = np.abs(needed_torque(self.arm, best.motion)).max(axis=0) - limit
            if (excess <= 0).all():
                break
            lowered = bounds.torque - np.maximum(excess + SLACK * limit, 0.0) * shape.torque
            bounds = dataclasses.replace(bounds, torque=lowered)
            shape = dataclasses.replace(shape, torque=True)
            best = self._solve_shape(shape, points, seconds, None, bounds)
        return dataclasses.replace(best, kept_apart=apart)

    def _shape(self, legs: int, apart: Contacts) -> Shape:
        from armtwin.equations.optimal.programme import Shape

        return Shape(
            legs=legs,
            conversion=self.rule.conversion,
            sink=self.rule.sink,
            jerk=bool(np.isfinite(self.bounds.jerk).any()),
            pairs=apart.pairs,
            low=apart.low,
            near=apart.near,
            obstacles=len(self.around.obstacles) if self.around else 0,
            given=self.given(leg_basis()) is not None,
        )

    @property
    def bounds(self) -> ProgrammeBounds:
        """Constraints of the optimiser."""
        from armtwin.equations.optimal.programme import ProgrammeBounds

        torque = effort_limits(self.arm)
        floor, margin = 0.0, ROOM
        if self.around is not None:
            floor, margin = self.around.floor or 0.0, self.around.margin + ROOM
        speed, acceleration, jerk = (TIGHT * limit for limit in self.limits.values(self.arm))
        sides = self.arm.lower, self.arm.upper
        return ProgrammeBounds(*sides, speed, acceleration, jerk, torque, floor, margin)

    def _solve_shape(
        self,
        shape: Shape,
        points: Array,
        seconds: Array,
        guess: Optimum | None,
        bounds: ProgrammeBounds,
    ) -> Optimum:
        problem = programme(self.arm, shape)
        problem.solver(False)
        began = clock.thread_time()
        obstacles = [o.numbers for o in self.around.obstacles] if self.around else []
        more = np.array(obstacles), self.given(problem.basis)
        start = self._start(problem.basis, shape, points, seconds, guess)
        found = problem.solve(points, seconds, bounds, start, *more)
        if not found.found and guess is not None:
            start = self._start(problem.basis, shape, points, seconds, None)
            found = problem.solve(points, seconds, bounds, start, *more)
        took = clock.thread_time() - began
        if not found.found:
            raise self._failure(points, seconds, found, problem.basis)
        motion = self.sampled(found.controls, seconds, problem.basis)
        values = found.energy, found.marginal, found.iterations, took, (found,)
        return Optimum(motion, seconds, *values)

    def given(self, basis: Basis) -> Array | None:
        """Return states at the Gauss points that are added to the spline's; None: there are none.

        ``HeldTask`` holds joints to a trapezoid in this way.
        """
        return None

    def sampled(self, controls: Array, seconds: Array, basis: Basis) -> Motion:
        """Return the sampled motion of splines.

        Args:
            controls: control points (legs, count, dof) [rad | m].
            seconds: duration of every leg (legs,) [s].
            basis: of the splines.
        """
        return sampled(controls, seconds, basis, self.rate)

    def _start(
        self, basis: Basis, shape: Shape, points: Array, seconds: Array, guess: Optimum | None
    ) -> Array | ProgrammeSolution:
        if guess is not None and len(guess.solutions) == 1:
            solution = guess.solutions[0]
            if len(solution.controls) == shape.legs and self._fits(guess, shape):
                return solution
        if guess is not None and len(guess.seconds) == shape.legs:
            return np.concatenate([solution.controls for solution in guess.solutions])
        legs = zip(points[:-1], points[1:], seconds.tolist(), strict=True)
        return np.stack([self._straight(basis, *leg) for leg in legs])

    def _fits(self, guess: Optimum, shape: Shape) -> bool:
        rows = guess.solutions[0].multipliers[1].size
        return not shape.torque and rows == programme(self.arm, shape).rows

    def rates(self, start: Array, end: Array) -> tuple[float, ...]:
        """Return the rates of a straight profile from 0 to 1 that no joint exceeds."""
        distance = np.maximum(np.abs(end - start), STILL * 1e-3)
        return tuple(float((limit / distance).min()) for limit in self.limits.values(self.arm))

    def soft(self, start: Array, end: Array) -> float:
        """Return the time in which a quintic between two points keeps to the limits [s]."""
        basis = leg_basis()
        return least_time(basis, quintic_profile(basis), self.rates(start, end))

    def fastest(self, start: Array, end: Array) -> float:
        """Return the least time of a straight motion between two points [s]."""
        return fastest_profile(leg_basis(), self.rates(start, end))[0]

    def _straight(self, basis: Basis, start: Array, end: Array, T: float) -> Array:
        profile, rates = quintic_profile(basis), self.rates(start, end)
        if least_time(basis, profile, rates) > T:
            profile = fastest_profile(basis, rates)[1]
        return np.asarray(start + np.outer(profile, end - start))

    def _failure(
        self, points: Array, seconds: Array, found: ProgrammeSolution, basis: Basis
    ) -> PlanError:
        if len(seconds) == 1:
            least = fastest_profile(basis, self.rates(*points))[0]
            if least > seconds[0]:
                return PlanError(
                    f"the leg has {seconds[0]:.3f} s; within the limits on speed, acceleration "
                    f"and jerk it takes {least:.3f} s; give it more time or wider limits"
                )
        return PlanError(
            f"no motion in {seconds.sum():.3f} s keeps to the limits and distances "
            f"({found.status}); give it more time, wider limits, or a waypoint around the "
            "obstacle"
        )
