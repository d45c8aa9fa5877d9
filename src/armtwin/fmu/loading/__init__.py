"""Reading an FMU of any vendor.

- ``package``: the archive, unpacked and checked.
- ``scalar``: a variable and its columns in a table.
- ``interface``: modelDescription.xml as data.
- ``fmu_library``: the shared library for this platform.
- ``instance``: one instance and its FMI calls.
"""
