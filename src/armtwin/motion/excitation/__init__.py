"""Excitation: motions that are informative about an arm's parameters.

- ``excite``: the public function.
- ``excitation``: problem, result and checks.
- ``information``: the determinant criterion and its gradient.
- ``fourier``, ``trapezoids``: the two kinds of motion and their optimisation.
- ``series``: Fourier series from rest to rest.
- ``random_waypoints``: random collision-free waypoints.
"""
