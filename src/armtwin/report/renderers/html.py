"""A page as one self-contained HTML file with styles, data and plotly.js."""

from __future__ import annotations

import base64
import json
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from armtwin.errors import MissingDataError
from armtwin.report import inputs
from armtwin.report.charts.pictures import picture
from armtwin.report.charts.plots import plot
from armtwin.report.charts.thinning import fair_share
from armtwin.report.diagrams import Forest, Sankey
from armtwin.report.page import (
    Chart,
    Facts,
    Figure,
    Page,
    Part,
    Section,
    Table,
    Text,
)
from armtwin.report.renderers.cells import cell, is_numeric

ASSETS = Path(__file__).parent / "assets"
MAX_POINTS = 380_000
"""Points of all lines of a file: 10.7 bytes each, so that with plotly.js (4.8 MB) it stays below
10 MB, whatever the recording's length."""
Plots = list[dict[str, Any]]


def html(page: Page) -> bytes:
    """Return the page as UTF-8 bytes."""
    plots, most = Plots(), fair_share(_lengths(page), MAX_POINTS)
    sections = [_section(number, s, plots, most) for number, s in enumerate(page.sections, 1)]
    body = "\n".join([_head(page), _contents(page), *sections, _origin(page), _sign()])
    scripts = _scripts(plots) if plots else ""
    style = _asset("page.css")
    text = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(page.title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n{scripts}</body>\n</html>\n"
    )
    return text.encode("utf-8")


def fragment(page: Page) -> str:
    """Return the page as an element for a notebook: all but detail sections and curves.

    Forest plots and Sankey diagrams are vector pictures; without matplotlib they are left out.
    """
    kinds = (Text, Facts, Table, Forest, Sankey)
    shown = [
        Section(s.title, tuple(part for part in s.parts if isinstance(part, kinds)))
        for s in page.sections
        if not s.detail
    ]
    sections = [
        f"<section><h2>{number}. {escape(s.title)}</h2>\n"
        + "\n".join(_still(part) for part in s.parts)
        + "</section>"
        for number, s in enumerate(shown, 1)
        if s.parts
    ]
    return "<div>" + "\n".join([_head(page), *sections]) + "</div>"


def _still(part: Part) -> str:
    """Return a part without scripts; a figure as an SVG picture."""
    if isinstance(part, Text | Facts | Table):
        return _plain(part)
    try:
        data = base64.b64encode(picture(part)).decode()
    except MissingDataError:
        return ""
    caption = f"<figcaption>{escape(part.caption)}</figcaption>" if part.caption else ""
    image = f'<img alt="{escape(part.title)}" src="data:image/svg+xml;base64,{data}">'
    return f"<figure><h3>{escape(part.title)}</h3>{image}{caption}</figure>"


def _lengths(page: Page) -> list[int]:
    """Return the number of samples of every line."""
    charts = [part for s in page.sections for part in s.parts if isinstance(part, Chart)]
    lines = [line for chart in charts for panel in chart.panels for line in panel.lines]
    return [len(line.arrays()[0]) for line in lines]


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _scripts(plots: list[dict[str, Any]]) -> str:
    content = {"arrays": _shared(plots), "plots": plots}
    data = json.dumps(content, allow_nan=False, separators=(",", ":")).replace("</", "<\\/")
    return (
        f"<script>{_plotly()}</script>\n"
        f'<script type="application/json" id="plots">{data}</script>\n'
        f"<script>{_asset('page.js')}</script>\n"
    )


