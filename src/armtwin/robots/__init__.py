"""Robots behind one port, and the controllers and protocols that they need.

Modules:
    robot: ``Robot``, the port: state, move, move_along, follow, stop, alarms; ``RobotState``.
    motion_generator: jerk-limited joint motion, by ruckig.
    jog: steps of the tool along or about one axis, through inverse kinematics.
    joint_trajectories: the trajectories behind it: along a line, or joint by joint.
    simulated_arm, simulated_contacts: a kinematic arm in this process, and how a push of it is
        detected.
    replay: a recording as a robot.
    robot_process: a virtual robot in a process of its own.
    sample: a sample of a robot with its twin's expectation.
    state_recorder: states of any robot as a recording.
    priority: priorities and memory limits of processes.
    safety: permission, speed and workspace limits, stopping on errors.

Packages:
    programs: runs taught programs on a robot.
    ur: UR controllers over RTDE and script ports, and their live twin.
    servo: desktop arms with hobby servos on a serial line.
    ur_controller: the virtual UR controller.
"""
