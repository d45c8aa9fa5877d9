"""Inverse kinematics.

* ``batch``: ``ik_batch``: the solutions of many poses
* ``closed_form``: the branches of arms of known structure, one pose or a batch
* ``compiled``: kernels of an arm inside compiled loops: one call per pose
* ``ik``: ``ik``: the solutions of one pose, by the method that suits the arm
* ``numeric/``: damped least squares and Newton steps
* ``one_solution``: ``ik_one``: one solution by descents from a seed
* ``position_first``: arms of fewer than six joints: position first, then orientation
* ``redundancy``: arm angle or q7 of seven-joint arms
* ``search``: numeric solutions from many starts
* ``solutions``: ``Solutions``, the result
* ``structure/``: recognition of arms with a closed form
* ``target``: the target pose and the error from it
* ``unreachable``: errors that say why a pose is out of reach and by how much
"""
