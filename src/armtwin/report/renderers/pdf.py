"""A page as a PDF, typeset with Typst; charts are vector graphics."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from armtwin.errors import ArmTwinError, MissingDataError
from armtwin.report import inputs
from armtwin.report.charts.pictures import picture
from armtwin.report.page import Facts, Page, Part, Table, Text
from armtwin.report.renderers.cells import cell, is_numeric

TEMPLATE = Path(__file__).parent / "assets" / "page.typ"


def pdf(page: Page) -> bytes:
    """Return the page as a PDF."""
    try:
        import typst
    except ImportError as error:
        raise MissingDataError(
            "PDF reports need typst, which is not installed; pip install 'armtwin[report]'"
        ) from error
    with tempfile.TemporaryDirectory(prefix="armtwin-report-") as name:
        folder = Path(name)
        content = _content(page, folder)
        (folder / "page.json").write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
        shutil.copyfile(TEMPLATE, folder / "page.typ")
        try:
            return bytes(typst.compile(str(folder / "page.typ"), root=str(folder), format="pdf"))
        except RuntimeError as error:
            raise ArmTwinError(f"the PDF could not be set: {error}") from error


def _content(page: Page, folder: Path) -> dict[str, Any]:
    verdict = page.verdict and {
        "passed": page.verdict.passed,
        "word": page.verdict.word,
        "text": page.verdict.text,
    }
    sections = [
        {"title": s.title, "parts": [_part(part, folder) for part in s.parts]}
        for s in page.sections
    ]
    return {
        "title": page.title,
        "subtitle": page.subtitle,
        "finding": page.finding,
        "date": inputs.now(),
        "verdict": verdict,
        "facts": page.facts,
        "sections": sections,
        "origin": [
            {"title": title, "rows": rows}
            for title, rows in (
                ("Settings", page.settings),
                ("Inputs", page.inputs),
                ("Made with", inputs.versions()),
            )
            if rows
        ],
    }


def _part(part: Part, folder: Path) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"kind": "text", "text": part.text, "tone": part.tone}
    if isinstance(part, Facts):
        return {"kind": "facts", "rows": part.rows}
    if isinstance(part, Table):
        return _table(part)
    file = folder / f"figure{len(list(folder.glob('figure*.svg')))}.svg"
    file.write_bytes(picture(part))
    return {"kind": "figure", "title": part.title, "caption": part.caption, "file": file.name}


def _table(table: Table) -> dict[str, Any]:
    columns = list(zip(*table.rows, strict=True)) or [() for _ in table.heads]
    marks = dict(table.marks)
    return {
        "kind": "table",
        "caption": table.caption,
        "heads": table.heads,
        "right": [is_numeric(column) for column in columns],
        "rows": [[cell(value) for value in row] for row in table.rows],
        "marks": [marks.get(number, "") for number in range(len(table.rows))],
    }
