"""Parameters of verbs: names, types and defaults, read from options objects and functions.

A parameter of a study file has the dotted name of a field: ``validate.fit_tool`` is the field
``fit_tool`` of ``ValidateOptions``, ``optimize.limits.speed`` the field ``speed`` of the
``MotionLimits`` in ``OptimizeOptions.limits``.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armtwin.errors import InputError

REQUIRED = inspect.Parameter.empty
"""Default of a parameter that has none."""
SCALARS: dict[Any, tuple[type, ...]] = {
    bool: (bool,),
    int: (int,),
    float: (int, float),
    str: (str,),
    Path: (str,),
    type(None): (),
}
"""Values that a study file may hold for a field of each plain type."""


@dataclass(frozen=True)
class StudyParameter:
    """A parameter that a study file can set.

    Attributes:
        name: dotted, beginning with the verb.
        default: ``REQUIRED`` where there is none.
        hint: its type.
    """

    name: str
    default: Any
    hint: Any = Any

    @property
    def is_file(self) -> bool:
        """Whether a text may name a file."""
        return Path in alternatives(self.hint)

    def __str__(self) -> str:
        """Return the name with the default."""
        return self.name if self.default is REQUIRED else f"{self.name} = {self.default!r}"

    def check(self, value: Any) -> None:
        """Raise InputError for a value of another type than a plain parameter's."""
        kinds = [SCALARS.get(one) for one in alternatives(self.hint)]
        if any(kind is None for kind in kinds):
            return
        allowed = tuple({one for kind in kinds for one in kind or ()})
        wrong_bool = isinstance(value, bool) and bool not in allowed
        if wrong_bool or not isinstance(value, allowed):
            names = " or ".join(sorted(kind.__name__ for kind in allowed))
            raise InputError(f"parameter {self} is {value!r}; it must be {names}")


def alternatives(hint: Any) -> tuple[Any, ...]:
    """Return the types of ``A | B | None``, or the type itself."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(one for part in typing.get_args(hint) for one in alternatives(part))
    return (hint,)


def of_dataclass(
    prefix: str, kind: type, *, leave_out: Iterable[str] = (), required: bool = False
) -> Iterator[StudyParameter]:
    """Yield the fields of an options object, those of options objects within it included.

    Args:
        prefix: the beginning of the names.
        kind: the dataclass.
        leave_out: fields that a study file cannot set.
        required: whether fields without a default are required; else their default is None.
    """
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        name = f"{prefix}.{field.name}"
        if field.name in leave_out:
            continue
        if inner := _options_in(hints[field.name]):
            yield from of_dataclass(name, inner)
            continue
        default = field.default
        if default is dataclasses.MISSING:
            default = REQUIRED if required else None
        yield StudyParameter(name, default, hints[field.name])


def of_function(
    prefix: str, function: Callable[..., Any], *, leave_out: Iterable[str] = ()
) -> Iterator[StudyParameter]:
    """Yield the keyword parameters of a function but options, progress and further keywords.

    Args:
        prefix: the beginning of the names.
        function: the library function of a verb.
        leave_out: parameters that a study file cannot set.
    """
    hints, skipped = typing.get_type_hints(function), {"options", "on_progress", *leave_out}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and name not in skipped:
            yield StudyParameter(f"{prefix}.{name}", parameter.default, hints[name])


def build(kind: type, given: Mapping[str, Any]) -> Any:
    """Return an options object from nested values.

    Args:
        kind: its class.
        given: values by name of the field; a mapping for an options object within it.
    """
    hints = typing.get_type_hints(kind)
    values = {}
    for name, value in given.items():
        inner = _options_in(hints[name])
        values[name] = (
            build(inner, value) if inner and isinstance(value, Mapping) else frozen(value)
        )
    return kind(**values)


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with dotted names as nested dictionaries."""
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *parents, last = name.split(".")
        place = tree
        for part in parents:
            place = place.setdefault(part, {})
        place[last] = value
    return tree


def frozen(value: Any) -> Any:
    """Return lists as tuples, also within each other."""
    return tuple(frozen(one) for one in value) if isinstance(value, list) else value


def refuse_unknown(names: Iterable[str], known: Mapping[str, StudyParameter], where: str) -> None:
    """Raise InputError for names that are no parameters; it lists those that are, with defaults.

    Args:
        names: as the study file has them.
        known: the parameters of the study's verb.
        where: the study file, for the message.
    """
    for name in names:
        if name in known:
            continue
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(f"{where}: unknown parameter {name!r}{hint or ';'} {listed(name, known)}")


def listed(name: str, known: Mapping[str, StudyParameter]) -> str:
    """Return the parameters of a name's group with their defaults, and the names of the others."""
    group = name.split(".")[0]
    near = [str(known[one]) for one in known if one.split(".")[0] == group]
    others = [one for one in known if one.split(".")[0] != group]
    if not near:
        return f"known: {', '.join(str(one) for one in known.values())}"
    rest = f"; also {', '.join(sorted({one.split('.')[0] for one in others}))}" if others else ""
    return f"known: {', '.join(near)}{rest}"


def _options_in(hint: Any) -> type | None:
    """Return the dataclass within ``X`` or ``X | None``."""
    return next((one for one in alternatives(hint) if dataclasses.is_dataclass(one)), None)  # type: ignore[return-value]
