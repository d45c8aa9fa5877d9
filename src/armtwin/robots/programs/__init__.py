"""Taught programs on robots.

- ``program_runner``: runs, pauses, steps and stops a program.
- ``run_progress``: the state of a run.
- ``program_lines``: the lines that a run follows.
- ``program_timing``: how long a run takes, by the planners that move the robots.
"""
