"""Simulated arms with planted errors, and validations that measure nothing."""

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import InputError
from armtwin.simulation.as_built import as_built

ARM = at.load("ur10e")


def test_planted_errors_are_small_and_repeatable():
    """The same seed gives the same arm, another one another, when errors are planted."""
    first, again, other = as_built(ARM, 3), as_built(ARM, 3), as_built(ARM, 4)
    assert first == again and first != other
    offsets = [a.offset - b.offset for a, b in zip(first.joints, ARM.joints, strict=True)]
    assert 1e-4 < np.std(offsets) < 1e-3
    with pytest.raises(InputError, match="given by screws"):
        as_built(at.load("ur3e-screws"), 1)


def test_validate_measures_planted_errors(tmp_path, capsys):
    """The position error is that of the planted arm with --built; without, a note says it is none.

    The note stays away where something was measured.
    """
    line = ["simulate", "ur10e", "--seconds", "1", "--out"]
    same, built = str(tmp_path / "same.parquet"), str(tmp_path / "built.parquet")
    assert run([*line, same]) == 0
    assert run([*line, built, "--built", "3"]) == 0
    vacuous = at.validate(ARM, same, efforts=False)
    assert vacuous["position"].mae < 1e-12
    assert any("measure nothing" in note for note in vacuous.notes)
    check = at.validate(ARM, built, efforts=False)
    q = at.read_recording(built).q
    planted = at.fk(as_built(ARM, 3), q)[:, :3, 3] - at.fk(ARM, q)[:, :3, 3]
    expected = np.linalg.norm(planted, axis=1).mean()
    assert check["position"].mae == pytest.approx(expected, rel=1e-6) and expected > 1e-4
    assert any("planted errors (seed 3)" in note for note in check.notes)
    assert not any("measure nothing" in note for note in check.notes)
