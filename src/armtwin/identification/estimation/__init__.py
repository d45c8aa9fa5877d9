"""Maximum a posteriori estimation.

Modules:
    problem: the arm, the data and initial gains.
    prediction: predicted signals and their derivatives.
    normal_equations: information and gradient, with robust weights.
    gauss_newton: the constrained search.
    hac: covariance for autocorrelated residuals.
    posterior: an estimate with its uncertainty, and its conflict with the prior.
    consider_covariance: uncertainty of links that are not estimated.
    friction_selection: friction laws by cross-validation.
    speed_profile: intervals of friction's speeds by profile likelihood.
    presliding: friction at rest and reversal.
    two_stage: target torques first, then motor signals.
"""
