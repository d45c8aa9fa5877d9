"""Checks of the predictions: units of the test data, joints that fail or cannot be judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.errors import InputError
from armtwin.identification.result.accuracy import Accuracy, SignalAccuracy

MIN_CORRELATION = 0.7
"""Least correlation of measured and predicted at which their ratio indicates a unit."""
SAME_UNIT = (0.4, 2.5)
"""Ratios of measured to predicted that payload, temperature and wear may cause."""
MIN_SIGNAL_TO_NOISE = 2.0
"""Least variance of a measured or predicted signal over its noise's to be judged: at less than 2,
more than half of what is measured is noise, and the sign of R2 is decided by chance."""


def refuse_other_unit(signals: Sequence[SignalAccuracy], band: float) -> None:
    """Raise InputError where test signals have the shape of the prediction but another scale.

    The median joint decides, so that a single joint with another load does not.

    Args:
        signals: measured and predicted, all parts.
        band: signals are compared below this frequency [Hz].
    """
    tests = [s for s in signals if s.part == "test" and s.kind != "target"]
    ratios = [ratio for s in tests for ratio in _ratios(s, band)]
    if not ratios:
        return
    ratio = float(np.median(ratios))
    if SAME_UNIT[0] < ratio < SAME_UNIT[1]:
        return
    kind = tests[0].kind
    other = "amperes" if kind == "tau" and ratio < SAME_UNIT[0] else "another unit"
    raise InputError(
        f"the test data's {kind} is {ratio:.3g} times what the training data predict, with the "
        f"same shape: it looks like {other}; name the columns and units of the test file in a "
        "mapping (see docs/recordings.md)"
    )


def _ratios(signal: SignalAccuracy, band: float) -> list[float]:
    """Return measured over predicted of the joints whose signals correlate."""
    found = []
    measured, predicted = signal.below(band)
    for j in range(measured.shape[1]):
        used = signal.used[:, j]
        y, p = measured[used, j], predicted[used, j]
        if used.sum() < 20 or y.std() == 0 or p.std() == 0:
            continue
        if np.corrcoef(y, p)[0, 1] > MIN_CORRELATION:
            found.append(float(y.std() / p.std()))
    return found


def judged_rows(accuracy: Sequence[Accuracy]) -> list[Accuracy]:
    """Return the rows of the test data, or of the training data where nothing was held out."""
    part = "test" if any(row.part == "test" for row in accuracy) else "train"
    return [row for row in accuracy if row.part == part]


def reason_not_judged(row: Accuracy) -> str:
    """Return why a joint's prediction can be neither right nor wrong; empty where it is judged.

    A joint is judged if its measured or its predicted signal stands out from the noise: a variance
    of at least ``MIN_SIGNAL_TO_NOISE`` times the noise's. Otherwise R2 is zero but for chance,
    whatever the model.
    """
    if np.isnan(row.r2):
        return "too little motion" if row.share == 0 else f"its {row.kind} does not vary"
    least = MIN_SIGNAL_TO_NOISE * row.noise_std**2
    if not max(row.measured_std, row.predicted_std) ** 2 < least:
        return ""
    unit = "A" if row.kind == "current" else "Nm"
    return (
        f"its {row.kind} is noise: measured {row.measured_std:.2g} {unit}, predicted "
        f"{row.predicted_std:.2g} {unit}, noise {row.noise_std:.2g} {unit}"
    )


def failed_joints(accuracy: Sequence[Accuracy]) -> list[str]:
    """Return a sentence for every judged joint that is predicted worse than by its mean."""
    return [
        f"joint {row.joint}: R2 of the {row.kind} is {row.r2:.3g} on the {row.part} data, worse "
        "than its mean: check that both are of the same arm, payload, mounting and units"
        for row in judged_rows(accuracy)
        if row.r2 < 0 and not reason_not_judged(row)
    ]
