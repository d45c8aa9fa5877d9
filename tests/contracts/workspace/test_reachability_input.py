"""What a reachability map takes, refuses, returns and writes."""

import dataclasses
import json

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import InputError, MissingDataError, OutputExistsError, UnknownArmError
from armtwin.workspace import device as devices
from armtwin.workspace import reachability
from armtwin.workspace.cell_grid import MAX_CELLS, CellGrid

pytestmark = pytest.mark.usefixtures("numpy_target")


@pytest.fixture(scope="module", autouse=True)
def few_trials():
    """Take the grid's box from fewer random poses: it is not what these tests look at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reachability, "PILOT", 1 << 10)
        yield


@pytest.fixture(scope="module")
def found(numpy_target, few_trials):
    """Return a small map."""
    return at.reachability("ur10e", poses=2000, cell=0.3, seed=4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"poses": 0}, "0 poses; give a whole number"),
        ({"poses": 1e6}, "1000000.0 poses; give a whole number"),
        ({"poses": True}, "True poses; give a whole number"),
        ({"poses": "many"}, "'many' poses; give a whole number"),
        ({"cell": -1.0}, "a cell of -1.0 m"),
        ({"cell": float("nan")}, "a cell of nan m"),
        ({"cell": "small"}, "cell must be real numbers, got text: 'small'"),
        ({"cell": (0.1, 0.2)}, r"cell must be one number, got shape \(2,\)"),
        ({"cell": 1e-4}, "give cells of .* m or more"),
        ({"cell": 1e-300}, r"cells of 1e-300 m make .* 4,000,000 are possible"),
        ({"box": ((-1e9,) * 3, (1e9,) * 3), "cell": 1e-3}, "make 8e.36 cells"),
        ({"box": ((0, 0, 0), (1, 1, 0))}, "give the smallest and the largest x, y, z"),
        ({"box": ((0, 0, 0), (1, 1, np.inf))}, r"inf\]\]; give the smallest and the largest"),
        ({"box": ((0, 0, np.nan), (1, 1, 1))}, "give the smallest and the largest x, y, z"),
        ({"box": 3}, "box is 3; give the smallest and the largest"),
        ({"box": "table"}, "box must be real numbers, got text: 'table'"),
        ({"device": "tpu"}, "no device 'tpu'; there are auto, cpu, gpu"),
        ({"device": None}, "no device None; there are auto, cpu, gpu"),
        ({"seed": -1}, "seed is -1; give a whole number, 0 or more"),
        ({"seed": 1.5}, "seed is 1.5; give a whole number"),
        ({"seed": None}, "seed is None; give a whole number"),
        ({"seed": "x"}, "seed is 'x'; give a whole number"),
    ],
)
def test_bad_requests(options, message):
    """An error says what is possible when a request is not."""
    with pytest.raises(InputError, match=message):
        at.reachability("ur10e", **{"poses": 1000, **options})


def test_no_arm():
    """One of our errors is raised when there is no such arm, or none is given."""
    with pytest.raises(UnknownArmError, match="no arm named 'nobody'"):
        at.reachability("nobody", poses=10)
    with pytest.raises(InputError, match="expected an Arm, a catalogue name or a file"):
        at.reachability(None, poses=10)


@pytest.mark.parametrize("cell", [1e-2, 1e-6, 1e-100])
def test_advised_cells_are_possible(cell):
    """The size that the message advises is taken when cells were too many."""
    low, high = np.zeros(3), np.array([3.0, 2.0, 2.5])
    with pytest.raises(InputError, match="give cells of") as refused:
        CellGrid.over(low, high, cell)
    advised = float(str(refused.value).split("give cells of ")[1].split(" m")[0])
    assert MAX_CELLS / 2 < CellGrid.over(low, high, 1.05 * advised).count <= MAX_CELLS


def test_gpu_without_cupy(monkeypatch):
    """An error names the extra when a GPU is asked for without CuPy; "auto" takes the processor."""
    monkeypatch.setattr(devices, "installed", lambda *names: False)
    monkeypatch.setattr("armtwin.extras._installed", lambda name: name != "cupy")
    with pytest.raises(MissingDataError, match=r"armtwin\[gpu\]"):
        at.reachability("ur10e", poses=1000, device="gpu")
    assert devices.choose("auto", 10**9).name == "cpu"


def test_same_seed_same_map(found):
    """The same counts when a seed is used again, other ones when it is another seed."""
    again = at.reachability("ur10e", poses=np.int64(2000), cell=0.3, seed=np.int32(4))
    for name in ("hits", "directions", "best", "mean", "condition"):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    other = at.reachability("ur10e", poses=2000, cell=0.3, seed=5)
    assert (other.hits != found.hits).any()


def test_result_is_frozen_and_one_line(found):
    """A result cannot be changed and shows itself in one line when it is printed."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.poses = 1
    assert repr(found) == "<Reachability Workspace of ur10e>"
    assert found.judgement is None


