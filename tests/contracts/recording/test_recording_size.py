"""Long recordings are read within bounds of memory and start-up."""

import json
import subprocess
import sys

import pytest
from benchmarks.recordings import GROUPS, PROGRAM, READERS, ROWS, write_csv

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts the peak memory")


def read_in_a_fresh_process(path):
    """Return what reading a file took."""
    modules, read = READERS["armtwin"]
    code = PROGRAM.format(modules=modules, read=read.format(path=str(path)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_ten_minutes_need_three_times_their_size(tmp_path):
    """The peak stays below three times the recording when ten minutes at 500 Hz are read."""
    found = read_in_a_fresh_process(write_csv(tmp_path / "long.csv", ROWS))
    assert found["bytes"] > 70e6, "the measurement itself is broken"
    assert found["bytes"] <= 3 * ROWS * (1 + 6 * len(GROUPS)) * 8
