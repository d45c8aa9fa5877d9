r"""Poses to measure next: D-optimal over geometry, compliance and error curves.

With the prior S and noise W of a calibration, poses add information, and the plan maximises

.. math:: \log\det A, \quad A = S^{-2} + \sum_i J_i^T W_i J_i

one pose after the other, then by exchanges of single poses.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armtwin.calibration.curves.spectrum import Spectrum
from armtwin.calibration.data.measurements import gather
from armtwin.calibration.data.placements import Sources, opened
from armtwin.calibration.fit.initial_fit import tolerance
from armtwin.calibration.fit.pose_model import GeometryModel
from armtwin.calibration.options import CalibrateOptions
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.convert import with_dh_rows
from armtwin.progress import OnProgress, report_step
from armtwin.recording.recording import Recording
from armtwin.report.page import Page, Section, Table, Text
from armtwin.report.result import Result
from armtwin.spatial import Array, as_seed, is_whole

CANDIDATES, TESTS = 600, 200
"""Random poses to choose from, and others on which the expected error is stated."""
TERMS = 20
"""Terms of the error curves that the plan counts with."""
NOISE, TURN_NOISE = 5e-5, 1e-4
"""Standard deviations that a laser tracker leaves after a fit [m, rad]."""
MAX_POSES, EXCHANGES = 400, 12
"""Poses of a plan at most, and exchanges: the first ones bring most of the gain."""


@dataclass(frozen=True)
class PosePlan(Result):
    """Poses to measure.

    Attributes:
        arm: the arm.
        q: joint vectors (n, dof) [rad], in the order of their choice.
        expected: expected position error (mean standard deviation) at other poses after measuring
            these poses [m], of geometry, compliance and curves within their priors.
        random: the same after as many random poses.
        before: the same before.
        measured: number of poses measured before.
    """

    arm: Arm
    q: Array = field(repr=False)
    expected: float
    random: float
    before: float
    measured: int = 0

    def recording(self) -> Recording:
        """Return the poses as a recording without a clock, to save as .csv or .parquet."""
        time = np.arange(float(len(self.q)))
        made = Recording.of(time, {"q": self.q}, arm=self.arm.name, origin="plan")
        return dataclasses.replace(made, timed=False)

    def page(self) -> Page:
        """Return the result as a page."""
        rows = (
            (f"before ({self.measured} poses measured)", self.before * 1e3),
            (f"after {len(self.q)} random poses", self.random * 1e3),
            (f"after these {len(self.q)} poses", self.expected * 1e3),
        )
        names = ("pose", *[f"q{k} [deg]" for k in range(1, self.arm.dof + 1)])
        table = tuple((n, *np.rad2deg(q).tolist()) for n, q in enumerate(self.q, 1))
        parts = (
            Table(("", "expected error [mm]"), rows, "Expected position error at other poses"),
            Table(names, table, "Poses to measure"),
            Text(
                "Poses are within the joint limits. Whether the arm is clear of itself and its "
                "surroundings there, and the target visible, is not checked.",
                "warning",
            ),
        )
        return Page(
            title=f"Poses to measure for a calibration of {self.arm.name}",
            subtitle=f"{len(self.q)} poses, D-optimal over geometry, compliance and error curves",
            sections=(Section("Plan", parts),),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for JSON."""
        figures = {"before": self.before, "random": self.random, "expected": self.expected}
        return {"arm": self.arm.name, "measured": self.measured, **figures, "q": self.q.tolist()}


def plan_poses(
    arm: ArmLike,
    count: int,
    *,
    measured: Sources = (),
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> PosePlan:
    """Return poses to measure, chosen by greedy D-optimal selection.

    Of random poses within the joint limits, one after the other is added that increases
    log det A most (see this module's equation); then the weakest is exchanged for a better one, up
    to 12 times. The result is a local maximum of log det A among these candidates. It is the
    volume of the parameters' confidence ellipsoid that becomes small, not the expected position
    error: with very few poses ``PosePlan.expected`` can be larger than ``PosePlan.random``.

    Args:
        arm: the arm, its name or file.
        count: number of poses.
        measured: recordings that exist already; poses are chosen in addition.
        seed: of the random candidates.
        on_progress: called before each pose is chosen; raise from it to cancel.

    Raises:
        InputError: a count outside 1 to 400, or a seed that is none.
    """
    arm = as_arm(arm)
    if not is_whole(count) or not 1 <= count <= MAX_POSES:
        raise InputError(
            f"{count!r} poses cannot be planned; give a whole number, 1 to {MAX_POSES}"
        )
    rng = np.random.default_rng(as_seed(seed))
    problem = _Design(with_dh_rows(arm, "modified-dh"))
    placed = opened(arm, measured)
    known = gather(arm, placed.recordings).q if placed.recordings else np.empty((0, arm.dof))
    lower, upper = np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi)
    sets = [rng.uniform(lower, upper, (n, arm.dof)) for n in (max(CANDIDATES, 2 * count), TESTS)]
    rows, tests = (problem.rows(q) for q in sets)
    start = problem.prior + _information(problem.rows(known))
    chosen = _exchanged(rows, start, _greedy(rows, start, count, on_progress))
    report_step(on_progress, "poses chosen", 1.0)
    others = np.arange(count)
    return PosePlan(
        arm=arm,
        q=sets[0][chosen],
        expected=_expected(start + _information(rows[chosen]), tests),
        random=_expected(start + _information(rows[others]), tests),
        before=_expected(start, tests),
        measured=len(known),
    )


