"""Verbs that compare an arm with data: prepare, validate, calibrate, identify, reproduce."""
