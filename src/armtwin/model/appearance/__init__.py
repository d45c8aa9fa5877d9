"""What an arm looks like: its own shapes, those of an installed package, or generated ones.

* ``appearance``: ``appearance``: the shapes an arm is drawn with
* ``descriptions``: installed robot descriptions whose meshes fit arms of the catalogue
* ``generated``: cylinders and capsules along the kinematic chain
* ``aligned``: shapes of one arm in the link frames of another
"""
