"""The electro-mechanical document of the UR5e.

- ``constants_check``: its printed constants and sums.
- ``document``: identification, currents and energy end to end.
- ``test_trajectories``: simulated tests A and B.
- ``energy_tables``: printed tables beside ours.
- ``energy_page``: the report.
"""
