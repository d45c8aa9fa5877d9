"""The robot arm as a frozen value: geometry, links, drives, limits.

* ``arm``: ``Arm`` and its parts: ``Joint``, ``Link``, ``Drive``, ``Friction``, ``Limits``
* ``catalogue/``: arms that ship with the package, and loading an arm by name or file
* ``checks``: validity of an arm's numbers
* ``common_normals``: modified DH rows of a chain of axes
* ``convert``: one arm in another convention (standard DH, modified DH, screws)
* ``drive``: effort limits, torque per ampere, rotor inertia, friction parameters
* ``error_curve``: periodic error of a joint over its angle
* ``formats/``: reading and writing TOML, URDF and MJCF; factory calibration
* ``link``: fixed poses of the chain; mass, centre of mass and inertia in other frames
* ``payload``: payload at the flange, mounting of the base
* ``shapes``: cylinders that draw an arm
"""
