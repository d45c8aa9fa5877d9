"""Poses, Jacobians and inverse kinematics.

* ``calibration_model``: tool pose by every geometric parameter, with derivatives
* ``capsules``: links as capsules, and the distances between them
* ``inverse/``: closed-form inverse kinematics of known structures
* ``link_angles``: link angles of joints that bend under gravity or have an error curve
* ``manipulability``: Yoshikawa's index, samples of the workspace
* ``pose_error``: error between two poses, and its Jacobian
* ``posture``: which way shoulder, elbow and wrist are bent
* ``tcp``: pose, velocity and Jacobian of a tool centre point given as an input
* ``tool_pose``: tool pose, link poses, Jacobians, roll-pitch-yaw, quaternion
* ``turns``: joint angles moved by whole turns into their limits
"""
