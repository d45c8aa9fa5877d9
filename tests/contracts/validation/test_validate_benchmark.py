"""The benchmark of ``armtwin validate`` measures the comparison that it claims to measure."""

import sys

import numpy as np
from benchmarks.validate import figures, write_run


def test_benchmark_script_finds_the_same_figures(tmp_path):
    """The figures equal their definitions when the benchmark's own recording is compared."""
    import armtwin as at

    path = write_run(tmp_path / "run.csv", 500)
    command = [sys.executable, "-m", "armtwin.cli", "validate", "ur10e", str(path), "--json"]
    found = figures(command)
    recording = at.read_recording(path)
    shift = at.fk(at.load("ur10e"), recording.q)[:, :3, 3] - recording.group("position")
    distance = np.linalg.norm(shift, axis=1)
    assert abs(found["position"]["rmse"] - np.sqrt((distance**2).mean())) < 1e-12
