"""The verdict of identify on planted signals: predicted, predicted wrongly, and noise."""

import dataclasses
import json

import numpy as np
import pytest
from benchmarks.planted import planted, true_arm, without_drives

import armtwin as at
from armtwin.identification.result.accuracy import SignalAccuracy, accuracies
from armtwin.identification.result.prediction_checks import failed_joints, reason_not_judged

RATE, BAND, NOISE = 125.0, 5.0, 0.05
TIME = np.arange(round(12 * RATE)) / RATE
MOTION = np.sin(2 * np.pi * 0.25 * TIME)
SEEDS = range(12)


def row_of(measured, predicted, rate=RATE):
    """Return the accuracy of one joint's signal, all samples used."""
    used = np.ones((len(measured), 1), dtype=bool)
    time = np.arange(len(measured)) / rate
    pair = (measured[:, None], predicted[:, None])
    return accuracies([SignalAccuracy("run", "test", "tau", rate, time, *pair, used)], BAND)[0]


def noise(seed, size=NOISE):
    """Return white noise (n,)."""
    return size * np.random.default_rng(seed).standard_normal(TIME.size)


def test_noise_is_not_judged_whatever_the_sign_of_r2():
    """Not judged with either sign of R2 when the signal is noise and the prediction small."""
    rows = [row_of(noise(seed), 0.003 * MOTION) for seed in SEEDS]
    assert {np.sign(row.r2) for row in rows} == {-1.0, 1.0}
    assert all("its tau is noise" in reason_not_judged(row) for row in rows)
    assert failed_joints(rows) == []


@pytest.mark.parametrize(
    "signal", [MOTION, np.sign(MOTION), np.sign(np.sin(2 * np.pi * 2 * TIME))],
    ids=["load", "friction", "fast reversals"],
)  # fmt: skip
@pytest.mark.parametrize("gain", [-1.0, 0.0, 3.0], ids=["opposite", "none", "three times"])
def test_a_wrong_model_of_a_signal_fails(signal, gain):
    """Failed when the joint has a signal and the model predicts another, or none."""
    wrong = gain * 0.1 * signal + 0.01
    rows = [row_of(0.1 * signal + noise(seed), wrong) for seed in SEEDS]
    assert all(reason_not_judged(row) == "" for row in rows)
    assert len(failed_joints(rows)) == len(rows)


def test_a_right_model_of_a_signal_passes():
    """Judged and passed when half of the signal's variance or more is predicted."""
    rows = [row_of(0.1 * MOTION + noise(seed), 0.1 * MOTION) for seed in SEEDS]
    assert all(reason_not_judged(row) == "" for row in rows) and failed_joints(rows) == []


def test_vibration_above_the_band_is_no_noise_below_it():
    """Judged when the prediction is right and the arm vibrates just above the band."""
    row = row_of(0.1 * MOTION + 0.3 * np.sin(2 * np.pi * 9 * TIME), 0.1 * MOTION)
    assert row.r2 > 0.9 and row.noise_std < 0.02 and reason_not_judged(row) == ""


def test_a_prediction_of_what_is_not_there_fails():
    """Failed when the model predicts far more than the noise that is measured."""
    rows = [row_of(noise(seed), 0.1 * MOTION) for seed in SEEDS]
    assert len(failed_joints(rows)) == len(rows)


def test_noise_is_not_guessed_from_a_slow_clock():
    """Judged as before when the clock is too slow to show the noise above the band."""
    row = row_of(noise(1)[::10], -0.003 * MOTION[::10], rate=RATE / 10)
    assert np.isnan(row.noise_std) and reason_not_judged(row) == ""


def test_a_joint_of_noise_is_named_in_every_output():
    """Named with the reason in verdict, page and JSON when one joint's current is noise."""
    truth = true_arm()
    runs = [planted(truth, seed, seconds=12.0, rate=100.0) for seed in (31, 32)]
    noisy = []
    for seed, run in enumerate(runs):
        current = run.current.copy()
        current[:, 5] = 0.045 * np.random.default_rng(seed).standard_normal(len(run))
        noisy.append(run.select("q", "current").with_columns({"current": current}))
    fit = at.identify(without_drives(truth), noisy[0], test=noisy[1], method="staged",
                      friction="viscous-coulomb")  # fmt: skip
    assert fit.passed and list(fit.not_judged) == [6]
    assert "joint 6 (its current is noise: measured" in fit.verdict
    reported = json.loads(json.dumps(fit.to_dict(), allow_nan=False))
    assert [one["joint"] for one in reported["not_judged"]] == [6]
    page = fit.page()
    assert dict(page.facts)["R² on test data"].endswith(", not judged")
    texts = [getattr(part, "text", "") for part in page.sections[0].parts]
    assert any(text.startswith("joint 6 is not judged") for text in texts)
    noise_only = [
        dataclasses.replace(row, r2=-0.1, measured_std=1.0, predicted_std=0.1, noise_std=1.0)
        for row in fit.accuracy
    ]
    nothing = dataclasses.replace(fit, accuracy=tuple(noise_only))
    assert nothing.passed is None and nothing.failures == () and len(nothing.not_judged) == 6
    assert nothing.page().verdict.word == "NOT JUDGED" and "data: none; not" in nothing.verdict
