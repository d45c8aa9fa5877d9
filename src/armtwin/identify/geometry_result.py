"""From a chosen fit to the result of a calibration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from armtwin.identify.calibrated import Calibration, PoseErrors
from armtwin.identify.fitted_numbers import fitted_numbers
from armtwin.identify.measured import Measured
from armtwin.identify.trials import Attempt, Trials
from armtwin.model.arm import Arm
from armtwin.spatial import Array


def result(
    trials: Trials,
    tried: Sequence[Attempt],
    best: Attempt,
    honest: PoseErrors | None,
    apart: Sequence[Measured],
    settings: tuple[tuple[str, str], ...],
    files: tuple[Path, ...],
) -> Calibration:
    """Return the result of a calibration.

    Args:
        trials: the model and what was fitted to.
        tried: all attempts, the arm as given first, base and tool alone second.
        best: the attempt to take.
        honest: error of single steps with the choice repeated.
        apart: measurements that were not fitted to.
        settings: every choice.
        files: the files that were read.
    """
    reference = tried[1 if trials.model.is_placed else 0]
    changes, before = _changes(trials, best), _changes(trials, reference)
    return Calibration(
        arm=_named(trials.model.arm_with(changes), best, len(trials.measured), files),
        nominal=trials.model.arm_with(before),
        parameters=fitted_numbers(trials, best),
        unidentifiable=best.identifiable.held,
        chosen=best.name,
        trials=tuple(attempt.trial for attempt in tried),
        before=reference.trial.fitted,
        after=best.trial.fitted,
        left_out=best.trial.left_out,
        choice_included=honest if best.name == "single" else None,
        held_out_before=_test(trials, apart, before),
        held_out=_test(trials, apart, changes),
        condition=best.identifiable.condition,
        measured=trials.measured,
        errors=(reference.solution.errors, best.solution.errors),
        settings=settings,
        inputs=files,
    )


def _changes(trials: Trials, attempt: Attempt) -> Array:
    """Return the changes of all parameters, zero where one was held."""
    changes = np.zeros(len(trials.model.parameters))
    changes[list(attempt.identifiable.free)] = attempt.solution.x
    return changes


def _test(trials: Trials, apart: Sequence[Measured], changes: Array) -> PoseErrors | None:
    model = trials.model
    errors = [model.errors(part, model.load(part.q), changes)[0] for part in apart]
    if not errors:
        return None
    columns = min(part.shape[1] for part in errors)
    return PoseErrors.of(np.concatenate([part[:, :columns] for part in errors]))


def _named(arm: Arm, best: Attempt, poses: int, files: tuple[Path, ...]) -> Arm:
    names = ", ".join(path.name for path in files) or "recordings"
    note = (
        f"armtwin, set {best.name!r} on {poses} measured poses of {names}; left-out error "
        f"{best.trial.left_out.mean * 1e3:.4g} mm mean"
    )
    sources = {**dict(arm.sources), "calibration": note}
    return arm.with_(name=f"{arm.name}-calibrated", sources=tuple(sources.items()))
