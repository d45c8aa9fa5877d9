"""Shape, bounds and solution of an optimal-control programme."""

from __future__ import annotations

from dataclasses import dataclass

from armtwin.spatial import Array

SUCCESS = ("Solve_Succeeded", "Solved_To_Acceptable_Level")


@dataclass(frozen=True)
class Shape:
    """Structure of a programme; programmes of one shape differ in numbers only.

    Attributes:
        legs: number of legs; with several, the points between are passed without stopping.
        conversion: "ideal" or "lossy".
        sink: "supply", "bus" or "brake".
        jerk: whether jerks are bounded.
        torque: whether torques are bounded.
        pairs: pairs of the arm's capsules that must not collide.
        low: capsules that must stay above the floor.
        near: ``(obstacle, capsule)`` pairs that must not collide.
        obstacles: how many obstacles there are.
        spans: pieces of every leg's spline.
        given: whether given states are added to those of the spline of a single leg.
    """

    legs: int = 1
    conversion: str = "lossy"
    sink: str = "bus"
    jerk: bool = False
    torque: bool = False
    pairs: tuple[tuple[int, int], ...] = ()
    low: tuple[int, ...] = ()
    near: tuple[tuple[int, int], ...] = ()
    obstacles: int = 0
    spans: int = 14
    given: bool = False

    @property
    def distances(self) -> int:
        """Number of distances that are bounded at every Gauss point."""
        return len(self.pairs) + len(self.low) + len(self.near)


@dataclass(frozen=True, eq=False)
class ProgrammeBounds:
    """Largest speed, acceleration, jerk and torque (dof,), positions, floor and margin."""

    lower: Array
    upper: Array
    speed: Array
    acceleration: Array
    jerk: Array
    torque: Array
    floor: float = 0.0
    margin: float = 0.0


@dataclass(frozen=True, eq=False)
class ProgrammeSolution:
    """Control points per leg (legs, count, dof), energy [J] and how it depends on the times.

    ``marginal`` (legs,) is the derivative of the energy by the time of each leg [W].
    """

    controls: Array
    energy: float
    marginal: Array
    iterations: int
    status: str
    free: Array
    multipliers: tuple[Array, Array]

    @property
    def found(self) -> bool:
        """Whether Ipopt found a minimum within the bounds."""
        return self.status in SUCCESS
