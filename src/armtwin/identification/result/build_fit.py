"""Build the result of an identification from the estimated vector."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.dynamics.rigid_body import link_parameters
from armtwin.identification.data.runs import IdentificationRun
from armtwin.identification.estimation.posterior import Posterior
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.estimation.presliding import (
    Presliding,
    fit_presliding,
    predicted_with_presliding,
)
from armtwin.identification.estimation.problem import Problem
from armtwin.identification.estimation.speed_profile import speed_intervals
from armtwin.identification.estimation.two_stage import StageOutcome
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.parameters.base_parameters import base_parameters
from armtwin.identification.parameters.prior import link_spreads
from armtwin.identification.parameters.vector import ParameterLayout
from armtwin.identification.result.accuracy import Accuracy, SignalAccuracy, accuracies
from armtwin.identification.result.estimates import Estimate, base_estimates, drive_estimates
from armtwin.identification.result.fit import Fit
from armtwin.identification.result.fitted_arm import built_arm, gear_ratios, with_presliding
from armtwin.identification.result.payload_estimate import mounting_estimates, payload_estimates
from armtwin.identification.result.prediction_checks import (
    failed_joints,
    reason_not_judged,
    refuse_other_unit,
)
from armtwin.identification.result.unidentifiable import moving_seconds, undecided, unidentified
from armtwin.identification.variation.varied_fit import VariedFit
from armtwin.model.arm import Arm
from armtwin.model.drive import armature
from armtwin.spatial import Array

CONTRADICTION = 4.0
"""Mean square change of the links, in prior variances, that suggests an unknown tool."""
FALL_BACK = 0.2
"""Loss of R2 from training to test data that is remarked on."""


def make_fit(found: VariedFit) -> Fit:
    """Return the identified arm, its estimates, and the errors on training and test data."""
    problem, outcome, runs, tests = found.problem, found.outcome, found.runs, found.tests
    arm, options, kind = problem.arm, problem.options, problem.kind
    posterior, layout = outcome.posterior, outcome.layout
    base = base_parameters(arm)
    estimates = _estimates(found)
    moving = moving_seconds(problem.efforts or problem.targets, arm.dof)
    missing, condition = unidentified(layout, posterior, base, moving, kind)
    predictor = Predictor(arm, layout)
    presliding = _presliding(problem, predictor, posterior.vector)
    signals = _signals(predictor, posterior.vector, (runs, tests), presliding)
    refuse_other_unit(signals, options.band)
    accuracy, conflict = (
        accuracies(signals, options.band),
        _conflict(arm, layout, posterior, options),
    )
    return Fit(
        arm=_named(
            with_presliding(built_arm(arm, layout, posterior.vector, kind, options), presliding),
            runs,
            options,
        ),
        before=arm,
        kind=kind,
        estimates=tuple(estimates),
        base=tuple(base_estimates(base, layout, posterior, _file_numbers(arm))),
        unidentifiable=(*undecided(estimates), *missing),
        condition=condition,
        accuracy=accuracy,
        signals=signals,
        choices=outcome.choices,
        covariance=posterior.covariance,
        names=tuple(layout.names[k] for k in posterior.prior.free),
        conflict=conflict,
        notes=(
            *_processing_notes(runs, problem, outcome),
            *_notes(accuracy, conflict, options),
            *(found.variation.notes if kind != "target" else ()),
            *_presliding_notes(presliding, "A" if kind == "current" else "Nm"),
            *(f"NOT PASSED: {line}" for line in failed_joints(accuracy)),
        ),
        options=options,
        variation=found.variation,
    )


def _named(arm: Arm, runs: list[IdentificationRun], options: IdentifyOptions) -> Arm:
    source = ("identified", _source(runs, options))
    name = arm.name if arm.name.endswith("-identified") else f"{arm.name}-identified"
    return arm.with_(name=name, sources=(*arm.sources, source))


def _file_numbers(arm: Arm) -> Array:
    """Return the link parameters and rotor inertias of the arm file in one vector."""
    rotors = np.array([armature(joint.drive) for joint in arm.driven])
    return np.concatenate([link_parameters(arm), rotors])


def _processing_notes(
    runs: list[IdentificationRun], problem: Problem, outcome: StageOutcome
) -> list[str]:
    lines = list(dict.fromkeys(line for run in runs for line in run.notes))
    if problem.options.gear == 1 and any(j.drive is None for j in problem.arm.driven):
        lines.append(
            "the arm file has no gear ratio: torque constants, rotors and friction hold at the "
            "joint; with a gear ratio they hold at the motor"
        )
    if problem.targets:
        lines.append("links and rotors first from target_tau, the controller's own model")
    if outcome.target_weight < 1:
        lines.append(
            f"the {problem.kind}s contradict the controller's own model (target_tau) "
            f"{outcome.target_weight**-0.5:.3g} times beyond chance: its standard errors are "
            "inflated by that factor"
        )
    return lines


def _source(runs: list[IdentificationRun], options: IdentifyOptions) -> str:
    names = ", ".join(dict.fromkeys(run.name for run in runs))
    return f"armtwin identify ({', '.join(options.unknown)}) from {names}"[:400]


def _estimates(found: VariedFit) -> list[Estimate]:
    problem, layout, posterior = found.problem, found.outcome.layout, found.outcome.posterior
    arm, options = problem.arm, problem.options
    speeds = speed_intervals(problem, found.outcome)
    gears, days = gear_ratios(arm, options), found.variation.days
    rows = drive_estimates(arm, layout, posterior, problem.kind, gears, days, speeds)
    if "payload" in options.unknown:
        rows += payload_estimates(arm, layout, posterior)
    if "mounting" in options.unknown:
        rows += mounting_estimates(arm, layout, posterior)
    return rows


def _signals(
    predictor: Predictor,
    vector: Array,
    runs: tuple[list[IdentificationRun], list[IdentificationRun]],
    presliding: tuple[Presliding, ...],
) -> tuple[SignalAccuracy, ...]:
    signals = []
    for part, chosen in zip(("train", "test"), runs, strict=True):
        for run in chosen:
            for block in (run.target, run.effort):
                if block is not None:
                    predicted = predicted_with_presliding(predictor, block, vector, presliding)
                    signals.append(SignalAccuracy(run.name, part, block.kind, run.rate, run.time,
                                        block.signal, predicted, block.used))  # fmt: skip
    return tuple(signals)


def _presliding(problem: Problem, predictor: Predictor, vector: Array) -> tuple[Presliding, ...]:
    """Return the joints' presliding; none where friction is not identified from motor signals."""
    if not problem.efforts or "friction" not in problem.options.unknown:
        return ()
    return fit_presliding(predictor, problem.efforts, vector, problem.options.folds)


