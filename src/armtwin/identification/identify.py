"""Identification: from recordings to an arm whose numbers explain them."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence

from armtwin.errors import InputError, ModelWarning
from armtwin.extras import require
from armtwin.identification.data import sources
from armtwin.identification.data.diagnosis import look_at
from armtwin.identification.data.runs import IdentificationRun, make_run
from armtwin.identification.estimation.problem import pose_problem
from armtwin.identification.estimation.two_stage import Told, solve
from armtwin.identification.options import IdentifyOptions, unknowns
from armtwin.identification.result.build_fit import make_fit
from armtwin.identification.result.fit import Fit
from armtwin.model.arm import Arm
from armtwin.recording.read import MappingLike
from armtwin.recording.same_arm import refuse_other_arm


def identify(
    arm: Arm,
    train: sources.Source | Sequence[sources.Source],
    test: sources.Source | Sequence[sources.Source] = (),
    *,
    method: str | Sequence[str] | None = None,
    payload: bool = False,
    mounting: bool = False,
    settings: IdentifyOptions | None = None,
    mapping: MappingLike | None = None,
    told: Told | None = None,
) -> Fit:
    """Return the arm whose numbers explain recordings, with intervals and proof.

    Args:
        arm: the arm as its file has it; its numbers are the prior.
        train: recordings or files with ``q`` and ``current`` or ``tau`` (and ``target_tau``).
        test: others, to predict; they must not repeat the training data.
        method: "joint" (everything), "staged" (links as in the file), or the unknowns by name;
            None: "staged" with ``payload``, else "joint".
        payload: estimate a payload as well: mass, and centre of gravity in the flange frame.
        mounting: estimate the direction of gravity in the base frame as well.
        settings: everything else; ``unknown`` is taken from ``method``.
        mapping: names of the files' columns, as in ``read_recording``.
        told: is given a line whenever a new step begins, for progress.

    Raises:
        InputError: recordings that do not fit the arm or each other; signals in another order,
            sign or unit; no motion; test data that repeat the training data.
        MissingColumnError: no positions or no signal of the motors.
        MissingDataError: an arm without masses, or packages of the extra ``identify`` missing.
    """
    require("identification", "threadpoolctl", "clarabel")
    from threadpoolctl import threadpool_limits

    arm.require_masses()
    say = told or (lambda step: None)
    chosen = dataclasses.replace(
        settings or IdentifyOptions(), unknown=unknowns(method, payload, mounting)
    )
    say("reading the recordings")
    given, held = (sources.gather(one, arm, mapping) for one in (train, test))
    if not given:
        raise InputError("no training data: give one recording or more")
    for recording in (*given, *held):
        refuse_other_arm(arm, recording)
    sources.refuse_foreign_poses(arm, [*given, *held])
    sources.refuse_shared_rows(given, held)
    say("preparing the runs")
    runs = [make_run(arm, recording, chosen) for recording in given]
    tests = [make_run(arm, recording, chosen) for recording in held]
    _warn_of_clipping([*runs, *tests])
    with threadpool_limits(1):  # many small products: threads would only wait for each other
        say("motors' signals against the model")
        looked = look_at(arm, chosen, runs, tests)
        problem = pose_problem(arm, looked.settings, looked.runs)
        outcome = solve(problem, say)
        say("intervals and accuracy")
        fit = make_fit(problem, outcome, looked.runs, looked.tests)
    return dataclasses.replace(fit, account=(*looked.account, *fit.account))


def _warn_of_clipping(runs: Sequence[IdentificationRun]) -> None:
    for run in runs:
        for line in run.account:
            if "clipped" in line:
                warnings.warn(line, ModelWarning, stacklevel=3)
