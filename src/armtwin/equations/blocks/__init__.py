"""Blocks: equations with named scalar inputs and outputs, for FMUs.

* ``motion_blocks``: forward and inverse kinematics, a periodic reference motion
* ``torque_blocks``: inverse and forward dynamics, computed torque, momentum observer
* ``own_block``: a user's own controller or observer
"""
