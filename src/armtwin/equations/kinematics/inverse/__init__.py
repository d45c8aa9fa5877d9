"""Closed-form inverse kinematics: every branch of a tool pose, for arms of a known structure.

The numbers of an arm are an input (``form``), so that one compiled kernel serves every arm of a
structure. ``kinematics.inverse`` recognises the structure and computes the form.

* ``general_shoulder``: six joints, a spherical wrist and skew axes 1 and 2: a quartic
* ``joint_branches``: a table of branches in the arm's joints, limits and whole turns
* ``judged``: branches with the decision which of them are solutions
* ``parallel_elbow``: six joints, axes 2 and 3 parallel, a right-angled spherical wrist
* ``seven_joints``: seven joints with a spherical shoulder, for one value of the redundancy
* ``spherical_wrist``: six joints whose last three axes meet
* ``subproblems``: rotations about known axes that take one vector to another
* ``ur_inverse``: the eight closed-form solutions of the UR structure
* ``ur_joints``: the same for an arm's own joints, base, tool and limits
"""
