"""Every example runs."""

from pathlib import Path

import pytest
from warm_python import run_script

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def test_there_are_examples():
    """Examples are found when the folder is read."""
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path, tmp_path):
    """An example prints something and warns of nothing when it runs in an empty folder."""
    folder = tmp_path / "empty"
    folder.mkdir()
    status, printed = run_script(path.read_text("utf-8"), folder, path)
    assert status == 0, printed
    assert printed.strip()


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        ("import sys; print('here'); sys.exit(3)", 3, "here"),
        ("import warnings; warnings.warn('old', DeprecationWarning)", 1, "DeprecationWarning: old"),
        ("import os; assert os.listdir() == [] and __name__ == '__main__'", 0, ""),
        ("np.eye(2)", 1, "name 'np' is not defined"),
        ("import sys; assert 'armtwin' not in sys.modules", 0, ""),
    ],
)
def test_a_script_fails_as_it_would_alone(code, status, said, tmp_path):
    """Exit code, warnings and errors are passed on when a script runs in a forked Python."""
    folder = tmp_path / "empty"
    folder.mkdir()
    found, printed = run_script(code, folder)
    assert found == status and said in printed
