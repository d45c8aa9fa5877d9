"""The UR10e forward-kinematics FMU report.

- ``fk_report``: Table 4 by the Python model.
- ``section6``: Section 6, the validation.
- ``fmu_report``: the whole report through a native FMU.
- ``fmu_report_page``: its page.
- ``joint_log``: a made-up joint log of the report's length.
"""
