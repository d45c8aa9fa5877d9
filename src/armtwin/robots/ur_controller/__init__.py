"""The virtual UR controller: ports, motions, programs and state of a robot without hardware.

Modules:
    build: ``virtual_robot``, a robot from an arm, a body and a version.
    virtual_robot, station: a robot with its ports, and the loop that runs several of them.
    controller: what happens in every control cycle.
    pacing: the timer of the control cycle and its statistics.
    script_programs: programs from the script ports.
    script_host, script_motions, script_commands: functions of the controller for programs.
    external_push, fault_injection: pushes and faults for tests of clients.
    recording_server: a recording served as a robot.
    body, motion, ports, programs, rest, script, state, streams: packages of their own.
"""
