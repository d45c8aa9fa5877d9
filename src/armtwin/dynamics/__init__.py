"""Rigid-body dynamics, friction, motor current and electrical power.

* ``derivatives``: derivatives of inverse and forward dynamics
* ``drives``: friction, motor current, electrical power
* ``evaluation``: a dynamics equation run on validated inputs
* ``flexible_joints``: rotors and links connected by springs
* ``presliding``: presliding friction of a plant, stepped semi-implicitly
* ``regeneration``: rules for the power of a braking motor
* ``rigid_body``: inverse and forward dynamics, mass matrix, Coriolis, gravity, regressor
* ``rollout``: forward simulation under given torques, with friction
* ``wrenches``: inverse and forward dynamics under a wrench on the tool

Effort limits and torque per ampere are in ``model/drive.py``; a payload is given in the flange
frame (``model/payload.py``).
"""
