"""Messages of a controller on ports 30001 to 30003 and 30011 to 30013, byte by byte.

Big-endian without gaps, as in UR's description of its client interfaces.

Modules:
    packing: frames of messages and sub-packages; which version has which of them.
    arm_packages: sub-packages of the robot state that change from one message to the next.
    fixed_packages: kinematics, configuration and tool communication, which do not.
    robot_state: the robot state message.
    robot_messages: version, label, text, key, popup, safety mode, error code and runtime exception.
    variables: names and values of the running program's global variables.
    realtime: the packet of the real-time interface.
    broadcast: sends all of these to the clients.
"""
