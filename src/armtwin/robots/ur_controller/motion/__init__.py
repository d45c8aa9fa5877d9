"""Motion generation of a virtual controller, one control cycle at a time.

Modules:
    joint_moves: the ``Move`` port; moves, speeds, servo targets and braking of the joints.
    tool_moves: the same for the tool centre point; the circle through three points.
    optimal_moves: moves as fast as shares of the joints' limits allow.
    torque_moves: direct torque.
    compliance, force_law, task_frames: force mode and freedrive.
    blending, tool_blending, move_sequence: several legs in a row with rounded corners.
    execution: the motion that is executed, and what forbids it.
    commands: the moves of a controller with their usual arguments, one method each.
"""
