"""Motions: paths of the tool and of the joints, their timing, and checks against limits.

- ``motion``: ``Motion``, joint states over time, and ``Path``, the base class of paths.
- ``paths``, ``waypoints``: circles and lines of the tool; trapezoids and quintics of the joints.
- ``timing``: profiles ``s(t)``: minimum jerk, trapezoid, soft ramps.
- ``follow``: joint motions that follow a track of the tool on one branch.
- ``limits``: checks of position, speed, acceleration and torque.
- ``motion_file``, ``urscript``: motions as files and as URScript.
- ``excitation``, ``optimal``, ``clearance``, ``programs``: sub-packages.
"""
