"""Taught programs: named joint positions in an order.

- ``program``: ``TaughtProgram``, read from and written to JSON.
- ``program_folder``: the user's folder of programs.
- ``linear_moves``: moves on which the tool goes straight, within the joints' limits.
- ``program_checks``, ``pose_warnings``: warnings before a program runs.
- ``program_export``: tables, timed motions and URScript.
"""
