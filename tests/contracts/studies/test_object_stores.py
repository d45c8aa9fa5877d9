"""Studies and histories on an object store: the same figures, and clear words where it refuses."""

import pytest
from benchmarks.synthetic_history import synthetic
from history_rows import fleet, short_run
from object_store import object_store
from study_recordings import SameProcess, study_of, write_recordings

import armtwin as at
from armtwin.errors import HistoryWarning, InputError
from armtwin.studies import study as studies

pytest.importorskip("duckdb")


@pytest.fixture
def store(monkeypatch):
    """Yield the objects of a store with the bucket ``lab``, which the environment points to."""
    with object_store("lab") as (address, objects):
        for name, value in {
            "AWS_ENDPOINT_URL": address, "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        yield objects


def test_a_study_runs_on_objects(store, tmp_path, monkeypatch):
    """Figures are those of local files, and rows are kept, when all is on an object store."""
    monkeypatch.setattr(studies, "_workers", lambda *_: SameProcess())
    runs = write_recordings(tmp_path / "runs", 3)
    for file in runs.iterdir():
        store[f"lab/runs/{file.name}"] = file.read_bytes()
    store["lab/runs/run99.parquet"] = b"PAR1 cut off"
    found = at.study(study_of("s3://lab/runs"), "s3://lab/results")
    local = at.study(study_of(runs), tmp_path / "kept")
    assert found.table.slice(0, 3).equals(local.table)
    assert found.table["status"].to_pylist() == ["ok", "ok", "ok", "failed"]
    assert sum(name.startswith("lab/results/part-") for name in store) >= 1
    assert at.study(study_of("s3://lab/runs"), "s3://lab/results").ran == 0


def test_a_store_that_refuses_is_named(store, tmp_path, monkeypatch):
    """The message names folder and bucket when there is none of that name."""
    monkeypatch.setattr(studies, "_workers", lambda *_: SameProcess())
    with pytest.raises(InputError, match="s3://lab/none.*cannot be listed"):
        at.study(study_of("s3://lab/none"), tmp_path)
    runs = write_recordings(tmp_path / "runs", 1)
    with pytest.raises(InputError, match="s3://other/results: cannot be written"):
        at.study(study_of(runs), "s3://other/results")
    with pytest.raises(InputError, match="s3://other/h: cannot be"):
        at.History("s3://other/h")
    with pytest.raises(InputError, match="no folder of a store"):
        at.History("nfs://lab/h")


def test_a_history_lives_on_objects(store, tmp_path):
    """Rows are added, judged and compacted, a corrupt part left out, when S3 holds the history."""
    from armtwin.history.store import Store

    local = fleet(tmp_path / "h", 3, 15)
    Store("s3://lab/fleet", create=True).write(synthetic(3, 15))
    history = at.History("s3://lab/fleet")
    assert [t.p for t in history.drift()] == pytest.approx([t.p for t in local.drift()])
    history.add(short_run(), serial="7", time="2026-05-04T08:00:00+02:00")
    assert len(history) == 46 and history.compact() == 2 and len(history) == 46
    assert history.arm("7").rows[0].origin == "run 0"
    store["lab/fleet/rows/part-0.parquet"] = b"PAR1 cut off"
    with pytest.warns(HistoryWarning, match="part-0.parquet is left out"):
        assert len(at.History("s3://lab/fleet")) == 46
    store["lab/other/file.txt"] = b"x"
    with pytest.raises(InputError, match="is no history"):
        at.History("s3://lab/other")
