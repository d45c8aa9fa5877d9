"""``armtwin schema``: write the JSON schema of arm files, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armtwin.cli.options import Force
from armtwin.cli.output import say

EXAMPLES = """
armtwin schema
armtwin schema --out schemas/arm_file.schema.json --force
"""


def command(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")] = Path(
        "arm_file.schema.json"
    ),
    force: Force = False,
) -> None:
    """Write the JSON schema of arm files, for completion and checks in editors (taplo).

    An arm file names it in its first line: #:schema ./arm_file.schema.json
    """
    from armtwin.model.formats.arm_file.json_schema import write_arm_file_schema

    say(f"{write_arm_file_schema(out, force=force)} written; name it in an arm file's first line")
