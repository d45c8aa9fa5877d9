"""Result of an identification.

Modules:
    fit: ``Fit``.
    build_fit: the result of an estimate.
    estimates: drive and base parameters with intervals.
    forest: estimates as a forest plot.
    payload_estimate: payload and mounting with intervals.
    fitted_arm: the identified arm.
    accuracy: prediction errors per joint.
    prediction_checks: units of the test data, joints that fail or cannot be judged.
    unidentifiable: parameters that the data do not identify, with advice.
"""
