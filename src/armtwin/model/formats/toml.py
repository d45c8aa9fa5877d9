"""Arm files in TOML, read and written; errors name the line."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
import warnings
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from armtwin.errors import ArmFileError, ArmTwinError, ModelWarning
from armtwin.files import parse_toml
from armtwin.model import arm as arms
from armtwin.model.arm import IDENTITY, Arm, Drive, Joint, Matrix
from armtwin.model.checks import check_arm
from armtwin.model.error_curve import ErrorCurve
from armtwin.model.formats.arm_file.faults import at_joint, explain
from armtwin.model.formats.meshes.asset_names import AssetNames
from armtwin.model.formats.meshes.toml_shapes import shape_fields
from armtwin.model.formats.toml_schema import ArmTable
from armtwin.model.formats.tree.link_shapes import missing_note
from armtwin.model.geometry import Mesh

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
INERTIA = ("xx", "yy", "zz", "xy", "xz", "yz")
GEOMETRY = ("a", "alpha", "d", "theta")


def write_toml(arm: Arm, names: AssetNames | None = None) -> str:
    """Return the arm as the text of an arm file, sources included; angles in radians.

    Args:
        arm: the arm.
        names: collects mesh files that are to be copied; None to refer to them where they are.
    """
    lines = [_pair("name", arm.name)]
    if arm.title:
        lines.append(_pair("title", arm.title))
    lines += [_pair("convention", arm.convention), _pair("gravity", arm.gravity)]
    if arm.link_names:
        lines.append(_pair("link_names", arm.link_names))
    if arm.sources:
        lines += ["", "[sources]", *[_pair(key, text) for key, text in arm.sources]]
    for name in ("base", "tool", "home"):
        lines += _frame(name, getattr(arm, name))
    for joint in arm.joints:
        lines += _joint(joint, arm.convention == "screws")
    for shape in arm.shapes:
        fields = shape_fields(shape, names).items()
        lines += ["", "[[shapes]]", *[_pair(key, value) for key, value in fields]]
    return "\n".join(lines) + "\n"


def _joint(joint: Joint, screws: bool) -> list[str]:
    lines = ["", "[[joints]]", _pair("name", joint.name), _pair("kind", joint.kind)]
    if screws:
        lines.append(_pair("screw", joint.screw))
    for name in GEOMETRY:
        if not screws or getattr(joint, name):
            lines.append(_pair(name, getattr(joint, name)))
    if joint.offset:
        lines.append(_pair("offset", joint.offset))
    if joint.direction != 1:
        lines.append(f"direction = {joint.direction}")
    if joint.compliance:
        lines.append(_pair("compliance", joint.compliance))
    if joint.error_curve is not None:
        lines += _curve(joint.error_curve)
    lines += _table("joints.limits", dataclasses.asdict(joint.limits))
    link = dataclasses.asdict(joint.link)
    inertia = link.pop("inertia")
    lines += _table("joints.link", link)
    if inertia is not None:
        lines += _table("joints.link.inertia", dict(zip(INERTIA, inertia, strict=True)))
    if joint.mimic is not None:
        lines += _table("joints.mimic", dataclasses.asdict(joint.mimic))
    return lines + ([] if joint.drive is None else _drive(joint.drive))


def _curve(curve: ErrorCurve) -> list[str]:
    values = dataclasses.asdict(curve)
    return _table("joints.error_curve", {key: value or None for key, value in values.items()})


def _drive(drive: Drive) -> list[str]:
    values = dataclasses.asdict(drive)
    values.pop("friction")
    lines = _table("joints.drive", values)
    friction = drive.friction
    if friction is not None:
        named = {"model": friction.model, "side": friction.side, **dict(friction.parameters)}
        lines += _table("joints.drive.friction", named)
    return lines


def _table(name: str, values: dict[str, Any]) -> list[str]:
    """Return a table without the values that are not known; nothing where none is."""
    known = [_pair(key, value) for key, value in values.items() if value is not None]
    return [f"[{name}]", *known] if known else []


def _frame(name: str, matrix: Matrix) -> list[str]:
    if matrix == IDENTITY:
        return []
    return ["", f"[{name}]", "matrix = [", *[f"  {_value(row)}," for row in matrix], "]"]


def _pair(key: str, value: Any) -> str:
    return f"{key if BARE_KEY.fullmatch(key) else _value(key)} = {_value(value)}"


def _value(value: Any) -> str:
    """Return text as a TOML string, a sequence as an array, a number to the last bit."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple | list):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, int):
        return repr(value)
    return repr(float(value))


def read_toml(path: Path, *, confined: bool = False) -> arms.Arm:
    """Read an arm from a TOML file.

    Args:
        path: the file.
        confined: for files of unknown origin: accept only meshes beside the file and in installed
            packages.

    Raises:
        ArmFileError: with the file, the line where TOML says it, and the field.

    Warns:
        ModelWarning: mesh files that are not found.
    """
    try:
        text = path.read_text(encoding="utf-8")
        table = parse_toml(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ArmFileError(f"{path}: not valid TOML: {error}") from error
    except OSError as error:
        raise ArmFileError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        fields = ArmTable.model_validate(table)
        shapes = tuple(shape.value(path, confined=confined) for shape in fields.shapes)
        arm = fields.value().with_(shapes=shapes)
        check_arm(arm)
    except ValidationError as error:
        raise ArmFileError(f"{path}: {explain(error, text, ArmTable)}") from error
    except ArmTwinError as error:
        raise ArmFileError(f"{path}: {at_joint(str(error), text)}") from error
    solids = [shape.solid for shape in shapes]
    missing = missing_note([s.name for s in solids if isinstance(s, Mesh) and s.missing])
    if missing:
        warnings.warn(f"{path}: {missing}", ModelWarning, stacklevel=3)
    return arm
