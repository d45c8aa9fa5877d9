"""Routes below ``/api``; docs/api.md describes them.

Modules:
    motion: lease, move, follow, stop, state.
    stream: the WebSocket.
    live, live_content: virtual robots, pushes, recordings, replay; their requests and responses.
    teach: the taught program.
    programs, saved: run, save and load programs; read saved ones.
    jobs: uploads and jobs.
    arms: the catalogue, forward and inverse kinematics.
    choices: what can be chosen on the pages.
    share: the link for other devices.
    geometry: an arm's shape for drawing.
"""
