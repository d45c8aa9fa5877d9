"""The notebooks: they run, and are committed without outputs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
LEAST = 4


def cells(path, kind):
    """Return the cells of one kind of a notebook."""
    return [one for one in json.loads(path.read_text("utf-8"))["cells"] if one["cell_type"] == kind]


def test_there_are_notebooks():
    """Notebooks are found when the folder is read."""
    assert len(NOTEBOOKS) >= LEAST


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
    script = tmp_path / f"{path.stem}.py"
    script.write_text(code, "utf-8")
    command = [sys.executable, "-W", "error::FutureWarning", str(script)]
    env = {**os.environ, "MPLBACKEND": "Agg"}
    run = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()
