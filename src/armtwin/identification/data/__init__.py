"""Recordings of an identification.

Modules:
    sources: reading files, splitting runs, checks that recordings belong together.
    runs: recordings prepared for the fit.
    smoothing: zero-phase low-pass and derivatives.
    channel_checks: order, sign and unit of the motor signals.
    target_friction: target torques that contain friction.
    model_mismatch: a payload or tilted base that the model does not have.
    mismatch_evidence: low-passed signals, model torques and what may explain their difference.
    mismatch_hypotheses: the hypotheses that are tested for it.
    hypothesis_comparison: their comparison by cross-validation.
"""
