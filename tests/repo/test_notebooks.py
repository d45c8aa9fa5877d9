"""The notebooks: they run, and are committed without outputs."""

import json
from pathlib import Path

import pytest
from warm_python import run_script

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
MIN_NOTEBOOKS = 4
NO_WINDOWS = "import matplotlib; matplotlib.use('Agg')"


def cells(path, kind):
    """Return the cells of one kind of a notebook."""
    return [one for one in json.loads(path.read_text("utf-8"))["cells"] if one["cell_type"] == kind]


def test_there_are_notebooks():
    """Notebooks are found when the folder is read."""
    assert len(NOTEBOOKS) >= MIN_NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_has_exercises_and_no_outputs(path):
    """A notebook asks, answers and holds no output when it is committed."""
    code = cells(path, "code")
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert any("solution" in cell["metadata"].get("tags", ()) for cell in code)
    assert any("## Exercises" in "".join(cell["source"]) for cell in cells(path, "markdown"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    """All cells run in their order, and what they assert holds, in an empty folder."""
    code = "\n\n".join("".join(cell["source"]) for cell in cells(path, "code"))
    folder = tmp_path / "empty"
    folder.mkdir()
    status, printed = run_script(f"{NO_WINDOWS}\n{code}", folder, category=FutureWarning)
    assert status == 0, printed
    assert printed.strip()
