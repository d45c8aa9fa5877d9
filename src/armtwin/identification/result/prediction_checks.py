"""Checks of the predictions: units of the test data, joints predicted worse than by a constant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armtwin.errors import InputError
from armtwin.identification.result.accuracy import Accuracy, SignalAccuracy

MIN_CORRELATION = 0.7
"""Least correlation of measured and predicted at which their ratio indicates a unit."""
SAME_UNIT = (0.4, 2.5)
"""Ratios of measured to predicted that payload, temperature and wear may cause."""


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


def failed_joints(accuracy: Sequence[Accuracy]) -> list[str]:
    """Return a sentence for every joint that is predicted worse than by its mean (R2 below 0).

    Test data are judged, or training data where nothing was held out.
    """
    parts = {row.part for row in accuracy}
    part = "test" if "test" in parts else "train"
    return [
        f"joint {row.joint}: R2 of the {row.kind} is {row.r2:.3g} on the {part} data, worse than "
        "its mean: check that both are of the same arm, payload, mounting and units"
        for row in accuracy
        if row.part == part and row.r2 < 0
    ]
