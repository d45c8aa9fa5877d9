"""The order in which test files run."""

from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_files_that_run_first_exist():
    """Each file of the list exists, and stands there once, when files are moved."""
    lines = (TESTS / "longest_first.txt").read_text("utf-8").splitlines()
    names = [line for line in lines if not line.startswith("#")]
    assert [name for name in names if not (TESTS / name).is_file()] == []
    assert len(names) == len(set(names)) > 50
