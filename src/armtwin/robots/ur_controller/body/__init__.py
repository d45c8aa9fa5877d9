"""The arm that a virtual controller moves.

Modules:
    kinematic: the ``RobotBody`` port and a body that does exactly what is commanded.
    dynamic: a body with mass, friction and contacts (MuJoCo).
    rotors: rotors of joints whose arm file gives none.
    collisions: the controller's collision and contact detection.
"""
