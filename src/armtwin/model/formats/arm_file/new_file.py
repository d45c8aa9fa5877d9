"""A commented arm file to start from: of a DH table, another file, or a template."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from armtwin.errors import InputError
from armtwin.files import write_output
from armtwin.model.arm import Arm, Joint, Limits
from armtwin.model.catalogue.catalogue import ArmLike, as_arm
from armtwin.model.checks import MAX_JOINTS
from armtwin.model.formats.arm_file.field_texts import FRICTION, text_of
from armtwin.model.formats.arm_file.json_schema import SCHEMA_NAME, write_arm_file_schema
from armtwin.model.formats.toml import write_toml
from armtwin.model.formats.toml_schema import (
    DriveTable,
    FrictionTable,
    InertiaTable,
    LimitsTable,
    LinkTable,
)

HEAD = """# Arm file of armtwin: `armtwin show {file}` prints it.
# Metres and kilograms; angles in radians, or as text: "pi/2", "90 deg". Lines that begin with # are
# ignored: take the # away and fill in what is known. docs/arm_files.md explains every field.
"""
SOURCES = "# Name the source of every kind of number: limits, masses, inertias, drives, radii."
ROW = re.compile(r"(\w+) = (-?[0-9.e+-]+)")
FRACTIONS = (1, 2, 3, 4, 6)
"""Denominators of pi that are written as such: multiples of 30 and 45 degrees."""
EXAMPLES: dict[str, Any] = {
    "lower": '"-180 deg"', "upper": '"180 deg"', "speed": '"180 deg"', "acceleration": 10.0,
    "effort": 50.0, "mass": 1.0, "com": "[0.0, 0.0, 0.1]", "radius": 0.05, "xx": 0.01, "yy": 0.01,
    "zz": 0.005, "xy": 0.0, "xz": 0.0, "yz": 0.0, "gear": 100.0, "motor_inertia": 1e-5,
    "reducer_inertia": 1e-5, "torque_constant": 0.1, "motor_constant": 0.1, "back_emf_ratio": 1.0,
    "resistance": 1.0, "model": '"viscous-coulomb"', "side": '"joint"', "viscous": 1.0,
    "coulomb": 1.0,
}  # fmt: skip
"""Values of the fields that are commented out."""
OPTIONAL: dict[str, type[BaseModel]] = {
    "joints.limits": LimitsTable,
    "joints.link": LinkTable,
    "joints.link.inertia": InertiaTable,
    "joints.drive": DriveTable,
    "joints.drive.friction": FrictionTable,
}
"""Tables of a joint that a file need not have."""


def new_arm_file(
    path: str | Path,
    arm: ArmLike | None = None,
    *,
    joints: int = 6,
    schema: bool = False,
    force: bool = False,
) -> Path:
    """Write a commented arm file to start from and return its path.

    Args:
        path: the file, ending in .toml; the arm is named after it.
        arm: the arm whose numbers it holds; None for a template with placeholders.
        joints: number of joints of the template.
        schema: write the JSON schema for editors beside it and name it in the first line.
        force: overwrite an existing file.

    Raises:
        InputError: another ending, or a number of joints that is not possible.
        OutputExistsError: the file exists and ``force`` is not set.
    """
    path = Path(path)
    if path.suffix.lower() != ".toml":
        raise InputError(f"{path}: an arm file ends in .toml, not {path.suffix!r}")
    chosen = template(joints) if arm is None else as_arm(arm)
    text = commented(chosen.with_(name=path.stem), path.name)
    if schema:
        write_arm_file_schema(path.with_name(SCHEMA_NAME), force=force)
        text = f"#:schema ./{SCHEMA_NAME}\n{text}"
    write_output(path, text.encode("utf-8"), force=force)
    return path


def template(joints: int) -> Arm:
    """Return an arm with placeholders for its numbers: axes at right angles, 0.2 m apart."""
    if not 1 <= joints <= MAX_JOINTS:
        raise InputError(f"{joints} joints; an arm has 1 to {MAX_JOINTS}")
    signs = [0.5 if number % 2 else -0.5 for number in range(joints - 1)] + [0.0]
    rows = tuple(
        Joint(f"joint_{k}", alpha=sign * math.pi, d=0.2, limits=Limits(-math.pi, math.pi))
        for k, sign in enumerate(signs, 1)
    )
    sources = (("geometry", "placeholder: replace a, alpha, d and theta, and name their source"),
               ("limits", "placeholder: replace, and name the source"))  # fmt: skip
    return Arm("template", "standard-dh", rows, sources=sources)


def commented(arm: Arm, file: str) -> str:
    """Return the text of an arm file with comments, angles as text where they are round."""
    lines = _with_angles(write_toml(arm).splitlines())
    if "[sources]" not in lines:
        lines[lines.index("") : lines.index("")] = ["", "[sources]"]
    lines.insert(lines.index("[sources]") + 1, SOURCES)
    heads = [n for n, line in enumerate(lines) if line == "[[joints]]"]
    first, end = heads[0], heads[1] - 1 if len(heads) > 1 else len(lines)
    made = [*lines[:first], *_with_optional(lines[first:end]), *lines[end:]]
    return HEAD.format(file=file) + "\n" + "\n".join(made) + "\n"


def _with_optional(block: list[str]) -> list[str]:
    """Return a joint's lines with the tables and fields that it has not, commented out."""
    lines, has_hints = list(block), False
    for table, model in OPTIONAL.items():
        head, names = f"[{table}]", [name for name in model.model_fields if name in EXAMPLES]
        names += ["viscous", "coulomb"] if model is FrictionTable else []
        if head in lines:
            start = lines.index(head) + 1
            end = next((n for n in range(start, len(lines)) if "[" in lines[n][:3]), len(lines))
            given = {line.split(" = ")[0] for line in lines[start:end]}
            names = [] if model is FrictionTable else [n for n in names if n not in given]
            lines[end:end] = [_hint(model.__name__, name) for name in names]
            continue
        lines += [] if has_hints else ["# What is known more; the same goes for every other joint:"]
        lines += [f"# {head}", *[_hint(model.__name__, name) for name in names]]
        has_hints = True
    return lines


