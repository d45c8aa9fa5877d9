"""ROS bags, of ROS 1 (.bag) and ROS 2 (.db3, .mcap); no ROS is needed.

Modules:
    ros_bag: joint states and wrenches of a bag as a table.
    choice: which robot is meant, where a bag holds several.
    joint_state: decoding of joint states in CDR, all at once.
    ros1: decoding of ROS 1 messages, and currents in the efforts of UR drivers.
    wrench: the wrench of a bag at the times of its joint states.
"""
