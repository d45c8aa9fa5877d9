"""Options of a verb: one frozen dataclass, its fields as keywords, or both."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from typing import Any, TypeVar

from armtwin.errors import InputError

Options = TypeVar("Options")


def choose_options(
    kind: type[Options], options: Options | None, choices: Mapping[str, Any]
) -> Options:
    """Return the options of a call, with the fields that were given as keywords.

    Args:
        kind: the dataclass of the verb's options.
        options: the object that was given; None: the defaults.
        choices: keywords of the call, which replace fields of ``options``.

    Raises:
        InputError: an object of another type, or a keyword that is no field.
    """
    if options is not None and not isinstance(options, kind):
        raise InputError(
            f"options is of type {type(options).__name__}, expected {kind.__name__}; "
            "or give its fields as keywords"
        )
    known = [field.name for field in dataclasses.fields(kind) if field.init]  # type: ignore[arg-type]
    for name in choices:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}? " if near else ""
            raise InputError(
                f"{name!r} is no option here; {hint}{kind.__name__} has {', '.join(known)}"
            )
    return dataclasses.replace(kind() if options is None else options, **choices)  # type: ignore[type-var]
