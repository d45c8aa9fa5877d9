"""Simulation of an arm under control in MuJoCo.

- ``simulate``: the control loop; ``options``: ``SimulateOptions``.
- ``result``: a simulated run with its page, and contacts detected in it.
- ``plant``: the MuJoCo model; ``pushes``: external forces and obstacles.
- ``sensors``: noise, quantisation and delays; ``log``: the recording.
- ``integrators``: which of MuJoCo's integrators a run takes; ``flexible``: springs in the joints.
- ``stability``: detection of unstable runs.
- ``as_built``, ``typical_drives``: plants with planted errors and with realistic drives.
- ``rendering``: pictures and films.
"""
