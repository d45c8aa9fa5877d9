"""Many seconds of noise on the true firmware, compiled for this machine to be fast."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
FIRMWARE = ROOT / "src/armtwin/robots/servo/firmware/armtwin_servo"
NATIVE = ROOT / "tests/native_firmware"
SAVED, ALL_ON = 3, 63
SEEDS = 300

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ on this machine")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Return the program that runs the firmware under noise."""
    made = tmp_path_factory.mktemp("native") / "noise"
    sources = [path for path in sorted(FIRMWARE.glob("*.cpp")) if path.stem != "pulses"]
    words = ["g++", "-O1", "-w", f"-I{NATIVE}", f"-I{FIRMWARE}", NATIVE / "noise.cpp", *sources]
    subprocess.run([*map(str, words), "-o", str(made)], check=True)
    return made


@pytest.mark.parametrize("pattern", ["steady", "bursts"])
@pytest.mark.parametrize(("state", "switched"), [("limp", 0), ("holding", ALL_ON)])
def test_noise_moves_and_erases_nothing(program, state, switched, pattern):
    """No servo is switched on, moved or forgotten when random bytes come for ten seconds."""
    command = [str(program), "1", str(SEEDS), "10", state, pattern]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    table = np.array([line.split() for line in text.splitlines()], int)
    assert len(table) == SEEDS
    assert table[:, 4].sum() > 500 * SEEDS
    assert set(table[:, 1]) == {switched}
    assert table[:, 2].max() == 0
    assert set(table[:, 3]) == {SAVED}