def _shared(plots: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the packed arrays of all lines without duplicates; lines then hold indices."""
    places: dict[tuple[float, str], int] = {}
    for line in (line for drawn in plots for line in drawn["lines"]):
        for axis in ("x", "y"):
            key = (line[axis]["first"], line[axis]["data"])
            line[axis] = places.setdefault(key, len(places))
    return [{"first": first, "data": data} for first, data in places]


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise MissingDataError(
            "HTML reports need plotly, which is not installed; pip install 'armtwin[report]'"
        ) from error
    return str(get_plotlyjs())


def _head(page: Page) -> str:
    subtitle = f'<p class="subtitle">{escape(page.subtitle)}</p>' if page.subtitle else ""
    finding = f'<p class="finding">{escape(page.finding)}</p>' if page.finding else ""
    stamp = ""
    if page.verdict:
        kind = {True: "pass", False: "fail", None: "open"}[page.verdict.passed]
        word = page.verdict.word
        stamp = (
            f'<div class="verdict {kind}"><strong>{word}</strong>'
            f"<span>{escape(page.verdict.text)}</span></div>"
        )
    facts = f'<dl class="facts">{_terms(page.facts)}</dl>' if page.facts else ""
    return (
        f'<header><p class="maker">armtwin report · {inputs.now()}</p>'
        f"<h1>{escape(page.title)}</h1>{subtitle}{finding}{stamp}{facts}{_view_link(page)}</header>"
    )


def _view_link(page: Page) -> str:
    """Return the link to the interactive page; a path alone, whatever its name holds."""
    if not page.view:
        return ""
    target = "./" + quote(Path(page.view).as_posix())
    return f'<p class="view"><a href="{escape(target)}">Interactive view: arm and recording</a></p>'


def _terms(rows: tuple[tuple[str, str], ...]) -> str:
    return "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in rows
    )


def _contents(page: Page) -> str:
    titles = [*[section.title for section in page.sections], "Origin"]
    links = "".join(
        f'<a href="#s{number}">{escape(title)}</a>' for number, title in enumerate(titles, 1)
    )
    return f"<nav>{links}</nav>"


def _section(number: int, section: Section, plots: Plots, most: int | None) -> str:
    parts = "\n".join(_part(part, plots, most) for part in section.parts)
    return f'<section id="s{number}"><h2>{number}. {escape(section.title)}</h2>\n{parts}</section>'


def _part(part: Part, plots: Plots, most: int | None) -> str:
    if isinstance(part, Text | Facts | Table):
        return _plain(part)
    plots.append(drawn := plot(part, most))
    caption = _caption(part, drawn.pop("samples", 1))
    return (
        f"<figure><h3>{escape(part.title)}</h3>"
        f'<div class="plot" style="height:{drawn["height"]}px"></div>{caption}</figure>'
    )


def _plain(part: Text | Facts | Table) -> str:
    if isinstance(part, Text):
        return f'<p class="{part.tone}">{escape(part.text)}</p>'
    if isinstance(part, Facts):
        return f'<dl class="facts">{_terms(part.rows)}</dl>'
    return _table(part)


def _caption(part: Figure, samples: int) -> str:
    """Return the caption, which says so where not every sample is in the file."""
    texts = [part.caption] if part.caption else []
    if samples > 1:
        texts.append(
            f"Reduced to the smallest and the largest value of every {samples} samples, so that "
            "peaks remain and the file stays small."
        )
    return f"<figcaption>{escape(' '.join(texts))}</figcaption>" if texts else ""


def _table(table: Table) -> str:
    marks = dict(table.marks)
    columns = list(zip(*table.rows, strict=True)) or [() for _ in table.heads]
    sides = ["number" if is_numeric(column) else "text" for column in columns]
    head = "".join(
        f'<th class="{side}">{escape(text)}</th>'
        for text, side in zip(table.heads, sides, strict=True)
    )
    rows = "".join(
        f'<tr class="{marks.get(number, "")}">'
        + "".join(
            f'<td class="{side}">{escape(cell(value))}</td>'
            for value, side in zip(row, sides, strict=True)
        )
        + "</tr>\n"
        for number, row in enumerate(table.rows)
    )
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    label = escape(table.caption or ", ".join(head for head in table.heads if head))
    return (
        f'<div class="table" tabindex="0" role="region" aria-label="{label}"><table>{caption}'
        f"<thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>"
    )


def _origin(page: Page) -> str:
    number = len(page.sections) + 1
    groups = (
        ("Settings", page.settings),
        ("Inputs", page.inputs),
        ("Made with", inputs.versions()),
    )
    parts = "".join(
        f'<h3>{title}</h3><dl class="facts list">{_terms(rows)}</dl>'
        for title, rows in groups
        if rows
    )
    return f'<section id="s{number}" class="origin"><h2>{number}. Origin</h2>{parts}</section>'


def _sign() -> str:
    boxes = "".join(
        f"<div><span></span>{name}</div>" for name in ("Prepared by", "Checked by", "Date")
    )
    return f'<footer class="sign">{boxes}</footer>'
