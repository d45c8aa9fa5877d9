"""Blocks: equations with named scalar inputs and outputs, for FMUs.

* ``motion_blocks``: forward and inverse kinematics, a periodic reference motion
* ``torque_blocks``: inverse dynamics, computed torque, momentum observer
* ``plant_block``: forward dynamics, with friction and presliding
* ``custom_block``: a user's own controller or observer
"""
