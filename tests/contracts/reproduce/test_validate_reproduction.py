"""Section 6 of the report, on a recording with planted errors."""

import numpy as np
import pytest

from armtwin.reproduce.fk_fmu import section6 as validation


def test_planted_errors_and_lags_are_found():
    """All of Table 5 is found again, and both lags, when they were planted."""
    done = validation.reproduce()
    assert done.passed
    assert [f.verdict for f in done.figures if f.place == "Table 5"] == ["agrees"] * 6
    assert {f.place for f in done.figures if f.verdict == "erratum"} == {
        "Section 2.1", "Section 7.1"}  # fmt: skip
    lags = [r for r in done.results if r.name.startswith("lag of")]
    assert len(lags) == 2
    assert all(r.value < 0.05 for r in lags)


def test_other_errors_are_not_taken_for_the_printed(monkeypatch):
    """The figures are off when other errors are planted than the report prints."""
    spread = validation.spread_errors
    larger = lambda figures, count: 1.2 * spread(figures, count)  # noqa: E731
    monkeypatch.setattr(validation, "spread_errors", larger)
    monkeypatch.setattr(validation, "ROWS", 3000)
    done = validation.reproduce()
    assert not done.passed
    assert "agrees" not in [f.verdict for f in done.figures if f.place == "Table 5"]


@pytest.mark.parametrize("signal", ["position", "quaternion"])
def test_spread_errors_have_their_figures(signal):
    """Mean, RMS and maximum are as asked for when errors are spread."""
    figures = validation.TABLE_5[signal]
    errors = validation.spread_errors(figures, 29_051)
    assert errors.mean() == pytest.approx(figures["mae"], rel=1e-6)
    assert np.sqrt((errors**2).mean()) == pytest.approx(figures["rmse"], rel=1e-6)
    assert errors.max() == figures["max"]
    assert errors.min() >= 0
