"""The web app: watch, move and teach a robot, and run jobs. It holds no robotics.

Packages:
    server: the control process's HTTP server, its limits and its guard.
    control: session, lease, stream of states, teaching, recording.
    api: REST addresses and the WebSocket.
    backend: the work process and the worker process.
    jobs: uploads and long work in processes of their own.
"""
