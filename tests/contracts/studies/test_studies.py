"""Studies keep every row once, whatever happens to workers, disk and the process itself."""

import errno
import html
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet
from study_recordings import SameProcess, recording, study_of, write_recordings
from waiting import wait_until

import armtwin as at
from armtwin import storage
from armtwin.cli.main import run as run_command
from armtwin.errors import InputError
from armtwin.studies import study as studies
from armtwin.studies.dataset import PART, Dataset, final_table
from armtwin.studies.planning.study_plan import make_plan
from armtwin.studies.row_scheduler import RowScheduler
from armtwin.studies.runs.rows import run_group
from armtwin.studies.workers.local import LocalWorkers

ROWS = 8
EXAMPLE = Path(__file__).parents[3] / "examples" / "studies" / "pushes.toml"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Return a folder of small recordings, the last but one of another arm."""
    folder = write_recordings(tmp_path_factory.mktemp("runs"), ROWS)
    (folder / f"run{ROWS - 2:02d}.parquet").unlink()
    recording(1, arm="ur10e").save(folder / f"run{ROWS - 2:02d}.parquet")
    return folder


@pytest.fixture(scope="module")
def whole(runs, tmp_path_factory):
    """Return the study of all recordings, run by two processes."""
    return at.study(study_of(runs), tmp_path_factory.mktemp("whole"), workers=2)


@pytest.fixture
def in_this_process(monkeypatch):
    """Let studies run their rows in this process."""
    monkeypatch.setattr(studies, "_workers", lambda *_: SameProcess())


def keys_on_disk(folder):
    """Return the keys of all rows of all part files."""
    tables = [parquet.read_table(path, columns=["key"]) for path in sorted(folder.glob(PART))]
    return [key for table in tables for key in table["key"].to_pylist()]


def assert_complete(folder, source):
    """Assert that every row is on disk, and none twice."""
    assert sorted(keys_on_disk(folder)) == sorted(row.key for row in make_plan(source).rows)


def test_a_recording_of_another_arm_is_a_failed_row(whole):
    """One row has the error and all others have figures when a recording is of another arm."""
    status, errors = whole.table["status"].to_pylist(), whole.table["error"].to_pylist()
    assert status == ["ok"] * (ROWS - 2) + ["failed", "ok"]
    assert "is of arm 'ur10e', not of 'ur5e'" in errors[-2]
    assert not whole.passed
    assert whole.verdict == f"{ROWS - 1} of {ROWS} rows gave a result, 1 failed"


def test_figures_are_those_of_the_verb(whole, runs):
    """A row holds what the verb itself returns when it is run on the same recording."""
    check = at.validate("ur5e", runs / "run03.parquet", efforts=False)
    row = whole.table.slice(3, 1).to_pylist()[0]
    assert row["position.rmse"] == check["position"].rmse
    assert row["x.max"] == check["x"].max
    assert row["passed"] == check.passed
    assert row["recording"] == "run03.parquet"
    assert (row["arm"], row["validate.efforts"]) == ("ur5e", False)


def test_bytes_do_not_depend_on_the_workers(whole, runs, tmp_path, in_this_process):
    """The table's file has the same bytes when other workers ran it in other groups."""
    other = at.study(study_of(runs), tmp_path / "kept")
    first, second = (s.save(tmp_path / f"{n}.parquet") for n, s in enumerate((whole, other)))
    assert first.read_bytes() == second.read_bytes()
    assert "seconds" not in parquet.read_table(first).column_names


def test_objects_give_the_figures_of_files(whole, runs, tmp_path, in_this_process):
    """Figures and errors are the same when recordings are fetched by a URI."""
    other = at.study(study_of(f"file://{runs}"), tmp_path)
    columns = [name for name in whole.table.column_names if name != "error"]
    assert other.table.select(columns).equals(whole.table.select(columns))
    assert "armtwin-study-" not in "".join(other.table["error"].to_pylist())


