"""Repairs of an installation, for ``armtwin doctor --fix``: what was done, and what to do."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from armtwin.errors import InputError
from armtwin.extras import EXTRAS, installed
from armtwin.processes import module_command

Confirm = Callable[[str], bool]
Run = Callable[[list[str]], int]
SPECIAL = ("cluster", "gpu")
"""Extras that are installed only if named: a Ray cluster, and CuPy for one version of CUDA."""
_EXTRA = re.compile(r"""extra\s*==\s*['"]([\w-]+)['"]""")


@dataclass(frozen=True)
class Repair:
    """One repair.

    Attributes:
        problem: what was found.
        answer: what was done, or what to do.
        done: whether it is repaired.
    """

    problem: str
    answer: str
    done: bool


def run_command(command: list[str]) -> int:
    """Run a command with its output on the terminal's error stream; return its status."""
    return subprocess.run(command, check=False, stdout=sys.stderr).returncode


def repair_all(extras: list[str] | None, confirm: Confirm, run: Run = run_command) -> list[Repair]:
    """Repair what can be repaired, and report what the user has to do about the rest.

    Args:
        extras: to install where they are missing; None: offers all but ``SPECIAL``.
        confirm: whether to do what a question says.
        run: runs a command and returns its status.

    Raises:
        InputError: no such extra.
    """
    unknown = sorted(set(extras or ()) - EXTRAS.keys())
    if unknown:
        raise InputError(f"no extra {', '.join(unknown)}; there are {', '.join(EXTRAS)}")
    wanted = [name for name in EXTRAS if name not in SPECIAL] if extras is None else extras
    return [
        *_cache(),
        *_page(confirm, run),
        *_compiler(),
        *(found for name in wanted for found in _extra(name, confirm, run)),
    ]


def missing_modules(extra: str) -> list[str]:
    """Return the modules of an extra that are not installed."""
    return [name for name in EXTRAS[extra] if not installed(name)]


def requirements_of(extra: str) -> list[str]:
    """Return what an extra installs, as the installed package's metadata say."""
    try:
        lines = requires("armtwin") or []
    except PackageNotFoundError:
        return []
    found = [line.partition(";") for line in lines]
    return [
        need.strip()
        for need, _, marker in found
        if (match := _EXTRA.search(marker)) and match[1] == extra
    ]


def _cache() -> Iterator[Repair]:
    from armtwin.compile.native import cache
    from armtwin.files import cache_folder

    place = cache_folder()
    try:
        cache.check_writable()
    except OSError as error:
        reason = error.strerror or error
        yield Repair(
            f"the cache folder {place} cannot be written ({reason})",
            "set ARMTWIN_CACHE to a folder that can; until then every start is slow",
            done=False,
        )
        return
    for path in cache.damaged():
        with contextlib.suppress(OSError):
            path.unlink()
        gone = not path.exists()
        answer = "removed; it is made again when needed" if gone else "remove it by hand"
        yield Repair(f"{path} is damaged", answer, gone)


def _page(confirm: Confirm, run: Run) -> Iterator[Repair]:
    """Build the front end in a checkout; a wheel has it."""
    from armtwin.viewer.bundle import DIST

    if (DIST / "app").is_dir():
        return
    problem = "the pages of the app and of views are not built"
    script = Path(__file__).resolve().parents[3] / "requirements" / "build_web.py"
    if not script.is_file():
        answer = "install armtwin again: pip install --force-reinstall --no-deps armtwin"
        yield Repair(problem, answer, done=False)
    elif not confirm(f"{problem}; build them with Node (it takes a minute)?"):
        yield Repair(problem, f"run python {script}", done=False)
    else:
        failed = run([sys.executable, str(script)])
        yield Repair(problem, "the build failed" if failed else "built", not failed)


def _compiler() -> Iterator[Repair]:
    if any(map(shutil.which, ("cc", "gcc", "clang"))) or installed("ziglang"):
        return
    yield Repair(
        "no C compiler: batches run 5 times slower, in NumPy",
        "install gcc or clang (Debian: apt install gcc libc6-dev), or pip install ziglang",
        done=False,
    )


def _extra(extra: str, confirm: Confirm, run: Run) -> Iterator[Repair]:
    missing = missing_modules(extra)
    if not missing:
        return
    problem = f"extra {extra}: {', '.join(missing)} not installed"
    hint = f"pip install 'armtwin[{extra}]'"
    packages = requirements_of(extra)
    if not packages or not confirm(f"{problem}; install {', '.join(packages)} with pip?"):
        yield Repair(problem, f"not installed; {hint}", done=False)
        return
    failed = run(module_command("pip", "install", *packages))
    yield Repair(problem, f"pip failed; try {hint}" if failed else "installed", not failed)
