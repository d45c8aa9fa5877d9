"""What the control process holds: the robot, who may move it, and who watches.

Modules:
    session: one running app.
    ownership: who made a recording, a program or a job.
    lease: which client has control.
    hub: sends states to all watchers.
    message: a state as JSON.
    history: states of the last two minutes.
    jog: steps of the tool through inverse kinematics.
    teaching: the taught program and its runner.
    run_recorder: the record button.
    choose_robot: the robot that the command line chooses.
"""
