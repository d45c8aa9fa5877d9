"""Identify an arm's drives, friction and link parameters from recordings."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from typing import Any

from armtwin.errors import InputError, ModelWarning
from armtwin.extras import require
from armtwin.identification.data import sources
from armtwin.identification.data.model_mismatch import check_model
from armtwin.identification.data.runs import IdentificationRun, make_run
from armtwin.identification.estimation.problem import pose_problem
from armtwin.identification.estimation.two_stage import solve
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.result.build_fit import make_fit
from armtwin.identification.result.fit import Fit
from armtwin.identification.variation.varied_fit import with_variation
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.options import choose_options
from armtwin.progress import OnProgress, report_step
from armtwin.recording.read import MappingLike, RecordingLike
from armtwin.recording.recording import Recording
from armtwin.recording.same_arm import refuse_other_arm


def identify(
    arm: ArmLike,
    train: RecordingLike | Sequence[RecordingLike],
    *,
    test: RecordingLike | Sequence[RecordingLike] = (),
    mapping: MappingLike | None = None,
    options: IdentifyOptions | None = None,
    on_progress: OnProgress | None = None,
    **choices: Any,
) -> Fit:
    """Estimate the parameters of an arm that explain its recordings, with 95 % intervals.

    Args:
        arm: the arm, its name or file; its parameters are the prior.
        train: recordings or files with ``q`` and ``current`` or ``tau`` (and ``target_tau``).
        test: recordings that are only predicted; they must not repeat the training data.
        mapping: names of the files' columns, as in ``read_recording``.
        options: what to estimate and how.
        on_progress: called as each step begins; raise from it to cancel.
        **choices: fields of ``IdentifyOptions`` (``payload=True``); they override ``options``.

    Raises:
        InputError: recordings that do not fit the arm or each other; signals in another order,
            sign or unit; no motion; test data that repeat the training data.
        MissingColumnError: no positions, or neither current nor torque.
        MissingDataError: an arm without masses, or packages of the extra ``identify`` missing.
    """
    require("identification", "clarabel")
    from threadpoolctl import threadpool_limits

    arm = as_arm(arm)
    arm.require_masses()
    chosen = choose_options(IdentifyOptions, options, choices)
    report_step(on_progress, "reading the recordings")
    given, held, days = _recordings(arm, train, test, mapping, chosen)
    report_step(on_progress, "preparing the runs")
    runs = [make_run(arm, recording, chosen) for recording in given]
    tests = [make_run(arm, recording, chosen) for recording in held]
    _warn_of_clipping([*runs, *tests])
    with threadpool_limits(1):  # many small products: threads would only wait for each other
        report_step(on_progress, "comparing the signals with the model")
        checked = check_model(arm, chosen, runs, tests)
        problem = pose_problem(arm, checked.options, checked.runs)
        outcome = solve(problem, on_progress)
        found = with_variation((problem, outcome), checked.runs, checked.tests, days, on_progress)
        report_step(on_progress, "intervals and accuracy")
        fit = make_fit(found)
    inputs = (*sources.files(train), *sources.files(test))
    return dataclasses.replace(fit, notes=(*checked.notes, *fit.notes), inputs=inputs)


def _recordings(
    arm: Arm,
    train: RecordingLike | Sequence[RecordingLike],
    test: RecordingLike | Sequence[RecordingLike],
    mapping: MappingLike | None,
    options: IdentifyOptions,
) -> tuple[list[Recording], list[Recording], list[int] | None]:
    """Return recordings to fit and to predict, and the days of the former where they are given.

    Raises:
        InputError: recordings that do not belong together, or days that do not fit them.
    """
    files = sources.gather_each(train, arm, mapping)
    given = [recording for file in files for recording in file]
    held = sources.gather(test, arm, mapping)
    if not given:
        raise InputError("no training data: give one recording or more")
    days = sources.numbered_days(options.days, [len(file) for file in files])
    if options.split is not None:
        if held:
            raise InputError("a split divides the training data; give either a split or test data")
        given, held = sources.split_runs(given, options.split)
    for recording in (*given, *held):
        refuse_other_arm(arm, recording)
    sources.refuse_foreign_poses(arm, [*given, *held])
    sources.refuse_shared_rows(given, held)
    return given, held, None if days is None else days[: len(given)]


def _warn_of_clipping(runs: Sequence[IdentificationRun]) -> None:
    for run in runs:
        for line in run.notes:
            if "clipped" in line:
                warnings.warn(line, ModelWarning, stacklevel=3)