def _presliding_notes(found: Sequence[Presliding], unit: str) -> list[str]:
    rows = [
        f"joint {one.joint} {1e3 * one.distance:.3g} mrad ({one.before:.3g} to {one.after:.3g} "
        f"{unit}; moving {one.moving_before:.3g} to {one.moving_after:.3g})"
        for one in found
        if one.distance is not None
    ]
    return [PRESLIDING_NOTE + "; ".join(rows)] if rows else []


PRESLIDING_NOTE = (
    "presliding at rest and reversal, where left-out data are predicted better by it (RMS over all "
    "samples, rest included): "
)


def _conflict(
    arm: Arm, layout: ParameterLayout, posterior: Posterior, options: IdentifyOptions
) -> float:
    """Return the mean square change of the links in units of their prior standard deviation.

    The mean is over the directions that the data determine; the others have not changed.
    """
    if "links" not in options.unknown:
        return 0.0
    change = (posterior.vector[layout.links] - link_parameters(arm)) / link_spreads(arm, options)
    spread = posterior.standard_errors[layout.links] / link_spreads(arm, options)
    determined = float(np.clip(1 - spread**2, 0, 1).sum())
    return float((change**2).sum()) / max(determined, 1.0)


def _notes(accuracy: Sequence[Accuracy], conflict: float, options: IdentifyOptions) -> list[str]:
    notes = [
        f"samples slower than {options.rest_speed:g} rad/s are left out of fit and test: stiction "
        "of a joint at rest depends on how it came to rest",
        f"R2 and errors are of signals below {options.band:g} Hz (raw R2: unfiltered)",
    ]
    if conflict > CONTRADICTION:
        notes.append(
            f"the data contradict the masses of the arm file ({conflict:.1f} times their prior "
            "variance): is a tool or payload mounted that it does not have? try payload=True"
        )
    for row in accuracy:
        pair = [
            a for a in accuracy if a.part == "train" and (a.kind, a.joint) == (row.kind, row.joint)
        ]
        if row.part != "test" or not pair or reason_not_judged(row):
            continue
        if row.r2 < pair[0].r2 - FALL_BACK:
            notes.append(
                f"joint {row.joint}: R2 falls from {pair[0].r2:.3f} to {row.r2:.3f} on the test "
                "data: are they of the same arm, payload and mounting?"
            )
    return notes
