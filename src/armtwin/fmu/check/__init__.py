"""Checking FMUs.

- ``check``: ``check_fmu``; description, binaries, runs and comparisons.
- ``wasm_check``: the WebAssembly component against the library.
- ``array_names``: arrays of our FMUs in terms of scalars.
- ``comparison``: outputs compared sample by sample, and what rounding may explain.
- ``trial``: random inputs for a comparison.
- ``truth``: the outputs of our models by the Python library.
- ``masters``: SSP systems simulated by FMPy or ecos.
"""
