"""What the app reports: no control characters in terminals, no folders in answers."""

import io
import sys
import tempfile
from pathlib import Path

import pytest

from armtwin.app.server.plain_text import (
    PrintableStream,
    printable,
    protect_terminal,
    without_folders,
)
from armtwin.app.server.responses import status_of
from armtwin.errors import BusyError, QueueFullError


@pytest.mark.parametrize("evil", ["\x1b]0;title\x07", "\x1b[2J", "\r", "\x9b31m", "\u202e", "\x00"])
def test_control_characters_are_printed_as_codes(evil):
    """Nothing but printable text, tabs and line ends is written when a name holds escapes."""
    out = io.StringIO()
    PrintableStream(out).write(f"a{evil}b\tc\n")
    assert out.getvalue().replace("\t", "").replace("\n", "").isprintable()
    assert out.getvalue().startswith("a\\x") and out.getvalue().endswith("b\tc\n")


def test_ordinary_text_is_unchanged():
    """Letters of any language stay as they are when they are printed."""
    assert printable("Größe 5 µm, 関節 1\n") == "Größe 5 µm, 関節 1\n"


def test_stderr_is_protected_once(monkeypatch):
    """The process's error stream is wrapped once when the terminal is protected twice."""
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    protect_terminal()
    first = sys.stderr
    protect_terminal()
    assert sys.stderr is first and isinstance(first, PrintableStream)


def test_folders_are_cut_from_messages():
    """Only the file's name is left when a message holds a path of this machine."""
    path = Path(tempfile.gettempdir()) / "armtwin-jobs-x1" / "ab12" / "run.csv"
    assert without_folders(f"{path}: no column time") == "run.csv: no column time"
    assert without_folders(f"cannot read '{path}'") == "cannot read 'run.csv'"
    assert (
        without_folders("see /api/openapi.json; /dev/ttyACM0")
        == "see /api/openapi.json; /dev/ttyACM0"
    )


def test_full_queue_is_429():
    """Too many waiting jobs are the client's matter, a restart is the app's, when refused."""
    assert (status_of(QueueFullError("full")), status_of(BusyError("away"))) == (429, 503)
