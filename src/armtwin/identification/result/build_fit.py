"""From a found vector to a result: estimates, proof on both parts of the data, notes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.dynamics.rigid_body import link_parameters
from armtwin.identification.data.runs import IdentificationRun
from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.estimation.problem import Problem
from armtwin.identification.estimation.two_stage import StageOutcome
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.parameters.base_parameters import base_parameters
from armtwin.identification.parameters.prior import link_spreads
from armtwin.identification.parameters.vector import ParameterLayout
from armtwin.identification.result.accuracy import Accuracy, SignalAccuracy, accuracies
from armtwin.identification.result.estimates import Estimate, base_estimates, drive_estimates
from armtwin.identification.result.fit import Fit
from armtwin.identification.result.fitted_arm import built_arm, gear_ratios
from armtwin.identification.result.payload_estimate import mounting_estimates, payload_estimates
from armtwin.identification.result.proof import failed, refuse_other_unit
from armtwin.identification.result.unidentifiable import gaps, moving_seconds, undecided
from armtwin.model.arm import Arm
from armtwin.model.drive import armature
from armtwin.spatial import Array

CONTRADICTION = 4.0
FALL_BACK = 0.2


def make_fit(
    problem: Problem,
    outcome: StageOutcome,
    runs: list[IdentificationRun],
    tests: list[IdentificationRun],
) -> Fit:
    """Return the result: the improved arm, estimates, and the proof on both parts of the data."""
    arm, settings, kind = problem.arm, problem.settings, problem.kind
    found, layout = outcome.found, outcome.layout
    base = base_parameters(arm)
    estimates = _estimates(arm, layout, found, kind, settings)
    moving = moving_seconds(problem.efforts or problem.targets, arm.dof)
    missing, condition = gaps(layout, found, base, moving, kind)
    signals = _signals(Predictor(arm, layout), found.vector, (runs, tests))
    refuse_other_unit(signals, settings.band)
    accuracy, conflict = accuracies(signals, settings.band), _conflict(arm, layout, found, settings)
    return Fit(
        arm=_named(built_arm(arm, layout, found.vector, kind, settings), runs, settings),
        before=arm,
        kind=kind,
        estimates=tuple(estimates),
        base=tuple(base_estimates(base, layout, found, _file_numbers(arm))),
        unidentifiable=(*undecided(estimates), *missing),
        condition=condition,
        accuracy=accuracy,
        signals=signals,
        choices=outcome.choices,
        covariance=found.covariance,
        names=tuple(layout.names[k] for k in found.belief.free),
        conflict=conflict,
        account=(
            *_account(runs, problem, outcome),
            *_notes(accuracy, conflict, settings),
            *(f"NOT PROVED: {line}" for line in failed(accuracy)),
        ),
        settings=settings,
    )


def _named(arm: Arm, runs: list[IdentificationRun], settings: IdentifyOptions) -> Arm:
    source = ("identified", _source(runs, settings))
    name = arm.name if arm.name.endswith("-identified") else f"{arm.name}-identified"
    return arm.with_(name=name, sources=(*arm.sources, source))


def _file_numbers(arm: Arm) -> Array:
    """Return the file's link parameters and rotor inertias in one vector."""
    rotors = np.array([armature(joint.drive) for joint in arm.driven])
    return np.concatenate([link_parameters(arm), rotors])


def _account(runs: list[IdentificationRun], problem: Problem, outcome: StageOutcome) -> list[str]:
    lines = list(dict.fromkeys(line for run in runs for line in run.account))
    if problem.settings.gear == 1 and any(j.drive is None for j in problem.arm.driven):
        lines.append(
            "the file knows no gear ratio: torque constants, rotors and friction hold at the "
            "joint (gear=, --gear gives them at the motor)"
        )
    if problem.targets:
        lines.append("links and rotors first from target_tau, the controller's own model")
    if outcome.trust < 1:
        lines.append(
            f"the {problem.kind}s contradict the controller's own model (target_tau) "
            f"{outcome.trust**-0.5:.3g} times beyond chance: it is believed so much less"
        )
    return lines


def _source(runs: list[IdentificationRun], settings: IdentifyOptions) -> str:
    names = ", ".join(dict.fromkeys(run.name for run in runs))
    return f"armtwin identify ({', '.join(settings.unknown)}) from {names}"[:400]


def _estimates(
    arm: Arm, layout: ParameterLayout, found: Posterior, kind: str, settings: IdentifyOptions
) -> list[Estimate]:
    rows = drive_estimates(arm, layout, found, kind, gear_ratios(arm, settings))
    if "payload" in settings.unknown:
        rows += payload_estimates(arm, layout, found)
    if "mounting" in settings.unknown:
        rows += mounting_estimates(arm, layout, found)
    return rows


def _signals(
    predictor: Predictor,
    vector: Array,
    runs: tuple[list[IdentificationRun], list[IdentificationRun]],
) -> tuple[SignalAccuracy, ...]:
    found = []
    for part, chosen in zip(("train", "test"), runs, strict=True):
        for run in chosen:
            for block in (run.target, run.effort):
                if block is not None:
                    predicted = predictor.predicted(block, vector)
                    found.append(SignalAccuracy(run.name, part, block.kind, run.rate, run.time,
                                        block.signal, predicted, block.used))  # fmt: skip
    return tuple(found)


def _conflict(
    arm: Arm, layout: ParameterLayout, found: Posterior, settings: IdentifyOptions
) -> float:
    """Return the mean square of the links' change in units of their believed spread.

    Only as many directions count as the data tell: the rest has not moved.
    """
    if "links" not in settings.unknown:
        return 0.0
    change = (found.vector[layout.links] - link_parameters(arm)) / link_spreads(arm, settings)
    spread = found.deviations[layout.links] / link_spreads(arm, settings)
    told = float(np.clip(1 - spread**2, 0, 1).sum())
    return float((change**2).sum()) / max(told, 1.0)


def _notes(accuracy: Sequence[Accuracy], conflict: float, settings: IdentifyOptions) -> list[str]:
    notes = [
        f"samples slower than {settings.rest_speed:g} rad/s are left out of fit and test: a joint "
        "at rest is held by stiction, which depends on how it came to rest",
        f"R2 and errors are of signals below {settings.band:g} Hz (raw R2 beside them)",
    ]
    if conflict > CONTRADICTION:
        notes.append(
            f"the data contradict the file's masses ({conflict:.1f} times their believed variance):"
            " is a tool or payload mounted that the file does not know? try payload=True"
        )
    for row in accuracy:
        pair = [
            a for a in accuracy if a.part == "train" and (a.kind, a.joint) == (row.kind, row.joint)
        ]
        if row.part == "test" and pair and row.r2 < pair[0].r2 - FALL_BACK:
            notes.append(
                f"joint {row.joint}: R2 falls from {pair[0].r2:.3f} to {row.r2:.3f} on the test "
                "data: are they of the same arm, payload and mounting?"
            )
    return notes
