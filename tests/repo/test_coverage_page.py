"""The page of measured coverage, and the script that writes it."""

import importlib.util
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def load_script():
    """Return the script as a module; docs is no package."""
    path = ROOT / "docs" / "measure_coverage.py"
    spec = importlib.util.spec_from_file_location("measure_coverage", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


script = load_script()


def entry(lines, run_lines, branches, run_branches):
    """Return a file's entry as coverage.py writes it."""
    return {
        "summary": {
            "num_statements": lines,
            "covered_lines": run_lines,
            "num_branches": branches,
            "covered_branches": run_branches,
        }
    }


REPORT = {
    "files": {
        "src/armtwin/errors.py": entry(10, 10, 0, 0),
        "src/armtwin/robots/safety.py": entry(60, 60, 20, 19),
        "src/armtwin/robots/ur/feed.py": entry(8, 4, 2, 0),
    }
}


def test_counts_are_summed_by_package():
    """Lines and branches are those of all modules of a package when they are summed."""
    packages = script.by_package(script.counts(REPORT))
    assert packages["robots"] == script.Count(68, 64, 22, 19)
    assert packages["(top)"] == script.Count(10, 10, 0, 0)
    assert script.Count().percent == 100.0
    assert packages["robots"].percent == 100 * 83 / 90


def test_page_names_what_is_little_covered():
    """Total, packages and modules below the limit are on the page when it is written."""
    text = "\n".join(script.page(script.counts(REPORT), "measured today", "All tests ran."))
    assert "Branch coverage of src: 93.0 % (measured today)." in text
    assert "| robots/ur/feed.py | 8 | 2 | 40.0 |" in text
    assert "| robots/safety.py" not in text


def test_page_says_what_was_measured():
    """Figure, tests, date, commit and every package are on the page when it is read."""
    text = script.PAGE.read_text(encoding="utf-8")
    when = r"measured \d{4}-\d\d-\d\d at commit \w+"
    line = rf"^Branch coverage of src: (\d+\.\d) % \(by [^()]+, {when}\)\.$"
    assert re.search(line, text, re.M)
    packages = {path.parent.name for path in (ROOT / "src" / "armtwin").glob("*/__init__.py")}
    assert {name for name in packages if f"| {name} |" not in text} == set()
