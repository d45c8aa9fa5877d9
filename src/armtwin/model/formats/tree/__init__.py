"""From a tree of bodies, as URDF and MJCF give it, to a serial arm of screws.

* ``kinematic_tree``: bodies, joints and frames of a file
* ``link_shapes``: names and shapes of the links of that arm
* ``serial_chain``: the arm between a base and a tip
* ``tips``: which tip is meant, and the candidates where that is not clear
"""
