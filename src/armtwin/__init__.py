"""armtwin: digital twins of robot arms that prove themselves against the real arm.

The public names are listed once, as imports, in ``__init__.pyi`` beside this file: type checkers
read them there, and this module imports each of them on first use.
"""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

from armtwin.report import viewing as _viewing

__version__ = "1.0.1"


def _read_public_names() -> dict[str, str]:
    """Return the module of every public name, from the imports of ``__init__.pyi``."""
    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


_PUBLIC = _read_public_names()
__all__ = sorted(_PUBLIC)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that ``import armtwin`` stays fast."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'armtwin' has no attribute {name!r}")
    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted({*globals(), *_PUBLIC})


def _view_result(result: Any, recording: Any, on_progress: Any) -> Any:
    """Return the view of a result; ``Result.view`` calls it, which knows no viewer."""
    module = importlib.import_module("armtwin.viewer.results.result_view")
    return module.result_view(result, recording, on_progress)


_viewing.viewer = _view_result
