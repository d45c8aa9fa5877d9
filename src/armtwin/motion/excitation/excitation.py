"""Excitation: motions that are informative about an arm's parameters, and their limits."""

from __future__ import annotations

import contextlib
import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armtwin.errors import InputError, PlanError
from armtwin.kinematics.forward import fk
from armtwin.model.arm import Arm
from armtwin.motion.clearance.clearance import Environment, check_free
from armtwin.motion.excitation.information import Information
from armtwin.motion.limits import MotionLimits, checked
from armtwin.motion.motion import RATE, Motion
from armtwin.progress import OnProgress, report_step
from armtwin.report.page import Chart, Curve, Page, Panel, Section, Table, Text
from armtwin.report.result import Result
from armtwin.spatial import Array

RANDOM = 16
"""Random motions that the search starts from and is compared with."""
DEFAULT_LIMITS = (3.0, 6.0)
"""Limits of the electro-mechanical document [rad/s, rad/s2]."""
SAMPLES = 100
"""Samples of a motion that its information is taken from while it is being improved."""


@dataclass(frozen=True, eq=False)
class ExcitationProblem:
    """Limits of an excitation.

    Attributes:
        arm: an arm with masses.
        limits: on speed and acceleration; None: the document's 3 rad/s and 6 rad/s2, less where a
            joint's own limit is lower.
        around: floor, obstacles, margin.
        box: lowest and highest tool positions in base (2, 3) [m]; None for anywhere.
        rate: samples per second of the motion.
        seed: of the random starts; the same seed gives the same motion.
        on_progress: called as the search goes on; raise from it to cancel.
    """

    arm: Arm
    limits: MotionLimits = None  # type: ignore[assignment]  # set below
    around: Environment = Environment()
    box: tuple[tuple[float, float, float], tuple[float, float, float]] | None = None
    rate: float = RATE
    seed: int = 0
    on_progress: OnProgress | None = field(default=None, compare=False)

    def report(self, step: str, done: float) -> None:
        """Report progress: what is done, and which share of the whole, 0 to 1."""
        report_step(self.on_progress, step, done)

    def __post_init__(self) -> None:
        """Refuse an arm without masses and a box inside out; fill in the limits."""
        self.arm.require_masses()
        if self.limits is None:
            limits = MotionLimits.at_most(self.arm, None, None, defaults=DEFAULT_LIMITS)
            object.__setattr__(self, "limits", limits)
        if self.box is not None and not (np.asarray(self.box[0]) < np.asarray(self.box[1])).all():
            raise InputError(f"the box's lowest corner is not below its highest: {self.box}")

    @property
    def range(self) -> tuple[Array, Array]:
        """Positions that are used, at most a turn."""
        return np.maximum(self.arm.lower, -np.pi), np.minimum(self.arm.upper, np.pi)


