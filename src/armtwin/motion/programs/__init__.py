"""Taught programs: named joint positions in an order.

- ``program``: ``TaughtProgram``, read from and written to JSON.
- ``program_folder``: the user's folder of programs.
- ``program_checks``, ``pose_warnings``: warnings before a program runs.
- ``program_export``: tables, timed motions and URScript.
"""
