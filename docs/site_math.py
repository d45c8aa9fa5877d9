"""Equations of docstrings and pages become MathML, which browsers draw themselves.

``Equations`` is the Griffe extension for docstrings; pages have LaTeX between lines of ``$$``.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any

from griffe import Extension, Object
from latex2mathml.converter import convert

BLOCK = re.compile(
    r"^(?P<indent> *)\.\. math::(?P<tex>.*(?:\n(?P=indent) +\S.*|\n *(?=\n(?P=indent)   +\S))*)",
    re.MULTILINE,
)
DISPLAYED = re.compile(r"^\$\$\n(?P<tex>.+?)\n\$\$$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r":math:`(?P<tex>[^`]+)`")


class Equations(Extension):
    """Rewrites the docstrings of all objects that are documented."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Replace the equations of one docstring."""
        if obj.docstring is not None:
            text = BLOCK.sub(_block, obj.docstring.value)
            obj.docstring.value = INLINE.sub(lambda role: convert(role["tex"]), text)


def _block(block: re.Match[str]) -> str:
    tex = " ".join(textwrap.dedent(block["tex"]).split())
    return f"{block['indent']}{boxed(tex)}"


def displayed(text: str) -> str:
    """Return a page whose equations, LaTeX between two lines of ``$$``, are MathML."""
    return DISPLAYED.sub(lambda found: boxed(found["tex"]), text)


def boxed(tex: str) -> str:
    """Return a displayed equation in a box of its own, which scrolls where it is too wide."""
    return f'<div class="equation">{convert(" ".join(tex.split()), display="block")}</div>'
