"""``armtwin doctor``: check the installation and the machine."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import typer

from armtwin.cli.options import Json
from armtwin.cli.output import say, say_json, say_table

EXAMPLES = """
armtwin doctor
armtwin doctor --json
"""

NEEDED = ("numpy", "scipy", "casadi", "pydantic", "pyarrow", "typer")
OPTIONAL = {
    "matplotlib": "pictures in reports",
    "plotly": "HTML reports",
    "typst": "PDF reports",
    "mujoco": "simulation",
    "clarabel": "identification",
    "fmpy": "checking FMUs",
    "ziglang": "FMUs for all platforms; WebAssembly; a compiler without a system compiler",
    "wasmtime": "WebAssembly: checks modules before they are used",
    "pyserial": "servo arms",
    "nicegui": "the app",
    "pin": "independent engine of the tests",
    "roboticstoolbox-python": "peer of the benchmarks",
}
COMPILERS = ("cc", "gcc", "clang")
FEATURES = ("sse4_2", "avx", "avx2", "fma", "avx512f", "avx512dq", "neon", "asimd")


def command(json: Json = False) -> None:
    """Print installed packages, compilers, CPU features and the cache folder.

    Exits with 1 when a needed package is missing or the cache cannot be written.
    """
    facts = examine()
    if json:
        say_json(facts)
    else:
        _print(facts)
    if facts["problems"]:
        raise typer.Exit(1)


def examine() -> dict[str, Any]:
    """Return what this machine and installation are."""
    from armtwin import __version__

    packages = {name: _version(name) for name in (*NEEDED, *OPTIONAL)}
    cache = _cache()
    problems = [f"{name} is not installed" for name in NEEDED if packages[name] is None]
    if not cache["writable"]:
        problems.append(
            f"cache folder {cache['folder']} cannot be written: every start is slow; "
            "set ARMTWIN_CACHE to a folder that can"
        )
    return {
        "armtwin": __version__,
        "python": platform.python_version(),
        "executable": sys.executable,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpus": os.cpu_count(),
        "cpu_features": cpu_features(),
        "packages": packages,
        "compilers": compilers(),
        "cache": cache,
        "problems": problems,
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def cpu_features() -> list[str]:
    """Return the vector instruction sets that matter here; empty where they cannot be read."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return []
    lines = [line for line in text.splitlines() if line.startswith(("flags", "Features"))]
    present = set(lines[0].split(":", 1)[1].split()) if lines else set()
    return [name for name in FEATURES if name in present]


def compilers() -> dict[str, str]:
    """Return the C compilers on the path with their version lines."""
    found = {}
    for name in COMPILERS:
        path = shutil.which(name)
        if path is None:
            continue
        answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
        found[name] = (answer.stdout.splitlines() or [path])[0]
    return found


def _cache() -> dict[str, Any]:
    """Return folder and size of the cache, and whether a file can be made in it."""
    from armtwin.compile.native.cache import check_writable
    from armtwin.files import cache_folder

    place = cache_folder()
    try:
        check_writable()
    except OSError:
        writable = False
    else:
        writable = True
    files = [path for path in place.rglob("*") if path.is_file()] if place.is_dir() else []
    return {
        "folder": place,
        "writable": writable,
        "files": len(files),
        "bytes": sum(path.stat().st_size for path in files),
    }


def _print(facts: dict[str, Any]) -> None:
    cache = facts["cache"]
    rows = [
        ("armtwin", facts["armtwin"]),
        ("Python", f"{facts['python']} ({facts['executable']})"),
        ("system", facts["system"]),
        ("CPU", f"{facts['cpus']} cores; {' '.join(facts['cpu_features']) or 'features unknown'}"),
        ("compiler", "; ".join(facts["compilers"].values()) or "none: the NumPy target serves"),
        ("cache", f"{cache['folder']} ({cache['files']} files, {cache['bytes'] / 1e6:.1f} MB)"),
    ]
    for name, found in facts["packages"].items():
        use = "needed" if name in NEEDED else OPTIONAL[name]
        rows.append((name, found or f"not installed ({use})"))
    say_table(("", ""), rows)
    say()
    for problem in facts["problems"]:
        say(f"problem: {problem}")
    if not facts["problems"]:
        say("everything that is needed is here")
