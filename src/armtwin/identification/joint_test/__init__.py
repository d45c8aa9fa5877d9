"""Manufacturers' joint tests.

Modules:
    joint_test: reading the test of every joint from a calibration summary.
    joint_comparison: comparison with the drives of an arm.
"""
