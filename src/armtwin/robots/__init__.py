"""Robots and robot controllers.

Packages:
    ur_controller: the parts of the virtual UR controller that need no network port.
"""
