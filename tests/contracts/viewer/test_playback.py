"""A recording to play: windows keep peaks and recorded poses, marks are where the file has them."""

import base64
import zlib

import numpy as np
import pytest

import armtwin as at
from armtwin.app.jobs.job_parameters import ColumnsJob, PlayJob
from armtwin.app.jobs.work import columns, play
from armtwin.app.jobs.work.context import JobContext
from armtwin.errors import InputError
from armtwin.recording.recording import Recording
from armtwin.viewer import marks
from armtwin.viewer.playback import Playback, decimated

ROWS, RATE = 5000, 500.0


@pytest.fixture(scope="module")
def arm():
    """The arm that is played."""
    return at.load("ur5e")


@pytest.fixture(scope="module")
def run(arm):
    """Ten seconds with a peak of one sample in a current and a protective stop."""
    time = 100.0 + np.arange(ROWS) / RATE
    q = 0.3 * np.sin(time[:, None] * np.arange(1, 7)) + 0.2
    current = np.zeros((ROWS, 6))
    current[1234, 2] = 7.0
    mode = np.where((time > 104.0) & (time < 105.0), 3.0, 1.0)
    position = at.fk(arm, q)[:, :3, 3] + [0.001, 0.0, 0.0]
    signals = {"q": q, "current": current, "position": position, "target_q": q + 0.01}
    return Recording.of(time, signals).with_columns({"safety_mode": mode})


def unpacked(packed):
    """Return packed arrays by name, as the page unpacks them."""
    data, found, at_byte = zlib.decompress(base64.b64decode(packed["data"])), {}, 0
    for part in packed["arrays"]:
        count = part["rows"] * part["columns"]
        block = np.frombuffer(data[at_byte : at_byte + 8 * count], np.uint8).reshape(8, count)
        columns_first = np.ascontiguousarray(block.T).view("<f8").reshape(part["columns"], -1)
        found[part["name"]] = columns_first.T
        at_byte += 8 * count
    return found


def test_peaks_survive_in_a_short_chart(tmp_path, arm, run):
    """A peak of one sample is in the overview when only a hundredth of the rows is drawn."""
    playback = Playback.write(tmp_path, arm, run)
    window = Playback.open(tmp_path).window(arm, 0.0, 1e9, buckets=25, frames=10)
    charts = unpacked(window["charts"])
    assert playback.info["rows"] == ROWS and window["factor"] == ROWS / 25
    assert charts["real.current"][:, 2].max() == 7.0
    assert len(charts["time"]) == 50 and np.all(np.diff(charts["time"][:, 0]) > 0)


def test_poses_of_a_window_are_recorded_ones(tmp_path, arm, run):
    """Link poses are recorded rows', and the error is the planted one, in a short window."""
    Playback.write(tmp_path, arm, run)
    window = Playback.open(tmp_path).window(arm, 2.0, 2.1, buckets=1000, frames=1000)
    frames, first = unpacked(window["frames"]), int(2.0 * RATE)
    assert frames["time"][0, 0] <= 2.0 and frames["time"][-1, 0] >= 2.1
    row = int(np.searchsorted(frames["time"][:, 0], 2.0))
    flange = at.link_poses(arm, run.q[first])[-1, :3, 3]
    assert np.allclose(frames["links"][row].reshape(-1, 7)[-1, :3], flange, atol=1e-12)
    assert np.allclose(frames["error"], 0.001, atol=1e-7)
    assert not np.allclose(frames["ghost"], frames["links"])
    assert window["factor"] == 1.0


def test_stops_are_marked_where_the_mode_says_so(run):
    """One protective stop from 4 s to 5 s is marked when the file has the safety mode."""
    (stop,) = marks.stops(run)
    assert stop["text"] == "protective stop"
    assert stop["time"] == pytest.approx(4.0, abs=0.01)
    assert stop["end"] == pytest.approx(5.0, abs=0.01)


def test_groups_hold_their_smallest_and_largest_values():
    """Every group's extremes are kept when values are noise of any length."""
    values = np.random.default_rng(1).normal(size=(1003, 2))
    thin, factor = decimated({"time": np.arange(1003.0), "a": values}, 10)
    pairs = thin["a"].reshape(10, 2, 2)
    assert factor == 100.3
    assert pairs.max() == values.max() and pairs.min() == values.min()
    assert np.all(pairs[:, 0] <= pairs[:, 1])


def test_other_arm_and_empty_folder_are_refused(tmp_path, run):
    """Nothing is played when the arm has other joints, or when nothing was written."""
    with pytest.raises(InputError, match="6 joints and desktop5 has"):
        Playback.write(tmp_path, at.load("desktop5"), run)
    with pytest.raises(InputError, match="nothing to play"):
        Playback.open(tmp_path)


def request(order, folder, files, shown):
    """Return the request of a job's process."""
    nothing = lambda *_: None  # noqa: E731
    return JobContext(order, "ur5e", files, folder, report_step=nothing, show=shown.append)


def test_unnamed_columns_are_listed_and_played_with_a_mapping(tmp_path):
    """A file without known names is refused, listed with its rows, and played once it is mapped."""
    time = np.arange(50) * 20.0
    degrees = np.rad2deg(0.2 * np.sin(time[:, None] / 1000 * np.arange(1, 7)))
    heads = ["tick", *"abcdef"]
    rows = [",".join(map(str, row)) for row in np.column_stack([time, degrees])]
    file = tmp_path / "run.csv"
    file.write_text("\n".join([",".join(heads), *rows]), encoding="utf-8")
    (tmp_path / "job").mkdir()
    listed = columns.work(
        request(ColumnsJob(kind="columns", recording="x"), tmp_path, {"x": file}, [])
    )
    preview, guess = listed.tables
    assert preview.heads == tuple(heads) and len(preview.rows) == 10 and not guess.rows
    with pytest.raises(at.ArmTwinError):
        play.work(request(PlayJob(kind="play", recording="x"), tmp_path / "job", {"x": file}, []))
    names = {f"q{k + 1}": {"from": name, "unit": "deg"} for k, name in enumerate("abcdef")}
    mapping = {"columns": {"time": {"from": "tick", "unit": "ms"}, **names}, "timed": True}
    order, shown = PlayJob(kind="play", recording="x", mapping=mapping), []
    play.work(request(order, tmp_path / "job", {"x": file}, shown))
    info = Playback.open(tmp_path / "job").info
    assert info["end"] == pytest.approx(0.98) and info["signals"][0] == "q"
    assert len(shown) == 1
    window = Playback.open(tmp_path / "job").window(at.load("ur5e"), 0, 1)
    assert np.allclose(unpacked(window["charts"])["q"], np.deg2rad(degrees))
