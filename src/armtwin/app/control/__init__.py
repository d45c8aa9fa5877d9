"""State of the control process: the robot, the lease, the watchers.

Modules:
    session: one running app.
    ownership: who made a recording, a program or a job.
    lease: which client has control.
    hub: sends states to all watchers.
    message: a state as JSON.
    sample_history: states of the last two minutes.
    teaching: the taught program and its runner.
    run_recorder: the record button.
    choose_robot: the robot that the command line chooses.
"""
