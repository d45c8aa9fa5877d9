"""Options of a command in groups: a parameter that is a dataclass stands for all of its fields.

Also the options that every command with an arm takes: ``--tip`` and ``--base``.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from typing import Annotated, Any, get_args, get_type_hints

from armtwin.cli.options import ArmName, Base, Tip


def with_chain(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose argument ``arm`` comes with the options ``--tip`` and ``--base``.

    With either of them the command gets the loaded arm in place of its file's name, so it must
    read the argument with ``as_arm``. A command without an ``ArmName`` is returned as it is.
    """
    signature = inspect.signature(command)
    hints = get_type_hints(command, include_extras=True)
    if hints.get("arm") != ArmName:
        return command

    @functools.wraps(command)
    def chosen(*, tip: str | None = None, base: str | None = None, **given: Any) -> None:
        if tip is not None or base is not None:
            from armtwin.model.catalogue.catalogue import load

            given["arm"] = load(given["arm"], tip=tip, base=base)
        command(**given)

    own = [one.replace(annotation=hints[one.name]) for one in signature.parameters.values()]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    added = [
        inspect.Parameter(name, kind, default=None, annotation=hint)
        for name, hint in (("tip", Tip), ("base", Base))
    ]
    chosen.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    chosen.__annotations__ = {one.name: one.annotation for one in (*own, *added)}
    return chosen


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose dataclass parameters are spread into one option per field.

    Field names are option names and must differ between the groups of a command. The command
    itself gets the dataclasses, made of the options. The first line of a dataclass's docstring is
    the heading of its options in the help.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if not is_dataclass(hint):
            parameters.append(parameter.replace(annotation=hint))
            continue
        parameters += _options(hint)  # type: ignore[arg-type]  # a class, not an instance

    @functools.wraps(command)
    def flat(**given: Any) -> None:
        command(**_collected(hints, given))

    flat.__signature__ = inspect.Signature(_defaults_last(parameters))  # type: ignore[attr-defined]
    flat.__annotations__ = {one.name: one.annotation for one in parameters}
    return flat


def _options(group: type) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    return [
        inspect.Parameter(
            field.name,
            kind,
            default=empty if field.default is MISSING else field.default,
            annotation=_under_heading(hints[field.name], _heading(group)),
        )
        for field in fields(group)
    ]


def _heading(group: type) -> str:
    return (inspect.getdoc(group) or "Options").splitlines()[0].rstrip(".")


def _under_heading(hint: Any, heading: str) -> Any:
    """Return an option's annotation with the heading of its group in the help."""
    kind, *infos = get_args(hint)
    shown = [copy.copy(info) for info in infos]
    for info in shown:
        info.rich_help_panel = heading
    return Annotated[kind, *shown]


def _defaults_last(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    return sorted(parameters, key=lambda one: one.default is not inspect.Parameter.empty)


def _collected(hints: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return a command's own arguments, its groups made of the options."""
    found = {}
    for name, hint in hints.items():
        if is_dataclass(hint):
            group: Any = hint
            found[name] = group(**{field.name: given[field.name] for field in fields(group)})
        elif name in given:
            found[name] = given[name]
    return found