def test_a_cancelled_study_goes_on(whole, runs, tmp_path, in_this_process):
    """Finished rows are kept and not run again when a study is cancelled and called again."""

    def cancel(progress):
        if progress.done > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        at.study(study_of(runs), tmp_path, on_progress=cancel)
    kept = len(keys_on_disk(tmp_path))
    assert 0 < kept < ROWS
    rest = at.study(study_of(runs), tmp_path)
    assert rest.ran == ROWS - kept
    assert rest.table.equals(whole.table)
    assert_complete(tmp_path, study_of(runs))


def test_a_killed_study_goes_on(whole, runs, tmp_path):
    """Nothing is lost or doubled when the process of a study is killed and it is run again."""
    kept = tmp_path / "kept"
    file = tmp_path / "s.toml"
    file.write_text(
        f'verb = "validate"\nfixed = {{ arm = "ur5e", validate.efforts = false }}\n'
        f'recordings.folder = "{runs}"\n'
    )
    command = [sys.executable, "-m", "armtwin.cli", "study", str(file), "--folder", str(kept)]
    process = subprocess.Popen([*command, "--workers", "1"], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: list(kept.glob(PART)), 300, "first part file")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    (kept / ".part-00000000-cut.parquet").write_bytes(b"PAR1 cut")
    (kept / "part-00000099-cut.parquet").write_bytes(b"PAR1 cut")
    done = len(keys_on_disk_of_whole_parts(kept))
    assert 0 < done <= ROWS
    rest = at.study(file, kept, workers=1)
    assert rest.ran == ROWS - done
    assert rest.table.equals(whole.table)
    assert not (kept / ".part-00000000-cut.parquet").exists()
    (kept / "part-00000099-cut.parquet").unlink()
    assert_complete(kept, file)


def keys_on_disk_of_whole_parts(folder):
    """Return the keys of all part files but the one that is cut."""
    return [key for key in Dataset(folder).finished]


def test_a_row_that_ends_its_worker_is_a_failed_row(runs, tmp_path):
    """The rest goes on in new processes when a row ends its worker process."""

    def dying(orders):
        import os

        if any(order["place"].endswith("run01.parquet") for order in orders):
            os._exit(3)
        return run_group(orders)

    plan, kept = make_plan(study_of(runs)), Dataset(tmp_path)
    RowScheduler(LocalWorkers("validate", 2, dying), kept).run(plan.rows, ROWS)
    table = final_table(plan, kept.finished)
    assert table["status"].to_pylist() == ["ok", "failed", *["ok"] * 4, "failed", "ok"]
    assert "worker process died" in table["error"][1].as_py()
    assert_complete(tmp_path, study_of(runs))


def test_rows_beside_a_dying_one_are_not_blamed(runs, tmp_path):
    """Rows of the same group give figures when one of them ends the worker."""
    plan, kept = make_plan(study_of(runs)), Dataset(tmp_path)
    RowScheduler(SameProcess(dying=(5,)), kept).run(plan.rows, ROWS)
    status = [kept.finished[row.key]["status"] for row in plan.rows]
    assert status == ["ok"] * 5 + ["failed", "failed", "ok"]


def test_rows_wait_for_a_full_disk(whole, runs, tmp_path, in_this_process, monkeypatch):
    """All rows are saved when the disk refuses some parts and takes later ones."""
    refusals, write = iter([True, True, False, True]), storage.replace_file

    def sometimes(path, data):
        if next(refusals, False):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(path, data)

    monkeypatch.setattr(storage, "replace_file", sometimes)
    assert at.study(study_of(runs), tmp_path).table.equals(whole.table)
    assert_complete(tmp_path, study_of(runs))


