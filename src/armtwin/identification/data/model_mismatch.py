"""Detect a payload or a tilted base that the model of the arm does not have, before any fit."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.hypothesis_comparison import (
    HypothesisScore,
    compare_hypotheses,
    explained,
    folds,
    kept_rows,
)
from armtwin.identification.data.mismatch_hypotheses import HYPOTHESES, Evidence
from armtwin.identification.data.runs import IdentificationRun, Rows, RunBlock
from armtwin.identification.data.smoothing import SmoothedMotion, low_pass
from armtwin.identification.data.target_friction import without_friction_targets, without_targets
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.estimation.problem import file_vector
from armtwin.identification.options import IdentifyOptions
from armtwin.model.arm import Arm
from armtwin.model.payload import flange_centre
from armtwin.spatial import Array

EXPLAINS = 0.8
"""A hypothesis explains a mismatch where it leaves less than this share of the variance."""
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
    for cause in found:
        name = "the controller's own model (target_tau)" if targeted else "the arm's file"
        line = (
            f"the motors' signals contradict {name}: {cause.text} explains "
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

    Args:
        arm: the arm as in its file.
        runs: runs with motor signals.
        predictor: predictor of the arm.
        vector: parameters of the arm file.
        options: for the band.
    """
    evidence = _evidence(runs, predictor, vector, options.band)
    found: list[Mismatch] = []
    open_names = list(HYPOTHESES)
    while evidence is not None and open_names:
        score, cause = _best(arm, evidence, open_names)
        if score is None or cause is None:
            break
        found.append(cause)
        evidence = explained(evidence, score)
        open_names.remove(score.name)
    return found


def _best(
    arm: Arm, evidence: Evidence, names: list[str]
) -> tuple[HypothesisScore | None, Mismatch | None]:
    """Return the hypothesis that explains most and its mismatch; None where none explains enough.

    It must be significantly different from zero. Where another explains as much, both must hold:
    the other must still explain something on top of it.
    """
    scores = compare_hypotheses(evidence, names)
    if not scores:
        return None, None
    best, *others = scores
    if best.left >= EXPLAINS:
        return None, None
    equal = [other.name for other in others if best.left >= EXPLAINS * other.left]
    if equal and compare_hypotheses(explained(evidence, best), equal)[0].left >= EXPLAINS:
        return None, None
    named = _payload(arm, best) if best.name == "payload" else _tilt(evidence, best)
    return best, named


def _evidence(
    runs: Sequence[IdentificationRun], predictor: Predictor, vector: Array, band: float
) -> Evidence | None:
    blocks = [(run.effort, run.target) for run in runs if run.effort is not None]
    if not blocks:
        return None
    targeted = all(target is not None for _, target in blocks)
    kept = kept_rows([effort for effort, _ in blocks])
    parts = []
    for effort, target in blocks:
        model = target.signal if targeted and target else _file_torques(effort, predictor, vector)
        signal, reference = (
            low_pass(values, effort.rate, band)[kept] for values in (effort.signal, model)
        )
        parts.append((signal, reference, *_mechanics(effort, kept, predictor, vector)))
    signal, reference, qd, qdd, used, payload, gravity = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
    return Evidence(
        signal, reference, qd, qdd, used.astype(bool), payload, gravity,
        vector[predictor.layout.gravity], folds([len(part[0]) for part in parts]),
    )  # fmt: skip


def _file_torques(block: RunBlock, predictor: Predictor, vector: Array) -> Array:
    return np.concatenate([predictor.torques(piece, vector)[1] for _, piece in block.chunks()])


def _mechanics(
    block: RunBlock, kept: slice, predictor: Predictor, vector: Array
) -> tuple[Array, Array, Rows, Array, Array]:
    """Return qd, qdd, the mask of used samples, and torques by payload and by gravity."""
    m = block.motion
    motion = SmoothedMotion(m.q[kept], m.qd[kept], m.qdd[kept])
    payload = predictor.matrix(motion, vector[predictor.layout.gravity])[:, :, -10:-6]
    gravity = predictor.by_gravity(motion, vector)
    return motion.qd, motion.qdd, block.used[kept], payload, gravity


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
