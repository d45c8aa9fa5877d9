"""What detectors make of recordings that they cannot use, or not wholly."""

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run as run_command
from armtwin.detection.detect import calibrate_detector, detect
from armtwin.errors import InputError, MissingColumnError
from armtwin.recording.recording import Recording

ARM = at.load("ur10e")
PATH = at.Circle(seconds=4.0)


@pytest.fixture(scope="module")
def clean():
    """Return an undisturbed run."""
    return at.simulate(ARM, PATH, seed=1)


@pytest.fixture(scope="module")
def learned(clean):
    """Return what it teaches."""
    return calibrate_detector(ARM, clean)


def changed(run, rows=slice(None), **columns):
    """Return rows of a recording with columns replaced, or left out where None."""
    data = {name: values[rows].copy() for name, values in run.data.items()}
    for name, value in columns.items():
        for column in [c for c in data if c.rstrip("0123456789") == name]:
            if value is None:
                del data[column]
            else:
                data[column][:] = value
    return Recording(run.time[rows], data, arm="ur10e", origin="changed")


def test_without_torques_and_currents(clean, learned):
    """A MissingColumnError names what is missing when there are neither torques nor currents."""
    with pytest.raises(MissingColumnError, match=r"tau1.*current1"):
        detect(ARM, changed(clean, tau=None, current=None, command=None), clean=learned)


def test_without_positions(clean, learned):
    """A MissingColumnError is raised when there are no joint positions."""
    with pytest.raises(MissingColumnError):
        detect(ARM, changed(clean, q=None), clean=learned)


def test_without_speeds(clean):
    """The notes say that speeds are derived from positions when none were recorded."""
    run = changed(clean, qd=None)
    found = detect(ARM, run, clean=run)
    assert any("qdd derived from q" in note for note in found.notes)
    assert found.alarms == ()


def test_other_rate_than_the_clean_run(clean, learned):
    """An InputError names both rates when a recording's is not that of the clean run."""
    with pytest.raises(InputError, match=r"250 samples a second.*500.*resample"):
        detect(ARM, changed(clean, slice(None, None, 2)), clean=learned)
    with pytest.raises(InputError, match="250 samples a second"):
        calibrate_detector(ARM, [clean, changed(clean, slice(None, None, 2))])


def test_too_short_clean_runs(clean):
    """An InputError says so when clean runs are too short to teach anything."""
    for rows in (2, 60, 110):
        with pytest.raises(InputError):
            calibrate_detector(ARM, changed(clean, slice(0, rows)))
    with pytest.raises(InputError, match="at least one"):
        calibrate_detector(ARM, [])


def test_all_nan(clean, learned):
    """No alarm is raised and all samples are counted when every one holds NaN."""
    broken = changed(clean, tau=np.nan)
    found = detect(ARM, broken, clean=learned)
    assert found.alarms == ()
    assert np.isnan(found.score).all()
    assert any(note.startswith(f"{len(clean)} samples held NaN") for note in found.notes)
    with pytest.raises(InputError, match="without gaps and NaN"):
        calibrate_detector(ARM, broken)


def test_another_arms_recording(clean):
    """An InputError is raised when the recording has another number of joints."""
    with pytest.raises(InputError, match="5"):
        detect(at.load("desktop5"), clean)


@pytest.mark.parametrize("rate", [0.0, -1.0, np.nan])
def test_false_alarm_rate_must_be_positive(clean, rate):
    """An InputError is raised when the wanted rate of false alarms makes no sense."""
    with pytest.raises(InputError, match="positive"):
        calibrate_detector(ARM, clean, per_hour=rate)


def test_live_samples_of_any_kind(clean, learned):
    """Lists count as arrays, a wrong length is refused, a NaN in time is counted when live."""
    live = learned.detector()
    live.step(0.0, *[[0.0] * 6] * 3)
    with pytest.raises(InputError, match="expected"):
        live.step(0.002, *[np.zeros(5)] * 3)
    assert not live.step(np.nan, *[np.zeros(6)] * 3).contact
    assert live.torque.missing == 1


