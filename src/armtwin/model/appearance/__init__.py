"""Shapes of an arm: its own, those of an installed package, or generated ones.

* ``aligned``: shapes of one arm in the link frames of another
* ``appearance``: ``appearance``: the shapes an arm is drawn with
* ``axes``: where links run between joint axes
* ``descriptions``: installed robot descriptions whose meshes fit arms of the catalogue
* ``generated``: cylinders and capsules along the kinematic chain
"""
