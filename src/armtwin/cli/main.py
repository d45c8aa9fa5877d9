"""The ``armtwin`` command: finds the verb, runs it, and turns errors into exit codes.

Exit codes: 0 success, 1 a check did not pass, 2 bad input, 70 a fault of armtwin itself,
130 interrupted.
"""

from __future__ import annotations

import difflib
import importlib
import os
import sys
import textwrap
import traceback
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Annotated

import typer

from armtwin import __version__
from armtwin.app.server.plain_text import printable
from armtwin.cli.argument_groups import with_chain
from armtwin.cli.number_command import NumberCommand
from armtwin.errors import ArmTwinError, InputError
from armtwin.extras import extra_of, message

VERBS = {
    "arms": "model",
    "show": "model",
    "fk": "model",
    "ik": "model",
    "dynamics": "model",
    "reach": "model",
    "prepare": "prove",
    "validate": "prove",
    "view": "prove",
    "calibrate": "prove",
    "compensate": "prove",
    "uncertainty": "prove",
    "identify": "prove",
    "simulate": "simulation",
    "detect": "simulation",
    "excite": "simulation",
    "energy": "simulation",
    "optimize": "simulation",
    "study": "prove",
    "export": "model",
    "new": "model",
    "schema": "model",
    "fmu": "fmu",
    "history": "history",
    "record": "live",
    "mirror": "live",
    "robot": "live",
    "replay": "live",
    "servo": "live",
    "app": "live",
    "reproduce": "prove",
    "demo": "setup",
    "doctor": "setup",
}
"""Every verb and the folder of ``cli/verbs`` that holds its module."""

EXAMPLES = """
armtwin demo
armtwin fk ur10e 0 -90 90 0 90 0 --deg
armtwin fk --help
"""

SUCCESS, BAD_INPUT, FAULT, INTERRUPTED, BROKEN_PIPE = 0, 2, 70, 130, 141
"""Exit codes: 2 as typer's for bad usage, 70 as EX_SOFTWARE of sysexits.h, 130 and 141 as a shell's
for SIGINT and SIGPIPE (128 + signal)."""


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(run(sys.argv[1:]))


def run(argv: list[str]) -> int:
    """Run the command line ``argv`` and return its exit code."""
    debug = "--debug" in argv or os.environ.get("ARMTWIN_DEBUG") == "1"
    words = [word for word in argv if word != "--debug"]
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = _once()
        try:
            code = application(words)(words or ["--help"], "armtwin", standalone_mode=False)
            sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return BROKEN_PIPE
        except SystemExit as stop:  # how typer answers a closed pipe
            return BROKEN_PIPE if isinstance(stop.__context__, BrokenPipeError) else FAULT
        except (KeyboardInterrupt, typer.Abort):
            return INTERRUPTED
        except Exception as error:  # noqa: BLE001 - the outermost place: nothing may get past
            return _failure(error, debug)
    return code or SUCCESS


def application(words: list[str]) -> typer.Typer:
    """Return the application with the requested verb, or with all of them."""
    app = typer.Typer(rich_markup_mode=None, name="armtwin")
    app.callback(epilog=_examples(EXAMPLES))(_about)
    requested = next((word for word in words if not word.startswith("-")), None)
    if requested is not None and requested not in VERBS:
        raise InputError(_no_verb(requested))
    for verb in [requested] if requested else VERBS:
        module = importlib.import_module(f"armtwin.cli.verbs.{VERBS[verb]}.{verb}")
        if hasattr(module, "VERBS"):
            app.add_typer(_group(verb, module, words), name=verb)
            continue
        add = app.command(verb, cls=NumberCommand, epilog=_examples(module.EXAMPLES))
        add(with_chain(module.command))
    return app


def _group(name: str, module: ModuleType, words: list[str]) -> typer.Typer:
    """Return a verb group with all of ``module.VERBS``, or with the requested one."""
    group = typer.Typer(add_completion=False, rich_markup_mode=None, no_args_is_help=True)
    group.callback(epilog=_examples(module.EXAMPLES), help=module.__doc__)(lambda: None)
    requested = [word for word in words if not word.startswith("-")][1:2]
    for verb in requested if requested and requested[0] in module.VERBS else module.VERBS:
        part = importlib.import_module(f"armtwin.cli.verbs.{name}.{name}_{verb}")
        add = group.command(verb, cls=NumberCommand, epilog=_examples(part.EXAMPLES))
        add(with_chain(part.command))
    return group


def _no_verb(word: str) -> str:
    """Return the message about a verb that does not exist."""
    near = difflib.get_close_matches(word, VERBS, n=3)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return f"no command {word!r}; {hint}there are {', '.join(VERBS)}; see armtwin --help"


def _examples(lines: str) -> str:
    """Return a help page's examples; the leading backspace keeps their lines apart."""
    return "\b\nExamples:\n" + textwrap.indent(textwrap.dedent(lines).strip(), "  ")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"armtwin {__version__}")
        raise typer.Exit


def _about(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error (or ARMTWIN_DEBUG=1).")
    ] = False,
) -> None:
    """Digital twins of robot arms, checked against recordings of the real arm."""


def _failure(error: Exception, debug: bool) -> int:
    """Report an error on one line and return the exit code that fits it."""
    if debug:
        traceback.print_exception(error)
    if isinstance(error, typer.TyperException):
        _report("error", error.format_message())
    elif isinstance(error, ArmTwinError):
        _report("error", error)
    elif isinstance(error, ModuleNotFoundError) and extra_of(error.name or ""):
        _report("error", message("this command", [error.name or ""]))
    elif isinstance(error, OSError):
        _report("error", f"{error.filename or 'file'}: {error.strerror or error}")
    else:
        hint = "a fault of armtwin; run again with --debug and report what it shows"
        _report("error", f"{type(error).__name__}: {error} ({hint})")
        return FAULT
    return BAD_INPUT


def _once() -> Callable[..., None]:
    """Return a function that prints each warning once."""
    shown: set[str] = set()

    def show(message: Warning | str, *_: object) -> None:
        if str(message) not in shown:
            shown.add(str(message))
            _report("warning", message)

    return show


def _report(kind: str, message: object) -> None:
    sys.stderr.write(f"{kind}: {printable(' '.join(str(message).split()))}\n")
