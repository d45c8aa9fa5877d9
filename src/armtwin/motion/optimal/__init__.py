"""Motions of least energy and of least time.

- ``solve``: the optimisation problem of one motion.
- ``leg_times``: sharing a total time between legs.
- ``pareto``: energy against time, and the best time with idle power.
- ``held``: joints at their limits on trapezoids, the others optimised.
- ``curve``, ``profile``, ``straight``: splines, start profiles, trapezoids as a fallback.
- ``fastest``: TOPP-RA.
"""
