"""Arms that ship with the package.

* ``catalogue``: ``load``, ``as_arm``, ``arm_names``
* ``arms/``: one TOML file an arm
"""
