"""Griffe extension: equations of docstrings become MathML, which browsers draw themselves."""

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
    return f"{block['indent']}{convert(tex, display='block')}"
