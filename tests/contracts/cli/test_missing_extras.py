"""Verbs without the optional packages: the extra that brings them is named."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import armtwin as at
from armtwin.extras import EXTRAS

ROOT = Path(__file__).parents[3]
IMPORT_NAMES = {
    "pyserial": "serial", "pillow": "PIL", "python-multipart": "multipart",
    "imageio-ffmpeg": "imageio_ffmpeg", "cupy-cuda13x": "cupy", "pycollada": "collada",
    "grpcio": "grpc",
}  # fmt: skip
MOVE = "--from 0 -1.5 1 -0.5 1 0 --to 0.5 -1.2 0.8 -0.5 1 0"
RUNNER = """
import contextlib, importlib.abc, io, json, sys

blocked = set(json.loads(sys.argv[1]))

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocker())
from armtwin.cli.main import run

answers = {}
for words in json.loads(sys.argv[2]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words.split())
    answers[words] = (code, err.getvalue())
print(json.dumps(answers))
"""


def test_extras_are_those_of_the_package():
    """Every module of an extra is known when pyproject.toml lists its package."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra, names in EXTRAS.items():
        packages = [
            line.partition(">")[0].partition("=")[0].partition("[")[0]
            for line in listed["optional-dependencies"][extra]
        ]
        assert sorted(IMPORT_NAMES.get(name, name) for name in packages) == sorted(names)


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """Return commands with the extra that they ask for; "" where they need none."""
    folder = tmp_path_factory.mktemp("extras")
    time = np.arange(500) / 100
    q = np.outer(np.sin(time), np.full(6, 0.5)) + [0, -1.5, 1, -0.5, 1, 0]
    run = at.Recording.of(time, {"q": q, "current": np.cos(q)})
    run.save(folder / "run.csv")
    run.save(folder / "run.parquet")
    for name in ("run.bag", "run.xlsx"):
        (folder / name).write_bytes(b"not looked at")
    return {
        f"identify ur5e {folder}/run.csv": "identify",
        "simulate ur5e --seconds 1": "simulate",
        "app --port 0": "app",
        f"optimize ur5e-energy {MOVE} --report {folder}/a.html": "report",
        f"validate ur5e {folder}/run.csv --pdf {folder}/b.pdf": "report",
        f"energy ur5e-energy {folder}/run.csv --report {folder}/c.html": "report",
        "robot ur5e --body dynamic": "simulate",
        f"validate ur5e {folder}/run.parquet": "recordings",
        f"validate ur5e {folder}/run.bag": "recordings",
        f"validate ur5e {folder}/run.xlsx": "recordings",
        f"prepare {folder}/run.csv --out {folder}/d.parquet": "recordings",
        f"record 127.0.0.1 --out {folder}/e.parquet": "recordings",
        f"history show {folder}/none": "history",
        "servo status --port nowhere": "",
        f"calibrate ur5e {folder}/run.csv": "",
    }


def test_missing_extra_is_named(commands):
    """Exit 2 and the extra's name when its packages are not installed, for every verb.

    CasADi stays: whether it is needed depends on the cache (``test_shipped_programs.py``).
    """
    others = [names for extra, names in EXTRAS.items() if extra != "derive"]
    blocked = json.dumps([name for names in others for name in names])
    words = [sys.executable, "-c", RUNNER, blocked, json.dumps(list(commands))]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout.splitlines()[-1])
    for line, extra in commands.items():
        code, reported = answers[line]
        assert code in (0, 2) if not extra else code == 2, (line, reported)
        assert not extra or f"armtwin[{extra}]" in reported, (line, reported)