def _hint(model: str, name: str) -> str:
    """Return a field as a commented line with what it means."""
    text = text_of(model, name) or FRICTION[name]
    return f"# {f'{name} = {EXAMPLES[name]}':<28}# {text}"


def _with_angles(lines: list[str]) -> list[str]:
    """Return the lines with round angles as text; bounds of prismatic joints stay lengths."""
    found, kind, angles = [], "revolute", ("alpha", "theta", "offset", "lower", "upper", "speed")
    for line in lines:
        if line.startswith("kind = "):
            kind = line.split('"')[1]
        match = ROW.fullmatch(line)
        turned = kind == "revolute" or (match and match[1] in ("alpha", "theta"))
        if match and turned and match[1] in angles:
            line = f"{match[1]} = {_angle(float(match[2]))}"
        found.append(line)
    return found


def _angle(value: float) -> str:
    """Return an angle as ``"pi/2"`` or ``"35 deg"`` where it is one to the last digits."""
    if value == 0:
        return "0.0"
    for part in FRACTIONS:
        times = value * part / math.pi
        if abs(times - round(times)) < 1e-12 and 0 < abs(round(times)) <= 4:
            return _of_pi(round(times), part)
    degrees = math.degrees(value)
    if abs(degrees - round(degrees, 4)) < 1e-9:
        return f'"{round(degrees, 4):g} deg"'
    return repr(value)


def _of_pi(times: int, part: int) -> str:
    size = "" if abs(times) == 1 else str(abs(times))
    below = "" if part == 1 else f"/{part}"
    return f'"{"-" if times < 0 else ""}{size}pi{below}"'