@dataclass(frozen=True, eq=False)
class Excitation(Result):
    """A motion that is informative about the arm's parameters.

    Attributes:
        arm: the arm.
        motion: joint positions, speeds and accelerations over time.
        kind: "fourier" or "waypoints".
        amount: the information D per sample (see ``excitation.information``).
        random: mean D of random motions of the same kind within the same limits.
        rank: number of identifiable combinations of parameters.
        condition: condition number of the regressors, columns scaled to one length.
        clearance: smallest distance along the motion [m].
        points: the waypoints (k, dof), where it has some.
    """

    arm: Arm
    motion: Motion
    kind: str
    amount: float
    random: float
    rank: int
    condition: float
    clearance: float
    points: Array | None = None

    @property
    def deviation(self) -> float:
        """Standard error of its estimates over that of a random motion's, geometric mean."""
        return float(np.exp((self.random - self.amount) / (2 * self.rank)))

    def page(self) -> Page:
        """Return figures, ranges and curves of the joints as a page."""
        motion = self.motion
        joints = zip(motion.q.T, np.abs(motion.qd).T, np.abs(motion.qdd).T, strict=True)
        rows = tuple(
            (f"q{k}", *[f"{v:.3f}" for v in (q.min(), q.max(), qd.max(), qdd.max())])
            for k, (q, qd, qdd) in enumerate(joints, 1)
        )
        heads = ("joint", "lowest", "highest", "top speed", "top acceleration")
        units = "[rad, rad/s, rad/s2], or m for sliding joints"
        notes = tuple(Text(note, "note") for note in motion.notes)
        return Page(
            title=f"Excitation of {self.arm.name}",
            subtitle=f"{motion.name}, {motion.duration:.3f} s, {len(motion)} samples",
            facts=(
                ("Identifiable combinations of parameters", str(self.rank)),
                ("Condition number", f"{self.condition:.1f}"),
                ("Standard errors against a random motion", f"{self.deviation:.2f}"),
                ("Clearance", f"{self.clearance:.3f} m"),
            ),
            sections=(Section("Joints", (Table(heads, rows, units), _curves(motion), *notes)),),
            settings=(("arm fingerprint", self.arm.fingerprint),),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return figures, waypoints and notes as plain data."""
        return {
            "kind": self.kind,
            "motion": self.motion.name,
            "duration": self.motion.duration,
            "rank": self.rank,
            "information": self.amount,
            "random_information": self.random,
            "deviation_against_random": self.deviation,
            "condition": self.condition,
            "clearance": self.clearance,
            "points": None if self.points is None else self.points.tolist(),
            "notes": list(self.motion.notes),
        }


def _curves(motion: Motion) -> Chart:
    labelled = (("position", motion.q), ("speed", motion.qd), ("acceleration", motion.qdd))
    panels = tuple(
        Panel(name, tuple(Curve(f"q{k}", motion.time, x) for k, x in enumerate(values.T, 1)))
        for name, values in labelled
    )
    return Chart("Joints", "time [s]", panels)


def check_rates(request: ExcitationProblem, motion: Motion) -> None:
    """Raise PlanError for speeds or accelerations beyond the requested limits."""
    speed, acceleration, _ = request.limits.values(request.arm)
    pairs = (("speed", motion.qd, speed), ("acceleration", motion.qdd, acceleration))
    for what, values, limit in pairs:
        if (np.abs(values) > limit * (1 + 1e-9)).any():
            raise PlanError(f"{motion.name}: {what} beyond the requested limit")


def outside_box(request: ExcitationProblem, q: Array) -> bool:
    """Return whether the tool leaves the box in any posture (n, dof)."""
    if request.box is None:
        return False
    at = fk(request.arm, q, ignore_limits=True)[:, :3, 3]
    return bool((at < request.box[0]).any() or (at > request.box[1]).any())


def kept(request: ExcitationProblem, motion: Motion) -> tuple[Motion, float]:
    """Return a motion with notes and its smallest distance [m], after checking every limit.

    Raises:
        PlanError: a limit, the box or the margin is exceeded.
    """
    check_rates(request, motion)
    if outside_box(request, motion.q):
        raise PlanError(f"{motion.name}: the tool leaves the box")
    clear = check_free(request.arm, motion, request.around)
    return checked(request.arm, motion), clear


def valued(
    request: ExcitationProblem,
    measure: Information,
    motion: Motion,
    kind: str,
    usual: float,
    points: Array | None = None,
) -> Excitation:
    """Return a motion with its information, after checking every limit.

    Args:
        request: the arm and the limits.
        measure: the arm's information measure.
        motion: the motion.
        kind: "fourier" or "waypoints".
        usual: mean information of random motions.
        points: the waypoints (k, dof), where it has some.
    """
    motion, clear = kept(request, motion)
    thin = slice(None, None, max(1, len(motion) // 500))
    states = motion.q[thin], motion.qd[thin], motion.qdd[thin]
    note = f"{measure.rank} combinations of parameters are identifiable"
    motion = dataclasses.replace(motion, notes=(*motion.notes, note))
    amount, condition = measure.amount(*states), measure.condition(*states)
    rank, arm = measure.rank, request.arm
    return Excitation(arm, motion, kind, amount, usual, rank, condition, clear, points)


def one_thread() -> contextlib.AbstractContextManager[Any]:
    """Return a context in which BLAS uses one thread, which is faster for small matrices."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return contextlib.nullcontext()
    block: contextlib.AbstractContextManager[Any] = threadpool_limits(1)
    return block
