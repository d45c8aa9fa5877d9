"""Motions: paths of the tool and of the joints, their timing, and checks against limits.

- ``motion``: ``Motion``, joint states over time, and ``Path``, the base class of paths.
- ``paths``, ``waypoints``: circles and lines of the tool; trapezoids and quintics of the joints.
- ``timing``: profiles ``s(t)``: minimum jerk, trapezoid, smooth ramps.
- ``follow``, ``branches``: joint motions along a tool path, on one branch of the inverse
  kinematics.
- ``continuation``: joint vectors from pose to pose, for arms without a closed form.
- ``limits``: checks of position, speed, acceleration and torque.
- ``motion_file``, ``urscript``: motions as files and as URScript.
- ``excitation``, ``optimal``, ``clearance``, ``programs``: sub-packages.
"""
