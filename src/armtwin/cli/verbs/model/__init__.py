"""Verbs about an arm model.

* ``arms``: list the catalogue
* ``dynamics``: torque, mass matrix, gravity, energies of a state
* ``export``: write an arm file, URDF or MJCF
* ``fk``: tool pose of joint positions
* ``ik``: joint positions of a tool pose
* ``new``: write a commented arm file
* ``schema``: write the JSON schema of arm files
* ``show``: an arm's numbers
"""
