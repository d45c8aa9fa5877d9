"""Off-screen rendering of runs.

- ``picture``: still pictures and films.
- ``scene``: floor, light and marks.
- ``drawing``: frames from a rendering process; ``draw_frames``: that process.
"""
