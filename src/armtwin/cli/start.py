"""Entry point of the ``armtwin`` command, with a shortcut for ``fmu run``.

A run of an FMU from CSV to CSV takes less time than loading the command line's library, so this
verb, in its plain form, runs without it.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    words = sys.argv[1:]
    if words[:2] == ["fmu", "run"]:
        from armtwin.cli.verbs.fmu.fmu_quick import quick

        code = quick(words[2:])
        if code is not None:
            sys.exit(code)
    from armtwin.cli.main import run

    sys.exit(run(words))