def test_time_that_runs_back_starts_anew(clean, learned):
    """The detector starts anew and raises nothing when time jumps back."""
    live = learned.detector()
    q, qd, tau = (clean.group(name) for name in ("q", "qd", "tau"))
    for row in [*range(600), *range(300, 600)]:
        live.step(float(clean.time[row]), q[row], qd[row], tau[row])
    assert live.torque.restarts == 1
    assert live.alarms == []


STILL = r"no joint moves.*standstill"
UNEXPLAINED = r"does not explain the recording to learn from.*Nm RMS.*contacts cannot be judged"


def unexplained(clean, torque=28.0):
    """Return torques that nothing explains: steps of 0.2 s with this RMS [Nm]."""
    steps = np.random.default_rng(0).standard_normal((len(clean) // 100 + 1, 6))
    return torque * np.repeat(steps, 100, axis=0)[: len(clean)]


@pytest.mark.parametrize(
    ("torques", "reason"),
    [
        (lambda run: run.tau + unexplained(run), UNEXPLAINED),
        (lambda run: run.tau[:, ::-1], UNEXPLAINED),
        (lambda run: 0 * run.tau, "never change"),
        (lambda run: 0 * run.tau + 5.0, "never change"),
        (lambda run: 1e12 * run.tau, UNEXPLAINED),
    ],
    ids=["28 Nm RMS", "joints in another order", "no torque", "constant torque", "huge torque"],
)
def test_torques_that_the_model_does_not_explain(clean, torques, reason):
    """An InputError gives the reason when the model leaves too much, with and without a clean run.

    Before, thresholds rose until nothing was beyond them, and the answer was "no contact".
    """
    strange = clean.with_columns({"tau": torques(clean)})
    with pytest.raises(InputError, match=reason):
        detect(ARM, strange)
    with pytest.raises(InputError, match=reason):
        detect(ARM, clean, clean=strange)


@pytest.mark.parametrize("group", ["tau", "current"])
def test_a_clean_run_at_standstill(clean, group):
    """An InputError says that nothing moves when a clean run stands still without any noise."""
    rows = np.ones((len(clean), 1))
    groups = {"q": rows * clean.q[:1], "qd": 0 * clean.q, group: rows * clean.tau[:1]}
    still = Recording.of(clean.time, groups, arm="ur10e")
    with pytest.raises(InputError, match=STILL):
        calibrate_detector(ARM, still)
    with pytest.raises(InputError, match=STILL):
        detect(ARM, clean.with_columns({"current": clean.tau}).select("q", "qd", group),
               clean=still)  # fmt: skip


def test_one_joint_alone_moves(clean):
    """Nothing is reported when one joint alone moved, without noise, in clean run and recording."""
    t = clean.time
    q, qd = np.zeros((2, len(t), 6))
    q[:, 1], qd[:, 1] = 0.4 * np.sin(t) - 1.0, 0.4 * np.cos(t)
    tau = at.inverse_dynamics(ARM, q, qd, np.gradient(qd, t, axis=0))
    run = Recording.of(t, {"q": q, "qd": qd, "tau": tau}, arm="ur10e")
    assert detect(ARM, run, clean=run).verdict == "no contact"


def test_a_recording_unlike_its_clean_run_is_not_judged(clean, learned):
    """The verdict is "not judged", with both figures, when a payload hangs on the arm throughout.

    Without it the verdict is "no contact", with a push "contact".
    """
    loaded = clean.with_columns({"tau": clean.tau + np.array([0, 30.0, 20.0, 5.0, 0, 0])})
    found = detect(ARM, loaded, clean=learned)
    assert found.verdict == "not judged"
    assert "does not explain this recording" in found.reason and "Nm RMS" in found.reason
    assert detect(ARM, clean, clean=learned).verdict == "no contact"
    pushed = clean.tau.copy()
    pushed[1000:1200, 1] += 20.0
    assert detect(ARM, clean.with_columns({"tau": pushed}), clean=learned).verdict == "contact"


def test_without_usable_samples_nothing_is_judged(clean, learned):
    """The verdict is "not judged" when most samples hold NaN."""
    found = detect(ARM, changed(clean, tau=np.nan), clean=learned)
    assert found.verdict == "not judged" and "0% of the samples" in found.reason


def test_exit_codes_of_detect(clean, tmp_path, capfd):
    """Exit code 2 for what cannot be learned from, 1 for what is not judged, 0 for a judgement."""
    good = str(clean.save(tmp_path / "good.parquet"))
    strange = clean.with_columns({"tau": clean.tau + unexplained(clean)})
    bad = str(strange.save(tmp_path / "bad.parquet"))
    empty = str(changed(clean, tau=np.nan).save(tmp_path / "empty.parquet"))
    assert run_command(["detect", "ur10e", bad]) == 2
    assert "does not explain" in capfd.readouterr().err
    assert run_command(["detect", "ur10e", empty, "--clean", good]) == 1
    assert "NOT JUDGED: only 0%" in capfd.readouterr().out
    assert run_command(["detect", "ur10e", good, "--clean", good]) == 0
    assert "no contact" in capfd.readouterr().out


def swinging(rate, current):
    """Return 5 s of q and current of a UR5e: all joints swing, currents are a function of q."""
    t = np.arange(0, 5, 1 / rate)
    q = np.array([0, -1.5, 1, -1, 1, 0]) + 0.3 * np.sin(np.outer(t, 0.7 * np.arange(1, 7)))
    return Recording.of(t, {"q": q, "current": current(q)}, arm="ur5e")


def gravity_current(q):
    """Return currents that hold the arm [A], at 10 Nm/A."""
    return at.gravity(at.load("ur5e"), q) / 10


@pytest.mark.parametrize("rate", [2, 3, 4, 5])
def test_samples_too_far_apart_are_refused(rate, tmp_path, capsys):
    """Exit code 2 and the rate needed come back when a recording of 5 s is sampled too slowly.

    Before, all windows had one length and a contact ended in an IndexError (exit code 70).
    """
    file = swinging(rate, gravity_current).save(tmp_path / "slow.csv")
    assert run_command(["detect", "ur5e", str(file)]) == 2
    assert f"{rate} samples a second" in capsys.readouterr().err


@pytest.mark.parametrize("case", ["zero", "zero with a gap", "a good run and zero"])
def test_clean_runs_without_currents_are_refused(case, tmp_path, capsys):
    """Exit code 2 and the reason come back when a clean run holds zero currents."""
    zero = swinging(125, np.zeros_like)
    if case == "zero with a gap":
        zero = zero.with_columns(
            {"current": np.where(np.arange(625)[:, None] == 9, np.nan, 0 * zero.q)}
        )
    zero = zero.save(tmp_path / "zero.parquet")
    good = swinging(125, gravity_current).save(tmp_path / "good.parquet")
    clean = ["--clean", str(zero)] + (["--clean", str(good)] if "good" in case else [])
    assert run_command(["detect", "ur5e", str(good), *clean]) == 2
    assert "currents never change" in capsys.readouterr().err


def test_detect_takes_names_and_files(clean, tmp_path):
    """The alarms are the same when arm and recordings are given by name and file."""
    file = clean.save(tmp_path / "clean.parquet")
    by_name = at.detect("ur10e", file, clean=str(file))
    assert by_name.alarms == at.detect(ARM, clean, clean=clean).alarms
    assert by_name.to_dict()["verdict"] == "no contact"
    assert repr(by_name) == f"<Detection no contact: 0 alarms in {len(clean)} samples>"


def test_progress_is_reported_and_can_cancel(clean, learned):
    """Each step is reported, and the work ends, when on_progress is given and raises."""
    steps = []
    at.detect(ARM, clean, clean=learned, on_progress=lambda p: steps.append(p.step))
    assert steps[-1] == "detecting contacts"

    def cancel(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        at.detect(ARM, clean, clean=learned, on_progress=cancel)
