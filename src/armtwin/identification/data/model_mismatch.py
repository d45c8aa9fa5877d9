"""Detect a payload or a tilted base that the model of the arm does not have, before any fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.hypothesis_comparison import HypothesisScore, compare_hypotheses
from armtwin.identification.data.mismatch_evidence import Evidence, gather_evidence
from armtwin.identification.data.runs import IdentificationRun
from armtwin.identification.data.target_friction import without_friction_targets, without_targets
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.estimation.problem import file_vector
from armtwin.identification.options import IdentifyOptions
from armtwin.model.arm import Arm
from armtwin.model.payload import flange_centre
from armtwin.spatial import Array

EXPLAINS = 0.8
"""A hypothesis explains a mismatch where it leaves less than this share of the variance."""
EXPLAINS_MOST = 0.5
"""The same of one cause alone where both together fit better, though not both significantly."""
MIN_MASS, MIN_TILT = 0.1, np.deg2rad(0.5)
"""Smaller payloads [kg] and tilts of the base [rad] are not reported: friction may mimic them."""


@dataclass(frozen=True)
class Mismatch:
    """A cause of the mismatch between motor signals and a model.

    Attributes:
        cause: "payload" or "mounting".
        value: mass of the payload [kg] or tilt of the base [rad].
        low: lower end of its 95 % interval.
        high: upper end.
        explained: share of the model's residual variance that it explains on left-out data.
        text: the same as a sentence.
    """

    cause: str
    value: float
    low: float
    high: float
    explained: float
    text: str


@dataclass(frozen=True, eq=False)
class ModelCheck:
    """Options and runs of an identification after the signals were compared with the model.

    Attributes:
        options: with ``mounting`` set where the base is tilted.
        runs: runs to fit, without target torques where those are contradicted.
        tests: runs to predict, likewise.
        mismatches: what explains the contradiction.
        notes: the same as sentences.
    """

    options: IdentifyOptions
    runs: list[IdentificationRun]
    tests: list[IdentificationRun]
    mismatches: list[Mismatch]
    notes: tuple[str, ...]


def check_model(
    arm: Arm,
    options: IdentifyOptions,
    runs: list[IdentificationRun],
    tests: list[IdentificationRun],
) -> ModelCheck:
    """Compare the motor signals with the controller's model, or the arm file, before any fit.

    Target torques that contain friction are left out. Where a payload or a tilted base explains the
    mismatch, target torques are left out as well, and the direction of gravity becomes unknown
    where the base is tilted.

    Args:
        arm: the arm as in its file.
        options: of the identification.
        runs: runs to fit.
        tests: runs to predict.
    """
    model = file_vector(arm, options)
    runs, tests, notes = without_friction_targets(runs, tests, *model)
    found = find_mismatches(arm, runs, *model, options)
    if not found:
        return ModelCheck(options, runs, tests, [], notes)
    lines = list(notes)
    targeted = any(run.target is not None for run in runs)
    together = ", together with the other one named," if len(found) > 1 else ""
    for cause in found:
        name = "the controller's own model (target_tau)" if targeted else "the arm's file"
        line = (
            f"the motors' signals contradict {name}: {cause.text}{together} explains "
            f"{cause.explained:.0%} of what it leaves"
        )
        lines.append(line + _consequence(cause, targeted, options.unknown))
        if cause.cause == "mounting":
            options = dataclasses.replace(options, mounting=True)
    left = (without_targets(runs), without_targets(tests)) if targeted else (runs, tests)
    return ModelCheck(options, *left, found, tuple(lines))


def _consequence(cause: Mismatch, targeted: bool, unknown: tuple[str, ...]) -> str:
    text = "; target_tau is not used" if targeted else ""
    if cause.cause in unknown:
        return text
    if cause.cause == "mounting":
        return text + "; the direction of gravity is estimated as well"
    return text + "; identify it as a payload"


def find_mismatches(
    arm: Arm,
    runs: Sequence[IdentificationRun],
    predictor: Predictor,
    vector: Array,
    options: IdentifyOptions,
) -> list[Mismatch]:
    """Return what explains the difference between the motor signals and the model.

    The model is the controller's where every run has target torques, else that of the arm file.
    Payload and mounting are both named where both together explain more than either alone. One is
    named where it explains enough, and more than the other: most, where both together explain more
    but one of them is not significant. What is named differs significantly from zero.

    Args:
        arm: the arm as in its file.
        runs: runs with motor signals.
        predictor: predictor of the arm.
        vector: parameters of the arm file.
        options: for the band.
    """
    evidence = gather_evidence(runs, predictor, vector, options.band)
    scores = {} if evidence is None else compare_hypotheses(evidence)
    if evidence is None or not scores:
        return []
    both = scores.pop("payload and mounting")
    best, other = sorted(scores.values(), key=lambda score: score.left)
    if both.left < EXPLAINS * min(best.left, 1.0):
        found = [_payload(arm, _part(both, slice(4))), _tilt(evidence, _part(both, slice(4, 7)))]
        named = [cause for cause in found if cause is not None]
        if len(named) == len(found):
            return named
        if best.left >= EXPLAINS_MOST:
            return []
    if best.left >= EXPLAINS * min(other.left, 1.0):
        return []
    cause = _payload(arm, best) if best.name == "payload" else _tilt(evidence, best)
    return [] if cause is None else [cause]


def _part(score: HypothesisScore, part: slice) -> HypothesisScore:
    """Return the score with some of its parameters."""
    return dataclasses.replace(score, x=score.x[part], without=score.without[:, part])


def _payload(arm: Arm, score: HypothesisScore) -> Mismatch | None:
    mass = float(score.x[0])
    half = score.half(score.without[:, 0])
    if abs(mass) < max(half, MIN_MASS):
        return None
    centre = flange_centre(arm, mass, score.x[1:])[0]
    at = ", ".join(f"{c:.3f}" for c in centre)
    text = (
        f"a payload or tool of {mass:.2f} kg ({mass - half:.2f} to {mass + half:.2f}) with its "
        f"centre near ({at}) m in the flange frame"
    )
    if mass < 0:
        text = (
            f"a payload that is {-mass:.2f} kg ({-mass - half:.2f} to {-mass + half:.2f}) lighter "
            "than that of the model"
        )
    return Mismatch("payload", mass, mass - half, mass + half, 1 - score.left, text)


def _tilt(evidence: Evidence, score: HypothesisScore) -> Mismatch | None:
    angle = _angle(score.x, evidence.gravity)
    parts = [score.half(score.without[:, k]) for k in range(3)]
    half = float(np.linalg.norm(parts) / np.linalg.norm(score.x))
    if angle < max(half, MIN_TILT):
        return None
    bounds = max(angle - half, 0.0), min(angle + half, np.pi)
    low, now, high = (float(np.rad2deg(a)) for a in (bounds[0], angle, bounds[1]))
    down = ", ".join(f"{g:.2f}" for g in score.x)
    text = (
        f"a mounting whose base is tilted by {now:.1f} degrees ({low:.1f} to {high:.1f}): gravity "
        f"in the base frame is ({down}) m/s2"
    )
    return Mismatch("mounting", angle, *bounds, 1 - score.left, text)


def _angle(a: Array, b: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
