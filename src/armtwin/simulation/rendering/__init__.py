"""Off-screen rendering of runs.

- ``picture``: still pictures and films.
- ``drawing``: frames from a rendering process; ``draw_frames``: that process.
- ``scene``: floor, light and marks.
"""
