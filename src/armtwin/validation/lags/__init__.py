"""Lag of recorded signals behind the twin's.

Modules:
    signal_lag: ``Lag``, and its estimate for torques, currents and power.
    pose_lag: lag of the pose, estimated together with errors of the geometry.
    pose_lag_problem: pose errors and their derivatives by lag and geometry.
"""
