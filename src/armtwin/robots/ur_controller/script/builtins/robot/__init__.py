"""Builtin functions that move the robot, read its state or change its settings.

Modules:
    motion: moves.
    streamed_motion: servo and speed commands, stops, direct torque.
    force: force mode, freedrive, contact detection, pushes.
    state: joint positions, poses, kinematics, dynamics.
    settings: tool centre point, payload, controller settings.
"""
