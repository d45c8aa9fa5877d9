"""Reading arm files, with the line of whatever is wrong."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from pydantic import ValidationError

from armtwin.errors import ArmFileError, ArmTwinError
from armtwin.model import arm as arms
from armtwin.model.arm_file import ArmTable
from armtwin.model.checks import check_arm


def read_toml(path: Path) -> arms.Arm:
    """Read an arm from a TOML file.

    Raises:
        ArmFileError: with the file, the line where TOML says it, and the field.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ArmFileError(f"{path}: not valid TOML: {error}") from error
    except OSError as error:
        raise ArmFileError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        arm = ArmTable.model_validate(table).value()
        check_arm(arm)
    except ValidationError as error:
        raise ArmFileError(f"{path}: {_explain(error, path)}") from error
    except ArmTwinError as error:
        raise ArmFileError(f"{path}: {error}") from error
    return arm


def _explain(error: ValidationError, path: Path) -> str:
    """Return the first faults as ``line N: field: what is wrong``."""
    lines = path.read_text(encoding="utf-8").splitlines()
    faults = []
    for fault in error.errors()[:5]:
        place = ".".join(str(p + 1) if isinstance(p, int) else p for p in fault["loc"])
        faults.append(f"{_line_of(fault['loc'], lines)}{place or 'file'}: {fault['msg']}")
    return "; ".join(faults)


def _line_of(location: tuple[int | str, ...], lines: list[str]) -> str:
    """Return ``line N: `` for a field, found by its table and key; empty where not found."""
    numbers = [p for p in location if isinstance(p, int)]
    keys = [p for p in location if isinstance(p, str)]
    start = 0
    if location[:1] == ("joints",) and numbers:
        heads = [n for n, line in enumerate(lines) if line.strip().startswith("[[joints]]")]
        if numbers[0] >= len(heads):
            return ""
        start = heads[numbers[0]]
    for n in range(start, len(lines)):
        if keys and re.match(rf"\s*\[?[\w.]*\b{re.escape(keys[-1])}\b\s*[=\]]", lines[n]):
            return f"line {n + 1}: "
    return f"line {start + 1}: " if start else ""
