"""What the app reports: no control characters in terminals, no folders in answers."""

import io
import logging
import sys
import tempfile
from collections import deque
from pathlib import Path
from types import SimpleNamespace

import pytest

from armtwin.app.control.ownership import requester
from armtwin.app.server.plain_text import (
    PrintableStream,
    printable,
    protect_terminal,
    without_folders,
)
from armtwin.app.server.responses import status_of
from armtwin.cli import main, progress_display
from armtwin.cli.output import say, say_page
from armtwin.cli.verbs.live.robot import _print_log
from armtwin.errors import BusyError, InputError, QueueFullError
from armtwin.motion.programs.program import Position
from armtwin.motion.programs.program_folder import file_name
from armtwin.report.page import Page

EVIL = "\x1b]0;title\x07\x1b[2J\u202e"


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


def test_commands_print_no_control_characters(capsys):
    """Names in files and texts of a robot's clients are codes when a command prints them."""
    say(f"{EVIL} (simulated)")
    say_page(Page(title=EVIL))
    message = SimpleNamespace(message=EVIL)
    robot = SimpleNamespace(host="127.0.0.2", controller=SimpleNamespace(log=deque([message])))
    _print_log(SimpleNamespace(robots=[robot]))
    main._failure(InputError(f"no column {EVIL}"), debug=False)
    main._once()(f"column {EVIL}")
    progress_display._show(EVIL)
    found = capsys.readouterr()
    for text in (found.out, found.err):
        assert text.count("title") == 3
        assert text.replace("\n", "").isprintable()


def test_log_lines_have_no_control_characters():
    """A name in a log line is printed as codes when the process's stream is protected."""
    out = io.StringIO()
    logger = logging.Logger("app")
    logger.addHandler(logging.StreamHandler(PrintableStream(out)))
    logger.error("GET /%s", EVIL)
    assert "title" in out.getvalue() and out.getvalue().replace("\n", "").isprintable()


def test_names_have_no_control_characters():
    """Uploads, programs, positions and clients have printable names when these hold escapes."""
    names = (file_name(f"a{EVIL}"), Position(name=f"a{EVIL}", q=(0.0,)).name)
    for name in (*names, requester("12345678", "a%1B%5B2J%E2%80%AEb").name):
        assert name.isprintable() and name.startswith("a")
