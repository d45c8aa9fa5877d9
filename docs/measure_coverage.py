"""Write docs/coverage.md from measured coverage: ``python docs/measure_coverage.py``.

``./test --coverage`` calls it after the tests. It reads ``.coverage`` (made by ``coverage run`` and
``coverage combine``) and writes the branch coverage of every package, the least covered modules,
and when and of which commit it was measured. ``./test`` prints the first figure of that page.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "coverage.md"
LOW = 80.0
"""Modules below this coverage [%] are named."""

MADE = (
    "Made by `./test --coverage` (`docs/measure_coverage.py`): lines and branches that tests run, "
    "of all, with the processes that tests start. Lines that `exclude_also` in `pyproject.toml` "
    "names, with its reasons, are left out of the count."
)


@dataclass(frozen=True)
class Count:
    """Lines and branches of some modules, and how many of them tests run.

    Attributes:
        lines: statements.
        run_lines: of these, the ones that ran.
        branches: jumps of conditions and loops.
        run_branches: of these, the ones that were taken.
    """

    lines: int = 0
    run_lines: int = 0
    branches: int = 0
    run_branches: int = 0

    def __add__(self, other: Count) -> Count:
        """Return the counts of both."""
        return Count(
            self.lines + other.lines,
            self.run_lines + other.run_lines,
            self.branches + other.branches,
            self.run_branches + other.run_branches,
        )

    @property
    def percent(self) -> float:
        """Lines and branches that ran, of all [%]: what coverage.py calls its total."""
        run, whole = self.run_lines + self.run_branches, self.lines + self.branches
        return 100.0 * run / whole if whole else 100.0


def counts(report: dict[str, dict[str, dict[str, dict[str, int]]]]) -> dict[str, Count]:
    """Return the count of every module of the package, by its path inside it."""
    found = {}
    for path, entry in report["files"].items():
        name = path.replace("\\", "/").split("armtwin/", 1)[-1]
        summary = entry["summary"]
        found[name] = Count(
            summary["num_statements"],
            summary["covered_lines"],
            summary["num_branches"],
            summary["covered_branches"],
        )
    return found


def by_package(modules: dict[str, Count]) -> dict[str, Count]:
    """Return the sum of every package of the first level; single modules stand under "(top)"."""
    sums: dict[str, Count] = defaultdict(Count)
    for name, count in modules.items():
        sums[name.split("/")[0] if "/" in name else "(top)"] += count
    return dict(sorted(sums.items()))


def page(modules: dict[str, Count], measured: str, note: str) -> Iterator[str]:
    """Yield the lines of the page.

    Args:
        modules: count of every module.
        measured: by which tests, when, and at which commit.
        note: conditions of the measurement.
    """
    total = sum(modules.values(), Count())
    yield "# Coverage"
    yield ""
    yield f"Branch coverage of src: {total.percent:.1f} % ({measured})."
    yield ""
    yield f"{MADE} {note}".rstrip()
    yield ""
    yield "| package | lines | branches | covered [%] |"
    yield "|---|---:|---:|---:|"
    for name, count in by_package(modules).items():
        yield f"| {name} | {count.lines} | {count.branches} | {count.percent:.1f} |"
    yield f"| all | {total.lines} | {total.branches} | {total.percent:.1f} |"
    low = sorted((c.percent, n, c) for n, c in modules.items() if c.percent < LOW)
    yield ""
    yield f"## Modules below {LOW:.0f} %"
    yield ""
    yield "| module | lines | branches | covered [%] |"
    yield "|---|---:|---:|---:|"
    for percent, name, count in low:
        yield f"| {name} | {count.lines} | {count.branches} | {percent:.1f} |"


def read_report() -> dict[str, dict[str, dict[str, dict[str, int]]]]:
    """Return coverage's report of the data in ``.coverage`` as plain data."""
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "coverage.json")
        command = [
            sys.executable,
            "-m",
            "coverage",
            "json",
            "-q",
            "--fail-under=0",
            "-o",
            str(file),
        ]
        subprocess.run(command, cwd=ROOT, check=True)
        return json.loads(file.read_text(encoding="utf-8"))


def commit() -> str:
    """Return the short name of the commit, or "no commit" outside a checkout."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "no commit"


def main() -> None:
    """Write the page, and print its first figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", default="all tests", help="which tests ran, if not all")
    parser.add_argument("--note", default="", help="conditions of the measurement")
    given = parser.parse_args()
    measured = f"by {given.tests}, measured {datetime.now(UTC):%Y-%m-%d} at commit {commit()}"
    lines = list(page(counts(read_report()), measured, given.note))
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(lines[2] + "\n")


if __name__ == "__main__":
    main()