def test_a_full_disk_is_reported(runs, tmp_path, in_this_process, monkeypatch):
    """The message says what is saved and what to do when the disk stays full to the end."""
    full, write = [False], storage.replace_file

    def until_full(path, data):
        if full[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        full[0] = True
        write(path, data)

    monkeypatch.setattr(storage, "replace_file", until_full)
    words = f"No space left on device; {ROWS - 1} finished rows are not saved, 1 are; make room"
    with pytest.raises(InputError, match=words):
        at.study(study_of(runs), tmp_path)
    monkeypatch.undo()
    monkeypatch.setattr(studies, "_workers", lambda *_: SameProcess())
    assert at.study(study_of(runs), tmp_path).ran == ROWS - 1
    assert_complete(tmp_path, study_of(runs))


def test_failed_rows_are_run_again_on_request(runs, tmp_path, in_this_process):
    """Only failed rows are run when a study is called again to retry them."""
    at.study(study_of(runs), tmp_path)
    assert at.study(study_of(runs), tmp_path).ran == 0
    assert at.study(study_of(runs), tmp_path, retry_failed=True).ran == 1


def test_the_page_shows_which_parameter_matters(tmp_path, in_this_process, runs):
    """A planted dependence is found and drawn when one parameter explains a figure."""
    source = study_of(runs, figures=["position.rmse", "passed"])
    source["sweep"] = {"validate": {"limits": [["position=1mm"], ["position=0.01mm"]]}}
    found = at.study(source, tmp_path)
    shares = {(one.figure, one.input): one.share for one in found.influences()}
    assert shares["passed", "validate.limits"] == 1.0
    assert shares["position.rmse", "validate.limits"] == 0.0
    text = html.unescape(found.report(tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "passed against validate.limits" in text
    assert "is of arm 'ur10e', not of 'ur5e'" in text
    assert found.to_dict()["figures"]["passed"]["mean"] == pytest.approx(0.5)


def test_the_example_finds_strong_pushes():
    """Strong pushes are detected, weak ones are not, and again, when the example's rows are run."""
    plan = make_plan(EXAMPLE)
    weak, strong = run_group([plan.rows[0].order("detect"), plan.rows[-1].order("detect")])
    assert (weak["error"], strong["error"]) == ("", "")
    assert not weak["figures"]["truth.detected"]
    assert strong["figures"]["truth.detected"]
    assert 0 <= strong["figures"]["truth.delay"] < 0.1
    assert run_group([plan.rows[0].order("detect")])[0]["figures"] == weak["figures"]


def test_the_command_line(runs, tmp_path, in_this_process, capsys, monkeypatch):
    """A failed row gives exit code 1, a faulty file 2, when a study is run as a command."""
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(
        f'verb = "validate"\nfixed = {{ arm = "ur5e", validate.efforts = false }}\n'
        f'recordings.folder = "{runs}"\n'
    )
    assert run_command(["study", "s.toml", "--out", "t.csv", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["failed"], found["folder"]) == (ROWS, 1, "s.study")
    assert len(Path("t.csv").read_text().splitlines()) == ROWS + 1
    Path("s.toml").write_text('verb = "validate"\nfixed.armm = "ur5e"\n')
    assert run_command(["study", "s.toml"]) == 2
    assert "did you mean 'arm'?" in capsys.readouterr().err
    assert run_command(["study", "--parameters", "validate"]) == 0
    assert "validate.fit_tool = False" in capsys.readouterr().out


def test_optimize_takes_nested_options():
    """Limits within the options reach the solver when a study sets them by dotted names."""
    points = [[0.0, -1.2, 1.0, -0.5, 0.8, 0.0], [0.5, -1.0, 0.8, -0.6, 0.6, 0.2]]
    source = {
        "verb": "optimize",
        "fixed": {"arm": "ur5e-energy", "optimize": {"points": points, "around": {"floor": -1.0}}},
        "sweep": {"optimize": {"limits": {"speed": [1.0, 99.0]}}},
    }
    ran = run_group([row.order("optimize") for row in make_plan(source).rows])
    assert ran[0]["status"] == "ok", ran[0]["error"]
    assert np.isfinite(ran[0]["figures"]["saving"])
    assert "solve_seconds" not in ran[0]["figures"]
    assert "beyond its own" in ran[1]["error"]
