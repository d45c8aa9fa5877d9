"""Geometric calibration: fit an arm's geometry, base and tool to measured tool poses.

Modules:
    calibrate: the public function.
    options: ``CalibrateOptions``.
    data: measured poses, placements, closed-form base and tool frames.
    fit: the pose model, robust least squares, identifiability, choice of the parameter set.
    curves: joint error curves: prior, fit, intervals, visited ranges.
    held_out: errors on poses that were not fitted.
    build_result: the result of a finished fit.
    pose_errors: pose errors, fitted parameters and placements.
    geometry_posterior: fitted parameters with their joint uncertainty.
    verdict: criteria by which a calibration passes.
    result: ``Calibration``.
    page: the result as a page.
    compensate: joint targets corrected for a calibrated arm.
    plan: poses to measure next.
"""
