"""Whether an identification holds on data: predictions worse than a constant prove it wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.errors import InputError
from armtwin.identification.result.accuracy import Accuracy, SignalAccuracy

LEAST_LIKENESS = 0.7
"""Correlation of measured and predicted from which on their ratio means a unit."""
SAME_UNIT = (0.4, 2.5)
"""Ratios of measured to predicted that payloads, warmth and wear may bring."""


def refuse_other_unit(signals: Sequence[SignalAccuracy], band: float) -> None:
    """Raise InputError where test signals have the shape of the prediction but another size.

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
    """Return measured over predicted of the joints whose two signals are alike."""
    found = []
    measured, predicted = signal.below(band)
    for j in range(measured.shape[1]):
        used = signal.used[:, j]
        y, p = measured[used, j], predicted[used, j]
        if used.sum() < 20 or y.std() == 0 or p.std() == 0:
            continue
        if np.corrcoef(y, p)[0, 1] > LEAST_LIKENESS:
            found.append(float(y.std() / p.std()))
    return found


def failed(accuracy: Sequence[Accuracy]) -> list[str]:
    """Return what speaks against the result, a line for every joint that is not predicted.

    The test data decide, or the training data where nothing was held out. R2 below 0 means that
    the mean of the signal would have been the better prediction.
    """
    parts = {row.part for row in accuracy}
    part = "test" if "test" in parts else "train"
    return [
        f"joint {row.joint}: R2 of the {row.kind} is {row.r2:.3g} on the {part} data, worse than "
        "its mean: check that both are of the same arm, payload, mounting and units"
        for row in accuracy
        if row.part == part and row.r2 < 0
    ]
