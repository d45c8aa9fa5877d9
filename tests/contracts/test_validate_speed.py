"""``armtwin validate`` stays quick, start-up included."""

import json
import resource
import subprocess
import sys

import numpy as np
from benchmarks.validate import ROWS, figures, write_run

LIMIT = 1.5


def test_validate_of_the_reports_rows_is_quick(tmp_path):
    """29,051 rows take less than 1.5 s of a core when a fresh process goes from file to verdict."""
    path = write_run(tmp_path / "run.csv", ROWS)
    command = [sys.executable, "-m", "armtwin.cli", "validate", "ur10e", str(path), "--json"]
    subprocess.run(command, capture_output=True, check=True)  # the first run compiles and caches
    took = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert json.loads(run.stdout)["passed"]
    assert min(took) < LIMIT


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
