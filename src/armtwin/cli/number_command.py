"""Commands whose arguments are numbers: negative ones and lists need no quoting.

The parser takes ``-1.5`` for an option, and gives every option a single value. So the arguments
are put in order first: numbers that follow a list option (``--xyz -0.5 0.2 0.3``) become its one
value, and all other numbers go to the end, behind ``--``.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Any

from typer.core import TyperCommand

from armtwin.errors import InputError

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)

LIST_OPTIONS: dict[str, int | None] = {
    "--xyz": 3, "--rpy": 3, "--quaternion": 4, "--mask": 6, "--seed": None, "--qd": None,
    "--qdd": None, "--tau": None, "--com": 3, "--from": None, "--to": None, "--box": 6,
}  # fmt: skip
"""Options that take several numbers, and how many (None: as many as follow)."""


def is_number(word: str) -> bool:
    """Return whether a word of the command line is a number."""
    return NUMBER.fullmatch(word) is not None


def number_list(text: str, option: str) -> tuple[float, ...]:
    """Return the numbers of a list option's value.

    Raises:
        InputError: a word that is no number, or another count than the option takes.
    """
    values, count = numbers(text.replace(",", " ").split(), option), LIST_OPTIONS[option]
    if not values or (count is not None and len(values) != count):
        raise InputError(f"{option} takes {count or 'joint'} numbers, got {len(values)}")
    return values


def numbers(words: list[str], name: str) -> tuple[float, ...]:
    """Return words of the command line as numbers."""
    for word in words:
        if not is_number(word):
            raise InputError(f"{name}: {word!r} is not a number")
    return tuple(map(float, words))


class NumberCommand(TyperCommand):
    """A command that reads its arguments in the order above, and shows its options in groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then options under the headings of their groups."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
        plain: list[tuple[str, str]] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            heading = getattr(parameter, "rich_help_panel", None)
            if parameter.param_type_name == "argument":
                heading = "Arguments"
            if record is not None:
                (sections.setdefault(heading, []) if heading else plain).append(record)
        sections["Other options" if len(sections) > 1 else "Options"] = plain
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the arguments in order, then parse them as usual."""
        valued = {
            name
            for option in self.params
            if option.param_type_name == "option" and not getattr(option, "is_flag", False)
            for name in option.opts
        }
        return super().parse_args(ctx, in_order(args, valued))


def in_order(args: list[str], valued: set[str]) -> list[str]:
    """Return the arguments with list options joined and free numbers behind ``--``.

    Args:
        args: words of the command line, after the verb.
        valued: names of the options that take a value.
    """
    rest, kept, free = deque(args), list[str](), list[str]()
    while rest:
        word = rest.popleft()
        if word == "--":
            free.extend(rest)
            break
        if word in LIST_OPTIONS and word in valued:
            kept += [word, " ".join(_take(rest, LIST_OPTIONS[word]))]
        elif word in valued:
            kept += [word, rest.popleft()] if rest else [word]
        else:
            (free if is_number(word) else kept).append(word)
    return [*kept, "--", *free] if free else kept


def _take(rest: deque[str], count: int | None) -> list[str]:
    taken: list[str] = []
    while rest and is_number(rest[0]) and (count is None or len(taken) < count):
        taken.append(rest.popleft())
    if not taken and rest and not rest[0].startswith("--"):
        taken.append(rest.popleft())
    return taken
