"""Recordings: named columns over time in SI units, read from and written to files.

Modules:
    recording: ``Recording``, the frozen value.
    motion: ``JointMotion``; the low-pass filter and the differentiator of all verbs.
    folder: a folder with a table per signal.
    read: ``read_recording`` and its relatives: from a file to a recording.
    settled_table: a file's table with the mapping of its columns.
    draft: columns of a file before their clock is checked.
    table: raw columns of a file before they are named.
    text_columns: columns of text cells as numbers, without PyArrow.
    arrays: arrays as named, read-only columns.
    slopes: local slopes and interpolation on uneven time stamps.
    start_time: when a recording was made.
    same_arm: refusal of a recording of another arm.

Packages: ``files`` (formats), ``columns`` (names, units, mappings), ``preparation`` (clocks, gaps,
resampling).
"""
