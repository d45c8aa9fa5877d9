"""Reading an FMU of any vendor.

- ``package``: the archive, unpacked and checked.
- ``interface``: modelDescription.xml as data.
- ``fmu_library``: the shared library for this platform.
- ``instance``: one instance and its FMI calls.
"""
