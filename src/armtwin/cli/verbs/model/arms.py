"""``armtwin arms``: list the catalogue."""

from __future__ import annotations

from typing import Any

from armtwin.cli.options import Json
from armtwin.cli.output import say_json, say_table

EXAMPLES = """
armtwin arms
armtwin arms --json
"""


def command(json: Json = False) -> None:
    """List the arms of the catalogue."""
    from armtwin.model.catalogue.catalogue import arm_names

    entries = [_entry(name) for name in arm_names()]
    if json:
        say_json(entries)
    else:
        heads = ("name", "dof", "convention", "data", "title")
        say_table(heads, [[entry[head] for head in heads] for entry in entries])


def _entry(name: str) -> dict[str, Any]:
    from armtwin.model.catalogue.catalogue import load

    arm = load(name)
    sources = dict(arm.sources)
    return {
        "name": arm.name,
        "title": arm.title,
        "dof": arm.dof,
        "convention": arm.convention,
        "data": " ".join(sources),
        "source": sources.get("geometry", ""),
    }
