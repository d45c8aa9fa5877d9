"""The work process and the worker process, separate from the control process.

Modules:
    backend: starts the work process, watches and restarts it.
    backend_process: main function of the work process.
    backend_app: its app.
    sent_arm: arm files that clients send, read in the worker process.
    shown: name, kind and model of the robot that is shown.
    learning: contact thresholds of the robot that is shown.
    requested_arm: the arm that a client selects.
    worker: a process for exports, checks of programs and arm files, contact thresholds.
    worker_process: main function of that process.
"""
