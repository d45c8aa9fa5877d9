"""Errors of an arm file: line, field, and the nearest valid name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ValidationError

MAX_NAMED = 5
"""Faults that one message names."""
HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.\"' -]+?)\s*\]\]?\s*(?:#.*)?")
KEY = re.compile(r"\s*([A-Za-z0-9_-]+|\"[^\"]+\")\s*(?:\.[\w.-]+)?\s*=")
JOINT = re.compile(r"joint (\d+) \(")

Location = tuple[int | str, ...]


def explain(error: ValidationError, text: str, model: type[BaseModel]) -> str:
    """Return the first faults as ``line N: field: what is wrong``.

    Args:
        error: what validation found.
        text: the file.
        model: the model of the whole file, for the names that are valid.
    """
    lines = lines_of(text)
    faults = []
    for fault in error.errors()[:MAX_NAMED]:
        place = ".".join(str(p + 1) if isinstance(p, int) else p for p in fault["loc"])
        message = _message(dict(fault), model)
        faults.append(f"{_line(fault['loc'], lines)}{place or 'file'}: {message}")
    more = error.error_count() - MAX_NAMED
    return "; ".join(faults) + (f"; and {more} more" if more > 0 else "")


def at_joint(message: str, text: str) -> str:
    """Return the message with the line of the joint it begins with, as in ``joint 2 (...)``."""
    match = JOINT.match(message)
    return (
        message if match is None else _line(("joints", int(match[1]) - 1), lines_of(text)) + message
    )


def lines_of(text: str) -> dict[Location, int]:
    """Return the line, from 1, of every table and key of a TOML file by its path."""
    found: dict[Location, int] = {}
    table: Location = ()
    counts: dict[Location, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.fullmatch(line):
            table = _path(header[2].split("."), counts, new=header[1] == "[[")
            found.setdefault(table, number)
        elif key := KEY.match(line):
            found.setdefault((*table, key[1].strip('"')), number)
    return found


def _path(names: list[str], counts: dict[Location, int], *, new: bool) -> Location:
    """Return a header's path with the numbers of array elements; ``[[...]]`` begins a new one."""
    path: Location = ()
    for k, name in enumerate(names):
        path = (*path, name.strip().strip("\"'"))
        if new and k + 1 == len(names):
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _line(location: Location, lines: dict[Location, int]) -> str:
    """Return ``line N: `` of a field, or of the nearest table around it; empty where not found."""
    for end in range(len(location), 0, -1):
        if location[:end] in lines:
            return f"line {lines[location[:end]]}: "
    return ""


def _message(fault: dict[str, Any], model: type[BaseModel]) -> str:
    location = fault["loc"]
    if fault["type"] == "extra_forbidden":
        known = _fields(model, location[:-1])
        return f"unknown field{_nearest(str(location[-1]), known)}"
    if fault["type"] == "missing":
        return "this field is missing"
    if fault["type"] == "literal_error":
        known = [one.strip("'") for one in re.split(", | or ", fault["ctx"]["expected"])]
        return f"got {fault['input']!r}{_nearest(str(fault['input']), known)}"
    return f"{fault['msg'].removeprefix('Value error, ')}, got {fault['input']!r:.60}"


def _nearest(given: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(given, names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"{hint or ';'} valid: {', '.join(names)}"


def _fields(model: type[BaseModel], location: Location) -> list[str]:
    """Return the fields of the table at a location."""
    for part in location:
        if isinstance(part, int) or part not in model.model_fields:
            continue
        inner = _model_in(model.model_fields[part].annotation)
        if inner is None:
            return []
        model = inner
    return list(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the model within ``X``, ``X | None`` or ``list[X]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_model_in(part) for part in getattr(annotation, "__args__", ()))
    return next((found for found in inner if found is not None), None)
