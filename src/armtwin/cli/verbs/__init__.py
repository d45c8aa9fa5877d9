"""The verbs of the command line, by group; no verb imports another.

- ``model``: an arm and its equations.
- ``prove``: an arm against recordings and published tables.
- ``simulation``: simulation, detection, excitation and energy.
- ``live``: robots, recordings of them, and the web app.
- ``fmu``: Functional Mock-up Units.
- ``history``: rows of recordings over months.
- ``setup``: the demo and the installation check.
"""
