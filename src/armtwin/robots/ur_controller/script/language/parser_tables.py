"""Tables of the parser, kept in the cache folder: to compute them takes 0.1 s at every start."""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import sys
from pathlib import Path
from typing import Any

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from armtwin.files import cache_folder, replace_file

Tables = tuple[dict[str, Any], dict[int, Any]]
"""Lark's own description of a parser: plain values, and the values that these refer to."""
DIGEST = 32
"""Bytes before the tables in their file: a damaged file is computed anew, not loaded."""


def parser_of(grammar: str, transformer: object) -> Lark:
    """Return the parser of a grammar, from kept tables if there are any.

    Args:
        grammar: in Lark's notation.
        transformer: makes the nodes while the parser runs.
    """
    path = _path(grammar)
    tables = _kept(path)
    if tables is None:
        tables = _computed(grammar)
        data = marshal.dumps(tables)
        with contextlib.suppress(OSError):
            replace_file(path, _digest(data) + data)
    return Lark._load_from_dict(*tables, transformer=transformer)  # type: ignore[no-untyped-call]


def _path(grammar: str) -> Path:
    """Return where the tables are kept: named after all that they depend on."""
    parts = (grammar, lark.__version__, sys.implementation.cache_tag, str(marshal.version))
    name = hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()[:16]
    return cache_folder() / f"urscript-{name}.tables"


def _kept(path: Path) -> Tables | None:
    """Return kept tables; None if there are none, or if the file is damaged."""
    try:
        file = path.read_bytes()
    except OSError:
        return None
    digest, data = file[:DIGEST], file[DIGEST:]
    return marshal.loads(data) if digest == _digest(data) else None


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _computed(grammar: str) -> Tables:
    parser = Lark(grammar, parser="lalr", lexer="basic", maybe_placeholders=True)
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    return data, memo
