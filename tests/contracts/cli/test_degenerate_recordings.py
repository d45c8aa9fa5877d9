"""Recordings with nothing to compute from: an answer or a reason, never a fault of armtwin."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import armtwin as at
from armtwin.cli.main import run
from armtwin.recording.recording import Recording

ARM = at.load("ur10e")
ROWS, STEP = 300, 0.008
HOME = np.deg2rad([0, -90, 90, 0, 90, 0])


def moving(joints):
    """Return time, positions, speeds and torques without noise while some joints swing."""
    t = STEP * np.arange(ROWS)
    q, qd = np.zeros((2, ROWS, 6))
    for j in joints:
        q[:, j], qd[:, j] = 0.4 * np.sin((2 + j) * t), 0.4 * (2 + j) * np.cos((2 + j) * t)
    q += HOME
    return t, q, qd, at.inverse_dynamics(ARM, q, qd, np.gradient(qd, t, axis=0))


def recording(t, q, qd, tau, **more):
    """Return a recording with every kind of column that a verb may want."""
    poses = at.fk(ARM, q)
    turns = Rotation.from_matrix(poses[:, :3, :3]).as_quat(canonical=True)
    power = 50 + np.abs(tau).sum(axis=1)
    groups = {"q": q, "qd": qd, "tau": tau, "current": tau / 10, "position": poses[:, :3, 3],
              "quaternion": turns, "voltage": np.full(len(t), 48.0), "supply_current": power / 48,
              "power": power, **more}  # fmt: skip
    return Recording.of(t, groups, arm="ur10e", origin="degenerate")


def cases():
    """Return the recordings by name."""
    t, q, qd, tau = moving(range(6))
    held = np.ones((ROWS, 1))
    gaps = np.full_like(tau, np.nan)
    return {
        "still": recording(t, held * q[:1], 0 * qd, held * tau[:1]),
        "all zero": recording(t, 0 * q, 0 * qd, 0 * tau),
        "two rows": recording(t[:2], q[:2], qd[:2], tau[:2]),
        "one row": recording(t[:1], q[:1], qd[:1], tau[:1]),
        "one joint moves": recording(*moving([1])),
        "constant torque": recording(t, q, qd, 0 * tau + 3.0),
        "constant power": recording(t, q, qd, tau, power=np.full(ROWS, 50.0)),
        "no torque anywhere": recording(t, q, qd, gaps, current=gaps),
        "no position anywhere": recording(t, q, qd, tau, position=gaps[:, :3]),
    }


VERBS = {
    "validate": ["validate", "ur10e"],
    "validate with fitted frames": ["validate", "ur10e", "--fit-tool", "--fit-base"],
    "validate without lag": ["validate", "ur10e", "--remove-lag"],
    "detect": ["detect", "ur10e"],
    "energy": ["energy", "ur10e"],
    "prepare": ["prepare", "--out", "prepared.csv", "--force"],
}
STILL = ("still", "all zero", "two rows", "one row", "no torque anywhere")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return the recordings' files by name."""
    folder = tmp_path_factory.mktemp("degenerate")
    found = {}
    for name, made in cases().items():
        found[name] = str(made.save(folder / f"{name.replace(' ', '_')}.parquet"))
    return found


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", cases())
@pytest.mark.parametrize("verb", VERBS)
def test_no_fault_of_armtwin(verb, name, files, tmp_path, monkeypatch, capsys):
    """The exit code is 0, 1 or 2, with a reason, when there is nothing to compute from."""
    monkeypatch.chdir(tmp_path)
    code = run([*VERBS[verb], files[name]])
    said = capsys.readouterr()
    assert code in (0, 1, 2), said.err
    assert code == 0 or said.out or said.err.startswith("error: ")


@pytest.mark.parametrize("name", STILL)
def test_identify_gives_the_reason(name, files, capsys):
    """The exit code is 2, with a reason, when there is nothing to identify."""
    assert run(["identify", "ur10e", files[name]]) == 2
    assert "error: " in capsys.readouterr().err
