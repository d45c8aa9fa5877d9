"""Measurements of a calibration.

Modules:
    measurements: joint vectors with measured tool poses.
    placements: which recordings share one base and tool.
    frames: base and tool frames in closed form.
"""
