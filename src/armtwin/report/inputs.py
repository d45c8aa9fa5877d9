"""Origin of a report: hashes of input files, versions of software, time."""

from __future__ import annotations

import hashlib
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

PACKAGES = ("numpy", "scipy", "casadi", "pyarrow")
BLOCK = 1 << 20
"""Bytes that are hashed at a time: bounds memory."""


def fingerprint(path: str | Path) -> tuple[str, str]:
    """Return a file's name and the SHA-256 of its content; a folder's over its files in order."""
    path = Path(path)
    state = hashlib.sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            with file.open("rb") as stream:
                while block := stream.read(BLOCK):
                    state.update(block)
    return path.name, f"sha256:{state.hexdigest()}"


def versions() -> tuple[tuple[str, str], ...]:
    """Return the versions of armtwin, Python and libraries, and the machine."""
    found = [(name, _version(name)) for name in PACKAGES]
    return (
        ("armtwin", _version("armtwin")),
        ("Python", platform.python_version()),
        *[(name, version) for name, version in found if version],
        ("machine", f"{platform.system()} {platform.machine()}"),
    )


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def now() -> str:
    """Return the time of writing, in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
