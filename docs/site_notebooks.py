"""Pages of the site from the notebooks: text, code, and equations as MathML."""

from __future__ import annotations

import json
import re
from pathlib import Path

from latex2mathml.converter import convert
from site_math import boxed

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
DISPLAYED, INLINE = re.compile(r"\$\$(.+?)\$\$", re.DOTALL), re.compile(r"\$([^$\n]+)\$")


def pages() -> dict[str, str]:
    """Return the text of every notebook's page by its file name."""
    return {f"{path.stem}.md": page(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))}


def page(path: Path) -> str:
    """Return a notebook as Markdown; solutions are folded."""
    parts = [f"*This page is the notebook `notebooks/{path.name}`, without its outputs.*"]
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(equations(text))
        elif "solution" in cell["metadata"].get("tags", ()):
            parts.append(f"<details><summary>Solution</summary>\n\n{_code(text)}\n\n</details>")
        else:
            parts.append(_code(text))
    first, *others = parts[1:]
    return "\n\n".join([first, parts[0], *others]) + "\n"


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def equations(text: str) -> str:
    """Return Markdown whose LaTeX, between dollar signs, is MathML."""
    text = DISPLAYED.sub(lambda tex: boxed(tex[1]), text)
    return INLINE.sub(lambda tex: convert(tex[1]), text)
