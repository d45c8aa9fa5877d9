"""The robot arm as a frozen value: geometry, links, drives, limits.

* ``appearance/``: the shapes an arm is drawn with
* ``arm``: ``Arm`` and its parts: ``Joint``, ``Link``, ``Drive``, ``Friction``, ``Limits``
* ``catalogue/``: arms that ship with the package, and loading an arm by name or file
* ``checks``: validity of an arm's numbers
* ``common_normals``: modified DH rows of a chain of axes
* ``convert``: one arm in another convention (standard DH, modified DH, screws)
* ``drive``: effort limits, torque per ampere, rotor inertia, friction parameters
* ``error_curve``: periodic error of a joint over its angle
* ``formats/``: reading and writing TOML, URDF and MJCF; factory calibration
* ``geometry``: ``LinkShape``: solids, meshes and materials of links
* ``link``: fixed poses of the chain; mass, centre of mass and inertia in other frames
* ``matrix``: poses as nested tuples
* ``payload``: payload at the flange, mounting of the base
* ``shapes``: bars along an arm's geometry, for clearance, inertias and collisions
"""
