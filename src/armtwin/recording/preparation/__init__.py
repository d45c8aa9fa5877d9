"""Preparation of raw recordings: clocks, units, gaps and resampling.

Modules:
    prepare, prepared: ``prepare``, all steps in order, and its result.
    clock: faults, rate and uniformity of time stamps.
    repair: repair of a clock.
    gaps: missing cells.
    infer_units: units that no header names.
    resample: even grids and their errors.
"""