class _Design:
    """Derivatives of poses by all parameters of a calibration, in units of noise and prior."""

    def __init__(self, arm: Arm) -> None:
        masses = all(joint.link.mass is not None for joint in arm.driven)
        turning = all(joint.kind == "revolute" for joint in arm.driven)
        terms = TERMS if turning else 0
        self.model = GeometryModel(arm, compliance=masses, terms=terms)
        options = CalibrateOptions()
        geometry = [p for p in self.model.parameters if p.group != "curves"]
        sizes = [tolerance(parameter, options) for parameter in geometry]
        curves = np.tile(Spectrum(terms=terms).deviations(terms), 2 * arm.dof)
        self.deviations = np.concatenate([sizes, curves])
        self.prior = np.eye(self.deviations.size)

    def rows(self, q: Array) -> Array:
        """Return the whitened derivatives (n, 6, k) at joint vectors (n, dof)."""
        if not len(q):
            return np.empty((0, 6, self.deviations.size))
        still = np.zeros(self.deviations.size)
        _, J = self.model.poses(q, self.model.load(q), still)
        noise = np.repeat([NOISE, TURN_NOISE], 3)
        return np.asarray(J * self.deviations / noise[:, None])


def _information(rows: Array) -> Array:
    flat = rows.reshape(-1, rows.shape[2])
    return np.asarray(flat.T @ flat)


def _gains(rows: Array, through: Array) -> Array:
    """Return ``log det(I + F C F^T)`` of every candidate (n,), with ``through = F C``."""
    inner = np.eye(6) + np.einsum("nik,njk->nij", through, rows)
    return np.asarray(np.linalg.slogdet(inner)[1])


def _greedy(rows: Array, A: Array, count: int, on_progress: OnProgress | None) -> list[int]:
    """Return candidates, each the one that adds most; ``F C`` is updated by each of them.

    Args:
        rows: whitened derivatives of the candidates (n, 6, k).
        A: information before the plan (k, k).
        count: number of candidates to choose.
        on_progress: called before each of them.
    """
    through = rows @ np.linalg.inv(A)
    chosen: list[int] = []
    for number in range(count):
        report_step(on_progress, "choosing poses", number / count)
        gains = _gains(rows, through)
        gains[chosen] = -np.inf
        best = int(np.argmax(gains))
        chosen.append(best)
        own, beside = rows[best], through[best].copy()
        shares = np.linalg.solve(np.eye(6) + beside @ own.T, beside)
        through -= (through @ own.T) @ shares
    return chosen


def _exchanged(rows: Array, A: Array, chosen: list[int]) -> list[int]:
    """Return the choice after exchanges of its weakest pose for a better one."""
    chosen = list(chosen)
    for _ in range(EXCHANGES):
        through = rows @ np.linalg.inv(A + _information(rows[chosen]))
        inner = np.eye(6) - np.einsum("nik,njk->nij", through[chosen], rows[chosen])
        weakest = int(np.argmax(np.linalg.slogdet(inner)[1]))
        rest = [*chosen[:weakest], *chosen[weakest + 1 :]]
        through = rows @ np.linalg.inv(A + _information(rows[rest]))
        gains = _gains(rows, through)
        gains[rest] = -np.inf
        best = int(np.argmax(gains))
        if best == chosen[weakest]:
            break
        chosen = [*rest, best]
    return chosen


def _expected(A: Array, tests: Array) -> float:
    """Return the mean standard deviation of positions at test poses [m]."""
    C = np.linalg.inv(A)
    place = tests[:, :3] * NOISE
    return float(np.sqrt(np.einsum("nik,nik->n", place @ C, place)).mean())
