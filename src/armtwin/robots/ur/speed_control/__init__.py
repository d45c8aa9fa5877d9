"""Joint speeds that lead a UR controller to a goal, whatever the network does.

Modules:
    safe_speed: the largest speed with which a network that pauses carries the arm past no goal.
    speed_commands: what to send, period by period, on the way to a goal.
    followed_motion: speeds along a motion of the joints.
"""
