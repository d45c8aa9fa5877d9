"""Fit of geometric parameters to measured poses.

Modules:
    pose_model: tool poses and their derivatives by the parameters.
    geometry_parameters: the parameters that may change.
    tilt: small tilts between parallel axes (Hayati).
    initial_fit: start frames and tolerances.
    robust: robust least squares with a Gaussian prior.
    harmonics: terms of joint error curves.
    identifiability: which parameters the measurements identify.
    parameter_sets: nested sets of parameters and the choice among them.
    forward_selection: choice of single parameters where measurements are few.
    uncertainty: sandwich covariance and left-out errors.
    intervals: fitted parameters with their intervals.
"""
