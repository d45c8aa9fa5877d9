"""Running an FMU over a table of inputs.

- ``run``: ``run_fmu`` on arrays.
- ``core``: one run over a plain table; options and facts of a run.
- ``input_checks``: what a table must have for an FMU's inputs.
- ``run_plan``: buffers and variable groups of a run.
- ``host``: the compiled loop and the structures that it shares with Python.
- ``grid``: a plain table without NumPy.
- ``csv_grid``: such a table from and to CSV.
- ``signals``: tables as arrays, from and to files.
- ``output_file``: writing results whole or not at all.
- ``row_lag``: which outputs lag one row behind in co-simulation.
- ``with_fmpy``: the same run through FMPy.
"""
