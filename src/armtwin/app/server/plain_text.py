"""Text for people: no control characters for terminals, no folders and flags for clients."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import IO, Any

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, and those that reorder text."""
FLAG_NAME = r"[a-z][\w-]*"
FLAG = f"--{FLAG_NAME}"
PACKAGE = Path(__file__).parents[2]


def printable(text: str) -> str:
    """Return a text with every control character replaced by its code."""
    return CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


class PrintableStream:
    """A text stream that prints no control characters; everything else is the wrapped one's."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text."""
        return self._stream.write(printable(text))

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the wrapped stream."""
        return getattr(self._stream, name)


def protect_terminal() -> None:
    """Let nothing that this process reports send control characters to the operator's terminal.

    Messages and tracebacks may hold names that a client chose.
    """
    if not isinstance(sys.stderr, PrintableStream):
        sys.stderr = PrintableStream(sys.stderr)


def without_folders(text: str) -> str:
    """Return a text in which paths of this machine are only file names."""
    import tempfile  # every command of the terminal imports this module

    roots = {str(root) for root in (Path(tempfile.gettempdir()), Path.home(), Path.cwd(), PACKAGE)}
    for root in sorted(roots - {"/"}, key=len, reverse=True):
        text = re.sub(re.escape(root) + r"(?:/[^\s'\":;,()]*)?", _name, text)
    return text


def without_flags(text: str) -> str:
    """Return a text without options of the command line, which a page does not have.

    Library errors name them beside arguments, as in "(force=True, --force)".
    """
    text = re.sub(rf"\s*\(({FLAG}(, )?)+\)", "", text)
    text = re.sub(rf",? (or |use |with )?{FLAG} on the command line", "", text)
    text = re.sub(rf", {FLAG}", "", text)
    return re.sub(rf"(?<![\w-])--({FLAG_NAME})", r"\1", text)


def for_clients(text: str) -> str:
    """Return a text as clients get it: without folders of this machine and without flags."""
    return without_flags(without_folders(text))


def _name(found: re.Match[str]) -> str:
    return found[0].rstrip("/").rsplit("/", 1)[-1]
