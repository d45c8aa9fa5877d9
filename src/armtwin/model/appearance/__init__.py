"""Shapes of an arm: its own, those of an installed package, or generated ones.

* ``appearance``: ``appearance``: the shapes an arm is drawn with
* ``axes``: where links run between joint axes
* ``descriptions``: installed robot descriptions, with meshes moved to our link frames
* ``generated``: cylinders and capsules along the kinematic chain
"""
