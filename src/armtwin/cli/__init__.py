"""The ``armtwin`` command: one file per verb parses, calls one library function and prints.

- ``argument_groups``: options of a command from dataclasses.
- ``start``: entry point; runs the plain form of ``fmu run`` without loading typer.
- ``main``: finds the verb, runs it, turns errors into exit codes.
- ``options``: arguments and options that several verbs share.
- ``number_command``: number lists such as ``0 -90 90`` on the command line.
- ``output``: tables, pages and JSON on standard output.
- ``results``: prints a result's page or data, writes its reports.
- ``progress_display``: progress on standard error.
- ``repairs``: repairs of an installation, for ``doctor --fix``.
- ``screen``: a live display of running robots.
- ``tables``: CSV batches in and out.
- ``verbs``: the verbs, by group.
"""
