"""Currents against the model they are to be explained with: a payload, a tool, a tilted base?"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.runs import IdentificationRun, Rows, RunBlock
from armtwin.identification.data.smoothing import Motion, low_pass
from armtwin.identification.data.suspicion import (
    HYPOTHESES,
    Evidence,
    Verdict,
    explained,
    folds,
    judge,
    kept_rows,
)
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.estimation.problem import file_vector
from armtwin.identification.options import IdentifyOptions
from armtwin.model.arm import Arm
from armtwin.model.payload import flange_centre
from armtwin.spatial import Array

EXPLAINS = 0.8
"""A hypothesis explains the difference where it leaves less than this share of the variance."""
LEAST_MASS, LEAST_TILT = 0.1, np.deg2rad(0.5)
"""Smaller bodies [kg] and turns of the base [rad] are not named: friction may look like them."""


@dataclass(frozen=True)
class Diagnosis:
    """What explains the difference between currents and a model.

    Attributes:
        cause: "payload" or "mounting".
        value: the body's mass [kg] or the base's tilt [rad], with its 95 % interval.
        low: of the interval.
        high: of the interval.
        explained: share of the variance left by the model, on data not fitted to.
        text: the same in words.
    """

    cause: str
    value: float
    low: float
    high: float
    explained: float
    text: str


@dataclass(frozen=True, eq=False)
class Looked:
    """What an identification goes on with after the signals were held against the model.

    Attributes:
        settings: with "mounting" among the unknowns where the base stands otherwise.
        runs: to fit to; without the controller's torques where they are contradicted.
        tests: to predict, likewise.
        diagnoses: what explains the contradiction.
        account: the same for people.
    """

    settings: IdentifyOptions
    runs: list[IdentificationRun]
    tests: list[IdentificationRun]
    diagnoses: list[Diagnosis]
    account: tuple[str, ...]


def look_at(
    arm: Arm,
    settings: IdentifyOptions,
    runs: list[IdentificationRun],
    tests: list[IdentificationRun],
) -> Looked:
    """Hold the motors' signals against the controller's model, or the file's, before any fit.

    Where a payload or a tilted base explains the difference, the controller's torques are left
    out, and gravity becomes unknown where the base is tilted.
    """
    found = diagnose(arm, runs, *file_vector(arm, settings), settings)
    if not found:
        return Looked(settings, runs, tests, [], ())
    unknown, lines = settings.unknown, []
    targeted = any(run.target is not None for run in runs)
    for cause in found:
        model = "the controller's own model (target_tau)" if targeted else "the arm's file"
        line = (
            f"the motors' signals contradict {model}: {cause.text} explains "
            f"{cause.explained:.0%} of what it leaves"
        )
        lines.append(line + _consequence(cause, targeted, unknown))
        if cause.cause == "mounting" and "mounting" not in unknown:
            unknown = (*unknown, "mounting")
    left = (disbelieved(runs), disbelieved(tests)) if targeted else (runs, tests)
    return Looked(dataclasses.replace(settings, unknown=unknown), *left, found, tuple(lines))


def _consequence(cause: Diagnosis, targeted: bool, unknown: tuple[str, ...]) -> str:
    text = "; target_tau is not used" if targeted else ""
    if cause.cause in unknown:
        return text
    if cause.cause == "mounting":
        return text + "; the direction of gravity is estimated, too"
    return text + "; payload=True (--payload) weighs it"


def diagnose(
    arm: Arm,
    runs: Sequence[IdentificationRun],
    predictor: Predictor,
    vector: Array,
    settings: IdentifyOptions,
) -> list[Diagnosis]:
    """Return what explains the difference between the motors' signals and the model.

    The model is the controller's where every run has its torque (``target_tau``), else the file's.

    Args:
        arm: as its file has it.
        runs: with motors' signals.
        predictor: of the arm.
        vector: the file's numbers.
        settings: for the band.
    """
    evidence = _evidence(runs, predictor, vector, settings.band)
    found: list[Diagnosis] = []
    open_names = list(HYPOTHESES)
    while evidence is not None and open_names:
        verdict, cause = _best(arm, evidence, open_names)
        if verdict is None or cause is None:
            break
        found.append(cause)
        evidence = explained(evidence, verdict)
        open_names.remove(verdict.name)
    return found


def _best(
    arm: Arm, evidence: Evidence, names: list[str]
) -> tuple[Verdict | None, Diagnosis | None]:
    """Return the hypothesis that explains most, in words too; None where none explains enough.

    It must be told apart from zero. Where the other explains as much, both must be there: the
    other must still explain something on top of it.
    """
    verdicts = judge(evidence, names)
    if not verdicts:
        return None, None
    best, *others = verdicts
    if best.left >= EXPLAINS:
        return None, None
    alike = [other.name for other in others if best.left >= EXPLAINS * other.left]
    if alike and judge(explained(evidence, best), alike)[0].left >= EXPLAINS:
        return None, None
    named = _payload(arm, best) if best.name == "payload" else _tilt(evidence, best)
    return best, named


def disbelieved(runs: Sequence[IdentificationRun]) -> list[IdentificationRun]:
    """Return the runs without the controller's torques."""
    return [dataclasses.replace(run, target=None) for run in runs]


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
    signal, reference, qd, qdd, used, body, gravity = (
        np.concatenate(columns) for columns in zip(*parts, strict=True)
    )
    return Evidence(
        signal, reference, qd, qdd, used.astype(bool), body, gravity,
        vector[predictor.layout.gravity], folds([len(part[0]) for part in parts]),
    )  # fmt: skip


