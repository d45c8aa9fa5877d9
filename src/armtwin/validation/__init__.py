"""Validation of a twin against a recording.

Modules:
    validate: ``validate``, the public function.
    options: ``ValidateOptions``.
    comparison: signals, lag, limits and causes of one twin and one recording.
    recorded_poses, efforts: signals of both sides: tool poses; torques, currents and power.
    metrics: figures of the difference of two signals.
    limits: limits on figures, and their judgement.
    causes, other_arms: possible causes of a pose error; better matching arms of the catalogue.
    diagnosis: the finding in one sentence.
    result, page: ``Check`` and its page.

Packages: ``lags`` (lag of signals and of the pose).
"""
