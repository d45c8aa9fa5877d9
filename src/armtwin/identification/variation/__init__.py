"""Friction that varies: while gears warm up, with temperature, and from day to day.

- ``sessions``: which runs belong to one session of work, and the time since it began
- ``friction_blocks``: blocks of 10 s with the sums that show how large friction is in each
- ``warm_up``: friction as a function of temperature, or of the time since work began
- ``day_effects``: how much friction differs between days, and intervals for any day
- ``drift``: joints whose friction still drifts after that
- ``varied_fit``: the fit with all of this
"""
