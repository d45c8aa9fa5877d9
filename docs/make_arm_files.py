"""Writes the tables of docs/arm_files.md and the shipped JSON schema.

``python docs/make_arm_files.py``. Both come from the models that read arm files
(``armtwin/model/formats/toml_schema.py``); tests compare them. The
catalogue's table comes from its files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import armtwin
from armtwin.model.drive import PARAMETERS
from armtwin.model.formats.arm_file.angles import ANGLE_SCHEMA
from armtwin.model.formats.arm_file.field_texts import FRICTION
from armtwin.model.formats.arm_file.json_schema import SHIPPED, arm_file_schema, schema_text

PAGE = Path(__file__).with_name("arm_files.md")
MARK = "<!-- {}: {} -->"
HEADS = {"ArmTable": "The file", "PoseTable": "`[base]`, `[tool]`, `[home]`"}


def main() -> None:
    """Write the tables into the page, and the schema."""
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    SHIPPED.write_text(schema_text(), encoding="utf-8")


def with_tables(page: str) -> str:
    """Return the page with fresh tables between its marks."""
    for name, text in (("catalogue", catalogue()), ("fields", tables())):
        begin, end = MARK.format(name, "begin"), MARK.format(name, "end")
        before, rest = page.split(begin)
        page = f"{before}{begin}\n\n{text}\n{end}{rest.split(end)[1]}"
    return page


def catalogue() -> str:
    """Return the arms of the catalogue with the kinds of numbers that they have."""
    lines = ["| name | arm | joints | convention | numbers |", "|---|---|---|---|---|"]
    for name in armtwin.arm_names():
        arm = armtwin.load(name)
        numbers = ", ".join(kind for kind, _ in arm.sources)
        lines.append(f"| `{name}` | {arm.title} | {arm.dof} | {arm.convention} | {numbers} |")
    return "\n".join(lines) + "\n"


def tables() -> str:
    """Return every table of an arm file with its fields as Markdown."""
    schema = arm_file_schema()
    found = {"ArmTable": schema, **schema["$defs"]}
    order = ["ArmTable", "PoseTable", "JointTable", "LimitsTable", "LinkTable", "InertiaTable",
             "DriveTable", "FrictionTable"]  # fmt: skip
    order += [name for name in found if name not in order]
    return "\n".join(_table(name, found[name]) for name in order)


def _table(name: str, body: dict[str, Any]) -> str:
    title = HEADS.get(name) or f"`{body['description'].split(':')[0].split(',')[0].rstrip('.')}`"
    lines = [f"### {title}", "", "| field | value | default | meaning |", "|---|---|---|---|"]
    for field, entry in body["properties"].items():
        if name == "FrictionTable" and field in FRICTION:
            continue
        given = "needed" if field in body.get("required", []) else _default(entry)
        lines.append(f"| `{field}` | {_kind(entry)} | {given} | {_cell(entry['description'])} |")
    if name == "FrictionTable":
        lines += ["", *_laws()]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Return a text for a cell of a Markdown table."""
    return text.replace("|", "\\|")


def _laws() -> list[str]:
    lines = ["| law | parameters |", "|---|---|"]
    lines += [
        f"| `{law}` | {', '.join(f'`{n}`' for n in names)} |" for law, names in PARAMETERS.items()
    ]
    lines += ["", "| parameter | meaning |", "|---|---|"]
    return lines + [f"| `{name}` | {text} |" for name, text in FRICTION.items()]


def _default(entry: dict[str, Any]) -> str:
    value = entry.get("default")
    if value is None or value in ("", {}, []) or isinstance(value, dict):
        return "none"
    return f"`{value}`"


def _kind(entry: dict[str, Any]) -> str:
    """Return in words what a field takes."""
    if entry.get("anyOf") == ANGLE_SCHEMA["anyOf"]:
        return "angle"
    if "enum" in entry:
        return ", ".join(f"`{one}`" for one in entry["enum"])
    if "$ref" in entry or "allOf" in entry or entry.get("type") == "object":
        return "table"
    if entry.get("type") == "array":
        inner = [*entry.get("prefixItems", []), *([entry["items"]] if "items" in entry else [])]
        if any("$ref" in one for one in inner):
            return "array of tables"
        size = f"{len(entry['prefixItems'])} " if "prefixItems" in entry else ""
        words = {"angle": "angles", "array": "arrays", "text": "texts"}
        return f"array of {size}{words.get(_kind(inner[0]).split()[0], 'numbers')}"
    names = {"number": "number", "string": "text", "integer": "integer"}
    return " or ".join(
        names.get(one.get("type", ""), "table") for one in entry.get("anyOf", [entry])
    )


if __name__ == "__main__":
    main()
