"""Rigid-body dynamics.

* ``derivatives``: derivatives of inverse and forward dynamics by state and input
* ``drive_regressor``: regressor with rotor inertia and friction, and its gradient
* ``plant``: the arm driven by motor torques, with friction
* ``plant_step``: one step of the plant, an integrator that all targets share
* ``recursion``: recursive Newton-Euler and composite rigid bodies
* ``rigid_body``: torque, mass matrix, Coriolis, gravity, energies, momentum, regressor
* ``sensitivity``: derivatives of torque and friction for identification
* ``wrenches``: wrenches in the axes of the tool or the flange
"""
