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
