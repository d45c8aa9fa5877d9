"""The JSON schema of arm files, for editors: completion, texts and checks while typing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from armtwin.files import write_output
from armtwin.model.drive import PARAMETERS
from armtwin.model.formats.arm_file.field_texts import FRICTION, text_of
from armtwin.model.formats.toml_schema import ArmTable

SCHEMA_NAME = "arm_file.schema.json"
SHIPPED = Path(__file__).with_name(SCHEMA_NAME)
"""The schema as it ships; a test keeps it equal to ``arm_file_schema()``."""


def arm_file_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of arm files, from the models that read them."""
    schema = ArmTable.model_json_schema()
    tables = {"ArmTable": schema, **schema.get("$defs", {})}
    for table, body in tables.items():
        body.pop("title", None)
        for name, field in body.get("properties", {}).items():
            field.pop("title", None)
            _without_null(field)
            text = text_of(table, name, field.get("description"))
            if text:
                field["description"] = text
    friction = tables["FrictionTable"]["properties"]
    friction["model"]["enum"] = list(PARAMETERS)
    for name, text in FRICTION.items():
        friction[name] = {"type": "number", "description": text}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Arm file of armtwin",
        **schema,
    }


def _without_null(field: dict[str, Any]) -> None:
    """Drop the choice ``null``, which TOML does not have: a field may be left out."""
    choices = [one for one in field.get("anyOf", []) if one != {"type": "null"}]
    if len(choices) == 1:
        field.pop("anyOf")
        field.update(choices[0])
    elif choices:
        field["anyOf"] = choices
    if field.get("default", 0) is None:
        field.pop("default")


def schema_text() -> str:
    """Return the schema as the text of its file."""
    return json.dumps(arm_file_schema(), indent=1, ensure_ascii=False) + "\n"


def write_arm_file_schema(path: str | Path = SCHEMA_NAME, *, force: bool = False) -> Path:
    """Write the JSON schema of arm files for editors and return its path.

    An arm file names it in its first line: ``#:schema ./arm_file.schema.json``.

    Raises:
        OutputExistsError: the file exists with another content and ``force`` is not set.
        InputError: the path cannot be written.
    """
    path, data = Path(path), schema_text().encode("utf-8")
    if not (path.is_file() and path.read_bytes() == data):
        write_output(path, data, force=force)
    return path
