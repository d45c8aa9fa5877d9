"""Inverse kinematics.

* ``closed_form``: the eight solutions of arms of UR structure, one pose or a batch
* ``ik``: ``ik``: the solutions of one pose, by the method that suits the arm
* ``numeric``: damped least squares and Newton steps
* ``position_first``: arms of fewer than six joints: position first, then orientation
* ``search``: numeric solutions from many starts
* ``solutions``: ``Solutions``, the result
* ``target``: the target pose and the error from it
* ``unreachable``: errors that say why a pose is out of reach and by how much
* ``ur_structure``: recognition of the UR structure in an arm of any convention
"""
