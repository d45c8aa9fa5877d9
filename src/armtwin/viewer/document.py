"""One HTML file: front end, arm, recording and kernels, which needs no network.

The page's policy allows its own script and style sheet by their hashes, WebAssembly, and nothing
else: no request, no further script, no form.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from typing import Any

from armtwin.errors import InputError
from armtwin.viewer.bundle import bundle_folder

LARGEST = 1_500_000
"""Bytes of a page without meshes; meshes have at most 1 MB (``meshes.MOST_BYTES``)."""
FRONT_END = 960_000
"""Bytes of a page without content: script, style sheet and markup."""
MOST_CONTENT = LARGEST - FRONT_END
"""Bytes of a page's content without meshes."""
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="{generator}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="armtwin"></div>
<noscript>This page computes and draws with JavaScript, which is switched off here.</noscript>
<script type="application/json" id="armtwin-data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def content_bytes(content: dict[str, Any]) -> int:
    """Return the size of a page's content in the file, without its meshes."""
    return len(json_text(content | {"meshes": None}))


def document(title: str, content: dict[str, Any], generator: str) -> bytes:
    """Return the HTML file.

    Args:
        title: of the page; any text.
        content: plain data for ``web/src/file``.
        generator: name and version of what wrote it.

    Raises:
        NotBuiltError: the front end is not built.
        InputError: the content without meshes is too large.
    """
    size = content_bytes(content)
    if size > MOST_CONTENT:
        raise InputError(
            f"the page's content has {size / 1e6:.2f} MB without meshes, at most "
            f"{MOST_CONTENT / 1e6:.2f} MB fit into a page; write the report instead"
        )
    folder = bundle_folder("file")
    script = _closed((folder / "viewer.js").read_text(encoding="utf-8").strip("\n"), "script")
    style = _closed((folder / "viewer.css").read_text(encoding="utf-8").strip("\n"), "style")
    text = _PAGE.format(
        policy=_policy(script, style),
        generator=html.escape(generator),
        title=html.escape(title),
        style=style,
        data=json_text(content),
        script=script,
    )
    return text.encode("utf-8")


def json_text(content: dict[str, Any]) -> str:
    """Return JSON that cannot end the script element it stands in, whatever names it holds."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _policy(script: str, style: str) -> str:
    """Return the content security policy of the page."""
    return (
        f"default-src 'none'; script-src {_hash(script)} 'wasm-unsafe-eval'; "
        f"style-src {_hash(style)}; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _closed(text: str, element: str) -> str:
    """Return our own built code; its strings may not hold the end of the element."""
    return text.replace(f"</{element}", f"<\\/{element}")