def test_result_is_plain_data(found):
    """Every figure survives JSON and counts add up when a map becomes a dictionary."""
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["poses"] == data["outside"] + int(found.hits.sum()) == 2000
    assert data["cells_reached"] == int(found.reached.sum()) == len(found.cells()["x"])
    assert data["seed"] == 4
    assert data["bounds"][0] <= data["volume"] <= data["bounds"][1]


def test_box_that_is_not_reached():
    """Nothing is reached and figures are left empty when the box is out of reach."""
    far = at.reachability("ur10e", poses=500, box=((5, 5, 5), (6, 6, 6)), cell=0.2)
    data = json.loads(json.dumps(far.to_dict(), allow_nan=False))
    assert (data["outside"], data["cells_reached"], data["volume"]) == (500, 0, 0)
    assert data["manipulability_max"] is None
    assert far.page().title == "Workspace of ur10e"


def test_page_and_files(found, tmp_path):
    """The page has both maps with scales, and the cells are written, when a map is reported."""
    titles = [view.title for part in found.page().sections[0].parts if hasattr(part, "views")
              for view in part.views]  # fmt: skip
    assert titles[1] == "from above, largest value" and titles[0].startswith("section at y")
    assert found.report(tmp_path / "reach.html").stat().st_size > 1e6
    lines = found.save(tmp_path / "cells.csv").read_text().splitlines()
    assert lines[0].startswith("x,y,z,hits,directions") and len(lines) == found.reached.sum() + 1
    assert found.to_dict()["cells_reached"] == found.reached.sum()


def test_cells_are_written_whole_or_not_at_all(found, tmp_path, monkeypatch):
    """A file stays as it was when it exists, or when writing the cells fails."""
    file = tmp_path / "cells.csv"
    file.write_text("kept")
    with pytest.raises(OutputExistsError, match=r"cells\.csv"):
        found.save(file)
    monkeypatch.setattr("os.replace", refuse)
    monkeypatch.setattr("pathlib.Path.replace", refuse)
    with pytest.raises((InputError, OSError)):
        found.save(file, force=True)
    assert file.read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["cells.csv"]


def refuse(*given):
    """Fail as a full disk does."""
    raise OSError(28, "No space left on device")


def test_command(tmp_path, capsys):
    """The command prints the library's figures and writes the cells; it refuses bad counts."""
    file = tmp_path / "cells.csv"
    words = ["reach", "ur10e", "--poses", "2e3", "--cell", "0.2", "--out", str(file), "--json"]
    assert run(words) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["cells_reached"] == len(file.read_text().splitlines()) - 1
    assert run(words) == 2 and "exists" in capsys.readouterr().err
    assert run(["reach", "ur10e", "--poses", "1.5"]) == 2
    assert "--poses is 1.5; give a whole number" in capsys.readouterr().err
    assert run(["reach", "ur10e", "--poses", "10", "--box", "0", "0", "0", "1", "1", "-1"]) == 2
    assert "give the smallest and the largest" in capsys.readouterr().err
