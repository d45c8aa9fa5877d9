"""Rigid-body dynamics, friction, motor current and electrical power.

* ``drives``: friction, motor current, electrical power
* ``regeneration``: rules for the power of a braking motor
* ``rigid_body``: inverse and forward dynamics, mass matrix, Coriolis, gravity, regressor

Effort limits and torque per ampere are in ``model/drive.py``; a payload is given in the flange
frame (``model/payload.py``).
"""
