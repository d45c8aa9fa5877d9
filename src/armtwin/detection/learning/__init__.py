"""Learning from clean runs.

- ``learn``: friction and model bias; ``regression`` and ``ridge``: its linear problem and solver.
- ``torque_constants``: torque per ampere where the arm file has none.
- ``calibrate_thresholds``: thresholds; ``recurring``: model errors that recur on every pass.
- ``rest_levels``: levels of the standing arm.
- ``adapt``: slow re-estimation of friction during detection.
"""
