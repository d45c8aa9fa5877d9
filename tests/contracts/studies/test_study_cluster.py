"""A study on a real Ray cluster of three nodes, one of which is killed while it runs."""

import pytest
from benchmarks.ray_clusters import cluster_of
from pyarrow import parquet
from study_recordings import study_of, write_recordings

import armtwin as at
from armtwin.studies.dataset import PART


@pytest.mark.filterwarnings("ignore")
def test_a_lost_node_loses_no_row(tmp_path):
    """The table has the bytes of a local run when a node is killed in mid-study."""
    pytest.importorskip("ray.cluster_utils")  # here: slow to import, in every test process
    source = study_of(write_recordings(tmp_path / "runs", 24))
    killed = []
    with cluster_of(3) as (cluster, nodes):

        def kill_a_node(progress):
            if not killed and progress.done and 0.1 < progress.done < 0.9:
                cluster.remove_node(nodes.pop(), allow_graceful=False)
                killed.append(progress.done)

        found = at.study(
            source, tmp_path / "kept", cluster=cluster.address, on_progress=kill_a_node
        )
    assert killed
    assert found.passed, found.errors()
    parts = [parquet.read_table(path, columns=["key"]) for path in (tmp_path / "kept").glob(PART)]
    keys = [key for part in parts for key in part["key"].to_pylist()]
    assert sorted(keys) == sorted(row.key for row in found.plan.rows)
    local = at.study(source, tmp_path / "local", workers=1)
    saved = [one.save(tmp_path / f"{n}.parquet") for n, one in enumerate((found, local))]
    assert saved[0].read_bytes() == saved[1].read_bytes()
