"""Prints what an installation weighs: ``python docs/measure_install.py [--json]``.

For the base dependencies, the app and every extra of pyproject.toml: the packages that pip installs
and their size on disk, as their RECORD files list it (without bytecode), at the versions of this
environment. armtwin itself counts as the files that its wheel holds. Extras count what they add to
the base.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "requirements"))
from freeze import closure  # noqa: E402

DEVELOPMENT = ("test", "bench", "docs")
PACKAGE = ROOT / "src" / "armtwin"
MB = 1e6


def main() -> int:
    """Print the sizes; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    sizes = measure()
    if parser.parse_args().json:
        sys.stdout.write(json.dumps(sizes, indent=1) + "\n")
        return 0
    for name, packages in sizes.items():
        largest = sorted(packages.items(), key=lambda item: -item[1])[:4]
        parts = ", ".join(f"{package} {size:.0f}" for package, size in largest)
        sys.stdout.write(f"{name:12s} {sum(packages.values()):6.0f} MB   {parts}\n")
    return 0


def measure() -> dict[str, dict[str, float]]:
    """Return the packages of the base, of base and app, and of every extra beyond it [MB]."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    base = sizes_of(project["dependencies"]) | {"armtwin": own_size()}
    extras = project["optional-dependencies"]
    found = {"base": base, "base + app": base | sizes_of(extras["app"])}
    for name, needs in extras.items():
        if name in DEVELOPMENT:
            continue
        try:
            packages = sizes_of(needs)
        except PackageNotFoundError as error:
            sys.stderr.write(f"{name}: {error.name} is not installed here; left out\n")
            continue
        found[name] = {key: size for key, size in packages.items() if key not in base}
    return found


def sizes_of(requirements: list[str]) -> dict[str, float]:
    """Return the size of every package that some requirements need [MB]."""
    names = closure(requirements)
    return {name: sum(f.size or 0 for f in distribution(name).files or []) / MB for name in names}


def own_size() -> float:
    """Return the size of armtwin's own files, with front end and programs where built [MB]."""
    files = [path for path in PACKAGE.rglob("*") if path.is_file()]
    return sum(p.stat().st_size for p in files if "__pycache__" not in p.parts) / MB


if __name__ == "__main__":
    sys.exit(main())
