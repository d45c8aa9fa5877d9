"""The verbs of ``armtwin fmu``.

- ``fmu``: the group and its examples.
- ``fmu_export``, ``fmu_run``, ``fmu_check``, ``fmu_system``: one verb each.
- ``fmu_quick``: ``fmu run`` in its plain form, without typer.
- ``fmu_plain``: a run from CSV to CSV and the printed summary, for both.
"""
