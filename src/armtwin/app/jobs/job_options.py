"""Options objects of the library as JSON: fields, defaults and checks are those of Python.

A client gives numbers, texts and lists. What only Python can hold has a JSON form here (a limit is
a number or a list, a regeneration rule its name) or is left out of the API, as file names are.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeGuard

from numpy.typing import ArrayLike
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    create_model,
)
from pydantic_core import CoreSchema, core_schema

from armtwin.dynamics.regeneration import Regeneration

CHECKED = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)
MAX_JOINTS, MAX_ITEMS, MAX_TEXT = 64, 100, 1000
"""Lengths of a list with a number per joint, of other lists, and of a text."""
ONLY_PYTHON = (Regeneration, Path)
"""Alternatives to a text that clients do not have: a rule has a name, a file an upload's id."""
NUMBERS = float | Annotated[tuple[float, ...], Field(min_length=1, max_length=MAX_JOINTS)]
TEXT = Annotated[str, Field(max_length=MAX_TEXT)]


class ClientOptions:
    """Annotation of a job's field that holds an options object of the library.

    The field is read from JSON by a model made of the object's fields, then the object itself is
    built, which checks the values as in Python.

    Attributes:
        kind: class of the options object.
        fields: names of the fields that clients can set.
    """

    def __init__(self, kind: type, *, leave_out: Iterable[str] = ()) -> None:
        self.kind = kind
        self.form = json_form(kind, tuple(leave_out))
        self.fields = tuple(self.form.model_fields)

    def read(self, value: Any) -> Any:
        """Return the options object of a client's JSON data, or one that was made in Python."""
        if isinstance(value, self.kind):
            return value
        return _built(self.kind, self.form.model_validate_json(json.dumps(value)))

    def write(self, options: Any) -> dict[str, Any]:
        """Return the fields that clients can set as JSON data."""
        return {name: _plain(getattr(options, name)) for name in self.fields}

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return how pydantic reads and writes the field."""
        return core_schema.no_info_before_validator_function(
            self.read,
            core_schema.is_instance_schema(self.kind),
            json_schema_input_schema=handler.generate_schema(self.form),
            serialization=core_schema.plain_serializer_function_ser_schema(self.write),
        )


@functools.cache
def json_form(kind: type, leave_out: tuple[str, ...] = ()) -> type[BaseModel]:
    """Return a model with the fields of a dataclass that JSON can hold.

    Args:
        kind: the dataclass.
        leave_out: fields that clients cannot set.
    """
    hints, fields = typing.get_type_hints(kind), {}
    for field in dataclasses.fields(kind):
        if field.name not in leave_out:
            default = ... if field.default is dataclasses.MISSING else field.default
            fields[field.name] = (_json_type(hints[field.name]), _default(default))
    made: type[BaseModel] = create_model(  # type: ignore[call-overload]
        kind.__name__, __config__=CHECKED, __doc__=kind.__doc__, **fields
    )
    return made


def _json_type(hint: Any) -> Any:
    """Return the type that JSON has for a type of Python."""
    if hint == ArrayLike:
        return NUMBERS
    if hint is str:
        return TEXT
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if set(typing.get_args(ArrayLike)) <= set(parts):
            return NUMBERS | None
        kept = [_json_type(part) for part in parts if part not in ONLY_PYTHON]
        return functools.reduce(lambda one, other: one | other, kept)
    if origin is tuple:
        if parts[-1] is not Ellipsis:
            return tuple[tuple(map(_json_type, parts))]  # type: ignore[misc]
        return Annotated[tuple[_json_type(parts[0]), ...], Field(max_length=MAX_ITEMS)]  # type: ignore[misc]
    return json_form(hint) if _is_dataclass(hint) else hint


def _default(value: Any) -> Any:
    """Return a default as its JSON form: a dataclass as a model."""
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    return json_form(type(value)).model_validate_json(json.dumps(_plain(value)))


def _plain(value: Any) -> Any:
    """Return a value of an options object as JSON data."""
    if isinstance(value, Regeneration):
        return value.name
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return value.tolist() if hasattr(value, "tolist") else value


def _built(kind: type, form: BaseModel) -> Any:
    """Return the dataclass of a model, with the classes of the fields within it."""
    hints = typing.get_type_hints(kind)
    given = form.model_fields_set
    return kind(**{name: _value(hints[name], getattr(form, name)) for name in given})


def _value(hint: Any, value: Any) -> Any:
    if isinstance(value, BaseModel):
        return _built(_class_of(hint, type(value)), value)
    if isinstance(value, tuple):
        inner = next((p for p in _parts(hint) if typing.get_origin(p) is tuple), hint)
        first = (typing.get_args(inner) or (Any,))[0]
        return tuple(_value(first, one) for one in value)
    return value


def _class_of(hint: Any, form: type[BaseModel]) -> type:
    """Return the dataclass among the alternatives of a type that a model was made of."""
    return next(p for p in _parts(hint) if _is_dataclass(p) and json_form(p) is form)


def _is_dataclass(hint: Any) -> TypeGuard[type]:
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)


def _parts(hint: Any) -> tuple[Any, ...]:
    """Return the alternatives of ``A | B``, or the type itself."""
    union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if union else (hint,)