def _file_torques(block: RunBlock, predictor: Predictor, vector: Array) -> Array:
    return np.concatenate([predictor.torques(piece, vector)[1] for _, piece in block.chunks()])


def _mechanics(
    block: RunBlock, kept: slice, predictor: Predictor, vector: Array
) -> tuple[Array, Array, Rows, Array, Array]:
    """Return speeds, accelerations, which samples count, and torques by body and gravity."""
    m = block.motion
    motion = Motion(m.q[kept], m.qd[kept], m.qdd[kept])
    body = predictor.matrix(motion, vector[predictor.layout.gravity])[:, :, -10:-6]
    gravity = predictor.by_gravity(motion, vector)
    return motion.qd, motion.qdd, block.used[kept], body, gravity


def _payload(arm: Arm, verdict: Verdict) -> Diagnosis | None:
    mass = float(verdict.x[0])
    half = verdict.half(verdict.without[:, 0])
    if abs(mass) < max(half, LEAST_MASS):
        return None
    centre = flange_centre(arm, mass, verdict.x[1:])[0]
    place = ", ".join(f"{c:.3f}" for c in centre)
    text = (
        f"a payload or tool of {mass:.2f} kg ({mass - half:.2f} to {mass + half:.2f}) with its "
        f"centre near ({place}) m in the flange frame"
    )
    if mass < 0:
        text = (
            f"a payload that is {-mass:.2f} kg ({-mass - half:.2f} to {-mass + half:.2f}) lighter "
            "than that of the model"
        )
    return Diagnosis("payload", mass, mass - half, mass + half, 1 - verdict.left, text)


def _tilt(evidence: Evidence, verdict: Verdict) -> Diagnosis | None:
    angle = _angle(verdict.x, evidence.gravity)
    parts = [verdict.half(verdict.without[:, k]) for k in range(3)]
    half = float(np.linalg.norm(parts) / np.linalg.norm(verdict.x))
    if angle < max(half, LEAST_TILT):
        return None
    bounds = max(angle - half, 0.0), min(angle + half, np.pi)
    low, now, high = (float(np.rad2deg(a)) for a in (bounds[0], angle, bounds[1]))
    down = ", ".join(f"{g:.2f}" for g in verdict.x)
    text = (
        f"a mounting whose base is tilted by {now:.1f} degrees ({low:.1f} to {high:.1f}): free "
        f"fall in the base frame is ({down}) m/s2"
    )
    return Diagnosis("mounting", angle, *bounds, 1 - verdict.left, text)


def _angle(a: Array, b: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
