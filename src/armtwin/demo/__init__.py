"""The scenario of ``armtwin demo``: a pushed UR10e, its twin, and a report.

- ``scenario``: simulates the arm, detects the push, validates the twin, builds an FMU.
- ``demo_page``: the report.
- ``self_check``: laws of kinematics and published tables, checked on this machine.
"""
