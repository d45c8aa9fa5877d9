"""Writing an arm's model as an FMU, and a closed loop of FMUs as an SSP archive.

- ``export``: ``export_fmu``; the archive and its files.
- ``models``: the models that an arm can be exported as.
- ``custom_model``: a user's own controller or observer.
- ``model``: a model's variables with value references and start values.
- ``tape``: a compiled program as a table that a loop in C runs.
- ``c_text``: the C code that is particular to one model.
- ``description``: modelDescription.xml.
- ``terminals``: terminals for joints and tool, and the icon.
- ``speed``: how fast a plant runs here.
- ``fmu_page``: the documentation page inside the FMU.
- ``system``: ``export_system``; a closed loop as an SSP archive.
- ``circle``: the loop's reference, a circle of the tool in joint space.
"""
