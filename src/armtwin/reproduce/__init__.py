"""Published tables recomputed, figure by figure.

- ``documents``: ``reproduce``; the documents by name.
- ``figure``: a printed figure beside ours, and ``Reproduction``, the result.
- ``constants``: constants of an arm file beside printed ones.
- ``fk_fmu``: the UR10e forward-kinematics FMU report.
- ``desktop_arm``: the desktop arm's positions.
- ``screws``: the UR3e screw model.
- ``observer``: the momentum observer of the UR10e.
- ``energy``: the electro-mechanical model of the UR5e.
"""
