"""Damped least squares and Newton steps.

* ``compiled_descent``: the descents of an arm inside inverse.c, checked before they are used
* ``converge``: descents from many starts, compiled or in NumPy
* ``least_squares``: the method, in NumPy; start vectors
"""
