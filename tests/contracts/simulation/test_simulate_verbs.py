"""The verbs simulate and detect: JSON, files, pictures, exit codes, bad input."""

import json

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run

PUSH = "--push joint=2,torque=20,start=2,duration=0.3"
SHORT = "simulate ur10e --seconds 4"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a folder with a pushed run, a clean one, a report and pictures of it."""
    folder = tmp_path_factory.mktemp("simulated")
    files = f"--out {folder}/run.parquet --report {folder}/run.html --picture {folder}/run.png"
    assert run(f"{SHORT} --model cylinders {PUSH} {files}".split()) == 0
    calm = f"simulate ur10e --seconds 12 --model cylinders --seed 5 --out {folder}/clean.parquet"
    assert run(calm.split()) == 0
    return folder


def test_files_are_whole(made):
    """Recording, report and picture hold what they should when a run is simulated."""
    reported = at.read_recording(made / "run.parquet")
    assert len(reported) == 2001
    assert np.abs(reported["tau_ext2"]).max() == pytest.approx(20)
    page = (made / "run.html").read_text(encoding="utf-8")
    for text in (
        "Tracking in joint space",
        "Tracking in space",
        "Detected contacts",
        "true contact",
    ):
        assert text in page
    from PIL import Image

    with Image.open(made / "run.png") as picture:
        pixels = np.asarray(picture.convert("RGB"), float)
    assert pixels.shape[1] >= 320
    assert pixels.std() > 10


def test_detect_tells_time_joint_torque_and_end(made, capsys):
    """One alarm has its time, joint, torque and end when a pushed run is searched."""
    line = f"detect ur10e {made}/run.parquet --clean {made}/clean.parquet --json"
    assert run(line.split()) == 0
    (alarm,) = json.loads(capsys.readouterr().out)["alarms"]
    assert alarm["joint"] == 2
    assert 2.0 < alarm["time"] <= 2.006
    assert alarm["torque"] == pytest.approx(20, abs=0.3)
    assert alarm["end"] == pytest.approx(2.3, abs=0.05)


def test_simulate_says_json(capsys):
    """Tracking, speed and processing notes can be read by a program when JSON is asked for."""
    assert run(f"{SHORT} --json".split()) == 0
    reported = json.loads(capsys.readouterr().out)
    assert reported["rows"] == 2001
    assert 0 < reported["tracking_rms"] < 1e-4
    assert any("seed 0" in line for line in reported["processing"])


def test_film_has_frames(tmp_path):
    """A film of the run can be played when a GIF is asked for."""
    from PIL import Image

    assert run(f"simulate ur10e --seconds 1 --video {tmp_path}/run.gif".split()) == 0
    with Image.open(tmp_path / "run.gif") as film:
        assert film.n_frames >= 10


def test_drawing_that_cannot_be_done_is_reported(tmp_path, monkeypatch, capsys):
    """An error, no crash and no file when graphics want a display that is not there."""
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("MUJOCO_GL", "glfw")
    assert run(f"simulate ur10e --seconds 1.5 --picture {tmp_path}/run.png".split()) == 2
    assert "cannot draw off-screen" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_no_file_is_overwritten_unasked(made, capsys):
    """The file stays as it was when a run would overwrite it without --force."""
    before = (made / "run.parquet").read_bytes()
    assert run(f"{SHORT} --out {made}/run.parquet".split()) == 2
    assert "exists" in capsys.readouterr().err
    assert (made / "run.parquet").read_bytes() == before


def test_unstable_run_keeps_what_there_is(tmp_path, capsys):
    """The error has time and state and the file can be read when the arm runs away."""
    line = f"simulate ur10e --kp 4000000 --kv 5 --out {tmp_path}/part.parquet"
    assert run(line.split()) == 2
    said = capsys.readouterr().err
    assert "at t = " in said and "qd = (" in said and "part.parquet" in said
    assert len(at.read_recording(tmp_path / "part.parquet")) > 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("simulate ur10e --push joint=7,torque=20", "joints 1 to 6"),
        ("simulate ur10e --push joint=2", "torque"),
        ("simulate ur10e --push elbow=2,torque=3", "elbow"),
        ("simulate ur10e --radius 2", "leaves the workspace"),
        ("simulate ur10e --period 0.7", "speed of joint"),
        ("simulate ur10e --path spiral", "circle, line, waypoints"),
        ("simulate ur10e --path line --start 0.4,0.2", "--start"),
        ("simulate ur10e --controller fuzzy", "computed-torque"),
        ("simulate ur10e --model desktop5", "do not match"),
        ("simulate ur10e --noise loud", "typical"),
        ("simulate ur10e --drives big", "own or real"),
        ("simulate ur10e --rate 0", "Hz"),
        ("simulate ur10e --post position=0.75:0.2:0.4,height=0.8", "post 1: stands where"),
        ("simulate desktop5", "mass"),
        ("detect ur10e nothing.parquet", "nothing.parquet"),
    ],
)
def test_bad_input(line, said, capsys):
    """The exit code is 2 and the error names the matter when a scenario makes no sense."""
    assert run(line.split()) == 2
    assert said in capsys.readouterr().err


def test_detect_needs_torque_or_current(tmp_path, capsys):
    """What is there and what is needed is reported when a recording has joints alone."""
    t = 0.002 * np.arange(2000)
    q = 0.2 * np.sin(np.outer(t, np.ones(6)))
    at.Recording.of(t, {"q": q}, arm="ur10e").save(tmp_path / "q.parquet")
    assert run(["detect", "ur10e", str(tmp_path / "q.parquet")]) == 2
    said = capsys.readouterr().err
    assert "torque" in said and "current" in said


@pytest.mark.parametrize("verb", ["detect ur5e", "energy ur5e-energy"])
def test_recording_of_another_arm_is_refused(made, verb, capsys):
    """Both arms are named when a recording says that it is of an arm of other lengths."""
    verb, arm = verb.split()
    assert run([verb, arm, str(made / "run.parquet")]) == 2
    assert f"is of arm 'ur10e', not of {arm!r}" in capsys.readouterr().err


def test_clean_recording_of_another_arm_is_refused(made, tmp_path, capsys):
    """The clean recording is refused when it is of another arm than the one searched."""
    line = f"simulate ur5e --radius 0.1 --seconds 3 --out {tmp_path}/small.parquet"
    assert run(line.split()) == 0
    line = f"detect ur10e {made}/run.parquet --clean {tmp_path}/small.parquet"
    assert run(line.split()) == 2
    assert "is of arm 'ur5e', not of 'ur10e'" in capsys.readouterr().err


def test_scene_of_a_picture_holds_no_pickle():
    """A scene is read back with pickles forbidden when posts and a path are drawn."""
    import io

    from armtwin.simulation.rendering.drawing import scene_archive

    arm, q = at.load("ur10e"), np.zeros((2, 6))
    post = at.Post(position=(0.5, 0.1, 0.2), size=np.array([0.1, 0.1, 0.2]))
    archive = scene_archive(arm, q, np.zeros((200, 3)), [post])
    scene = np.load(io.BytesIO(archive), allow_pickle=False)
    assert scene["q"].shape == (2, 6)
    assert len(scene["marks"]) <= 100
    assert json.loads(str(scene["posts"]))[0]["size"] == [0.1, 0.1, 0.2]


def test_options_are_the_same_in_one_object_and_as_keywords():
    """Two runs are equal, bit for bit, when options are given as one object or as keywords."""
    from armtwin.simulation.options import SimulateOptions

    pushes, path = [at.Push(joint=2, torque=20.0, start=0.5)], at.Circle(seconds=1.5)
    first = at.simulate("ur10e", path, options=SimulateOptions(pushes=pushes, seed=3))
    again = at.simulate(at.load("ur10e"), path, pushes=pushes, seed=3)
    np.testing.assert_array_equal(first.tau, again.tau)
