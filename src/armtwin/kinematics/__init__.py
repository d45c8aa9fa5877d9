"""Forward and inverse kinematics.

* ``forward``: tool pose, link poses, Jacobians, manipulability
* ``inverse/``: inverse kinematics: closed form and numeric
* ``joint_limits``: joint limits, distinct solutions, whole turns
* ``joints``: checks of joint vectors
"""
