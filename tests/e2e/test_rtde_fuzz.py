"""The coverage-guided fuzzer finds nothing in the time it is given."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

FUZZER = Path(__file__).parents[1] / "fuzz_rtde.py"


@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None,
    reason="atheris is not installed (it has wheels for some Pythons on Linux only)",
)
def test_fuzzer_finds_nothing(tmp_path):
    """No unexpected exception, hang or growth comes up when bytes are grown by coverage."""
    # An input may take 5 s of processor time (fuzz_rtde.py), and 120 s on a busy machine.
    options = ["-max_total_time=4", "-timeout=120", "-rss_limit_mb=2048", "-max_len=600"]
    done = subprocess.run(
        [sys.executable, str(FUZZER), *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-3000:]
