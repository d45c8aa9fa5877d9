"""``armtwin doctor``: check the installation and the machine, and repair what can be."""

from __future__ import annotations

import dataclasses
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from armtwin.cli.options import Json
from armtwin.cli.output import say, say_json, say_table
from armtwin.cli.repairs import missing_modules, repair_all
from armtwin.errors import InputError
from armtwin.extras import EXTRAS

EXAMPLES = """
armtwin doctor
armtwin doctor --json
armtwin doctor --fix
armtwin doctor --fix --yes --extra app --extra report
"""

NEEDED = ("numpy", "scipy", "pydantic", "typer")
OPTIONAL = {
    "casadi": "equations of arms outside the catalogue",
    "pyarrow": "Parquet files; CSV files read faster",
    "fastexcel": "spreadsheets",
    "rosbags": "ROS bags",
    "matplotlib": "pictures in reports",
    "plotly": "HTML reports",
    "typst": "PDF reports",
    "mujoco": "simulation",
    "clarabel": "identification",
    "fmpy": "checking FMUs",
    "ziglang": "FMUs for all platforms; WebAssembly; a compiler without a system compiler",
    "wasmtime": "WebAssembly: checks modules before they are used",
    "pyserial": "servo arms",
    "fastapi": "the app",
    "pin": "independent engine of the tests",
    "roboticstoolbox-python": "peer of the benchmarks",
}
COMPILERS = ("cc", "gcc", "clang")
FEATURES = ("sse4_2", "avx", "avx2", "fma", "avx512f", "avx512dq", "neon", "asimd")


Fix = Annotated[
    bool, typer.Option("--fix", help="Repair what can be repaired, and list the repairs.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="With --fix: answer yes to every question.")]
Extra = Annotated[
    list[str] | None,
    typer.Option("--extra", help="With --fix: only this extra; may be given several times."),
]


def command(fix: Fix = False, yes: Yes = False, extra: Extra = None, json: Json = False) -> None:
    """Print packages, compilers, CPU features and the cache folder; with --fix, repair them.

    --fix removes damaged files of the cache, builds missing pages in a checkout, and installs
    missing extras with pip. It asks before the last two; away from a terminal the answer is no.
    Exits with 1 when a needed package is missing or the cache cannot be written.
    """
    if not fix and (yes or extra):
        raise InputError("--yes and --extra belong to --fix; add it")
    repairs = repair_all(extra or None, _confirm(yes)) if fix else []
    facts = examine() | ({"repairs": [dataclasses.asdict(one) for one in repairs]} if fix else {})
    if json:
        say_json(facts)
    else:
        _print(facts)
        for one in repairs:
            say(f"{'repaired' if one.done else 'to do'}: {one.problem}: {one.answer}")
        if fix and not repairs:
            say("nothing to repair")
    if facts["problems"]:
        raise typer.Exit(1)


def _confirm(yes: bool) -> Callable[[str], bool]:
    """Return the function that confirms: always yes, the user, or no without a terminal."""
    if yes:
        return lambda question: True
    if not sys.stdin.isatty():
        return lambda question: False
    return lambda question: typer.confirm(question, err=True)


def examine() -> dict[str, Any]:
    """Return what this machine and installation are."""
    from armtwin import __version__
    from armtwin.compile.shipped import shipped_names

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
        "missing_extras": [name for name in EXTRAS if missing_modules(name)],
        "shipped_programs": len(shipped_names()),
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
    rows.append(("extras", f"missing: {', '.join(facts['missing_extras']) or 'none'}"))
    say_table(("", ""), rows)
    say()
    for problem in facts["problems"]:
        say(f"problem: {problem}")
    if not facts["problems"]:
        say("everything that is needed is here")
