"""Open blocks of a program whose text comes in pieces."""

from __future__ import annotations

import re

LONGEST_KEYWORD = 6
"""Bytes of ``thread``."""
_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_TOKEN = re.compile(
    rb"(?<![\w.])(def|sec|thread|if|while|end)(?!\w)"
    rb"""|"[^"\r\n]*"?|'[^'\r\n]*'?|[#$][^\r\n]*"""
)
"""Words that open and close blocks; strings and comments, in which they do not."""
_REST = {
    b'"': re.compile(rb'["\r\n]'),
    b"'": re.compile(rb"['\r\n]"),
    b"#": re.compile(rb"[\r\n]"),
    b"$": re.compile(rb"[\r\n]"),
}
"""Ends of a string or comment, by its first byte."""


class BlockCounter:
    """Counts the open blocks of a text that comes in pieces; each byte is looked at once.

    Attributes:
        depth: open blocks.
    """

    def __init__(self) -> None:
        self.depth = 0
        self._inside = b""
        self._held, self._seen = b"", 0

    @property
    def depth_at_end(self) -> int:
        """Open blocks if the text ends here; a last word counts only once its end is seen."""
        return self.depth - (self.depth > 0 and self._held[self._seen :] == b"end")

    def scan(self, piece: bytes) -> None:
        """Count the blocks that another piece of text opens and closes."""
        begin = 0
        if self._inside:
            end = _REST[self._inside].search(piece)
            if end is None:
                return
            begin, self._inside = end.end(), b""
        text, begin = self._held + piece, begin + self._seen
        cut = len(text.rstrip(_WORD))  # the last word may go on in the next piece
        for token in _TOKEN.finditer(text, begin, cut):
            if token[1] is not None:
                self.depth = max(0, self.depth + (-1 if token[1] == b"end" else 1))
            elif token.end() == cut and not _is_closed(token[0]):
                self._inside = token[0][:1]
        self._hold(text, cut)

    def _hold(self, text: bytes, cut: int) -> None:
        """Keep the last word, and the byte before it, for the next piece."""
        too_long = cut < self._seen or len(text) - cut > LONGEST_KEYWORD
        if self._inside:
            self._held, self._seen = b"", 0
        elif too_long:  # no keyword, however it goes on
            self._held, self._seen = text[-1:], 1
        else:
            self._seen = min(cut, 1)
            self._held = text[cut - self._seen :]


def _is_closed(string: bytes) -> bool:
    """Return whether a string ends with its quote; a comment never does."""
    return string[:1] in (b'"', b"'") and len(string) > 1 and string[-1:] == string[:1]
