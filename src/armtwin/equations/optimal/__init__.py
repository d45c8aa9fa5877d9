"""Minimum-energy motion.

* ``minimum_energy``: the nonlinear programme, solved by Ipopt
* ``point_cost``: power, torque and distances at one point of a motion; Hessian of their sums
* ``programme``: shape, bounds and solution of a programme
* ``spline``: the minimum-jerk polynomial, and B-splines with knots that are closer at both ends
"""
