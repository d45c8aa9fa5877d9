"""Energy of a motion of least energy, compared with the trapezoid and other motions."""

from __future__ import annotations

from dataclasses import dataclass

from armtwin.energy.ledger import Ledger, ledger
from armtwin.errors import MissingDataError, PlanError
from armtwin.motion.motion import Motion
from armtwin.motion.optimal.fastest import fastest
from armtwin.motion.optimal.leg_times import USUAL, Trapezoid
from armtwin.motion.optimal.solve import Optimum, Task
from armtwin.motion.waypoints import Waypoints
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class ComparedMotion:
    """One of the compared motions with its ledger; or why there is none."""

    name: str
    motion: Motion | None = None
    ledger: Ledger | None = None
    missing: str = ""

    @property
    def seconds(self) -> float:
        """Time it takes [s]; NaN where there is none."""
        return self.motion.duration if self.motion else float("nan")

    @property
    def motors(self) -> float:
        """Energy of its motors [J]; NaN where there is none."""
        return self.ledger.motors if self.ledger else float("nan")

    @property
    def total(self) -> float:
        """Energy with idle power [J]; NaN where there is none."""
        return self.ledger.total if self.ledger else float("nan")


@dataclass(frozen=True, eq=False)
class Savings:
    """Motions through the same points, the trapezoid first and the optimum last."""

    motions: tuple[ComparedMotion, ...]

    @property
    def trapezoid(self) -> ComparedMotion:
        """The plain motion."""
        return self.motions[0]

    @property
    def optimum(self) -> ComparedMotion:
        """The motion of least energy."""
        return self.motions[-1]

    def saving(self, motion: ComparedMotion) -> float:
        """Return by what part a motion's motors spend less than the trapezoid's.

        NaN where the trapezoid spends nothing, as on a descent that regenerates all it draws.
        """
        return _saved(motion.motors, self.trapezoid.motors)

    def total_saving(self, motion: ComparedMotion) -> float:
        """Return the same with idle power counted."""
        return _saved(motion.total, self.trapezoid.total)


def _saved(cost: float, plain: float) -> float:
    return 1 - cost / plain if plain > 0 else float("nan")


def compare(
    task: Task,
    points: Array,
    best: Optimum,
    *,
    idle: float = 0.0,
    trapezoid: Trapezoid = USUAL,
) -> Savings:
    """Return the trapezoid, the trapezoid slowed down, TOPP-RA and the optimum side by side.

    Args:
        task: arm, limits and surroundings.
        points: joint positions to pass (n, dof) [rad | m].
        best: the optimum for the same points.
        idle: power at standstill [W].
        trapezoid: speeds and accelerations of the trapezoid that is compared with.
    """
    total = float(best.seconds.sum())
    plain = _trapezoid(task, points, trapezoid, 1.0)
    motions: list[tuple[str, Motion | str]] = [("trapezoid", plain)]
    slower = total / float(trapezoid.seconds(points).sum())
    if slower > 1 + 1e-6:
        motions.append(("trapezoid slowed down", _trapezoid(task, points, trapezoid, slower)))
    motions.append(("TOPP-RA, fastest", _fastest(task, points)))
    motions.append(("least energy", best.motion))
    return Savings(tuple(_compared(task, name, motion, idle) for name, motion in motions))


def _trapezoid(task: Task, points: Array, trapezoid: Trapezoid, slower: float) -> Motion | str:
    v, a = trapezoid.vmax / slower, trapezoid.amax / slower**2
    try:
        return Waypoints(points, v, a).motion(task.arm, task.rate)
    except PlanError as error:
        return str(error)


def _fastest(task: Task, points: Array) -> Motion | str:
    try:
        return fastest(task.arm, points, task.limits, task.rate)
    except (MissingDataError, PlanError) as error:
        return str(error)


def _compared(task: Task, name: str, motion: Motion | str, idle: float) -> ComparedMotion:
    if isinstance(motion, str):
        return ComparedMotion(name, missing=motion)
    return ComparedMotion(name, motion, ledger(task.arm, motion, rule=task.rule, idle=idle))
