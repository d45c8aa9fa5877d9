"""The verbs excite, energy and optimize: JSON, files, exit codes, bad input."""

import json
import re

import numpy as np
import pytest

import armtwin as at
from armtwin.app.jobs.job_options import ClientOptions
from armtwin.cli.main import run
from armtwin.energy.several import MIN_R2, several_energies
from armtwin.errors import InputError

MOVE = "--from 0 -1.5 1 -0.5 1 0 --to 1 -1 0.5 -1 -1 1"
POINTS = "0 -1.5 1 -0.5 1 0\n1 -1 0.5 -1 -1 1\n0.5 -1.8 0.8 0 0.5 -1\n"


@pytest.fixture
def answer(capsys):
    """Return a function that runs a command line and reads its JSON."""

    def ask(line):
        assert run(line.split()) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return ask


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Return the files of an optimised move."""
    folder = tmp_path_factory.mktemp("plan")
    line = f"optimize ur5e-energy {MOVE} --out {folder}/p.csv --urscript {folder}/p.script"
    assert run([*line.split(), "--report", str(folder / "p.html")]) == 0
    return folder


def test_optimize_saves_energy(answer):
    """The optimum costs less than the trapezoid and stands last when a move is optimised."""
    got = answer(f"optimize ur5e-energy {MOVE} --slower 1.25 --idle-power 30 --json")
    names = [motion["name"] for motion in got["motions"]]
    assert names[0] == "trapezoid" and names[-1] == "least energy"
    assert "trapezoid slowed down" in names
    assert got["saving"] > 0.1
    assert got["rule"] == "lossy-shared-bus"
    for motion in got["motions"]:
        assert motion["missing"] or motion["total"] == pytest.approx(
            motion["motors"] + 30 * motion["time"], rel=1e-2
        )


def test_optimised_plan_is_read_by_energy(plan, answer):
    """The plan's file costs what was reported when it is handed to energy."""
    got = answer(f"energy ur5e-energy {plan}/p.csv --regen lossy-shared-bus --idle-power 10 --json")
    reported = answer(f"optimize ur5e-energy {MOVE} --json")["motions"][-1]["motors"]
    assert got["motors"] == pytest.approx(reported, rel=1e-6)
    assert got["total"] == pytest.approx(got["motors"] + 10 * got["duration"])
    assert got["balance"] < 1e-9
    assert np.sum(got["drawn"]) == pytest.approx(
        sum(np.sum(got[n]) for n in ("links", "friction", "joule", "loss", "regenerated")), rel=1e-9
    )


def test_urscript_follows_the_plan(plan):
    """Every servoj of the program lies on the plan when it is read back."""
    text = (plan / "p.script").read_text()
    assert text.startswith("def least_energy_ur5e_energy():\n  movej([")
    assert text.endswith("end\n")
    sent = np.array([json.loads(row) for row in re.findall(r"servoj\((\[.*?\])", text)])
    motion = at.read_recording(plan / "p.csv")
    times = np.minimum(np.arange(len(sent)) * 0.008, motion.time[-1])
    expected = np.stack([np.interp(times, motion.time, column) for column in motion.q.T], axis=1)
    np.testing.assert_allclose(sent, expected, atol=1e-6)


def test_the_virtual_controller_runs_the_program(plan):
    """The virtual robot follows the planned motion when it runs the program."""
    from armtwin.robots.ur_controller.build import virtual_robot
    from armtwin.robots.ur_controller.script_programs import run_script

    controller = virtual_robot("ur5e").controller
    run_script(controller, (plan / "p.script").read_text())
    while controller.modes.program_running:
        controller.cycle()
    assert not controller.texts
    end = at.read_recording(plan / "p.csv").q[-1]
    # servoj lags by its lookahead time, so that the arm still moves when stopj begins.
    np.testing.assert_allclose(controller.reference.q, end, atol=0.1)


def test_report_is_written(plan):
    """The report holds rule and motions when one is asked for."""
    text = (plan / "p.html").read_text(encoding="utf-8")
    assert "lossy-shared-bus" in text and "TOPP-RA" in text


def test_descent_that_returns_energy(answer):
    """Shares are left open in JSON when a motion gives back more than it takes."""
    down = "--from 0 -1.57 0 0 0 0 --to 0 -0.6 0 0 0 0 --no-floor --regen ideal --slower 3"
    got = answer(f"optimize ur5e-energy {down} --json")
    assert got["motions"][-1]["motors"] < 0
    assert got["saving"] is None or got["saving"] > 1


def test_through_waypoints(tmp_path, answer):
    """Waypoints of a file are passed when --through is given, in the time that is given."""
    file = tmp_path / "points.csv"
    file.write_text("q1,q2,q3,q4,q5,q6\n" + POINTS.replace(" ", ","))
    got = answer(f"optimize ur5e-energy --waypoints {file} --through --time 3.5 --json")
    assert got["time"] == pytest.approx(3.5)
    assert len(got["legs"]) == 2


def test_energy_report_and_table(plan, capsys):
    """A ledger is printed and a report written when people ask."""
    line = f"energy ur5e-energy {plan}/p.csv --report {plan}/e.html --regen brake"
    assert run(line.split()) == 0
    out = capsys.readouterr().out
    assert "Balance" in out and "brake: " in out
    assert (plan / "e.html").stat().st_size > 10_000
    assert run(line.split()) == 2
    assert "exists" in capsys.readouterr().err


def test_excite_writes_csv_and_script(tmp_path, answer):
    """Files are written and limits are kept when an excitation is asked for."""
    line = (
        f"excite ur5e --kind waypoints --points 5 --speed 2 --acceleration 5 --out {tmp_path}/e.csv"
    )
    got = answer(f"{line} --urscript {tmp_path}/e.script --json")
    motion = at.read_recording(tmp_path / "e.csv")
    assert np.abs(motion.qd).max() <= 2 + 1e-9
    assert np.abs(motion.qdd).max() <= 5 + 1e-9
    moves = re.findall(
        r"movej\((\[.*?\]), a=([\d.]+), v=([\d.]+)\)", (tmp_path / "e.script").read_text()
    )
    np.testing.assert_allclose([json.loads(m[0]) for m in moves], got["points"], atol=1e-6)
    assert {m[1:] for m in moves[1:]} == {("5", "2")}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"optimize ur5e {MOVE}", "lacks any drive"),
        (f"optimize ur5e-energy {MOVE} --time 0.2", "too short"),
        (f"optimize ur5e-energy {MOVE} --time -1", "positive time"),
        (f"optimize ur5e-energy {MOVE} --time 2 --slower 2", "both set the time"),
        (f"optimize ur5e-energy {MOVE} --regen free", "no regeneration rule 'free'"),
        (f"optimize ur5e-energy {MOVE} --speed 9", "beyond its own"),
        (f"optimize ur5e-energy {MOVE} --waypoints nowhere.csv", "not both"),
        (f"optimize ur5e-energy {MOVE} --floor 0 --no-floor", "exclude"),
        (f"optimize ur5e-energy {MOVE} --out plan.txt", "plan.txt"),
        (f"optimize ur5e-energy {MOVE} --urscript plan.txt", ".script"),
        (f"optimize ur5e-energy {MOVE} --com 0 0 1", "--payload"),
        ("optimize ur5e-energy --from 0 1 --to 1 1", "6 numbers"),
        ("optimize ur5e-energy --from 0 -90 0 0 0 0 --to 90 -90 0 0 0 0", "limits"),
        ("optimize ur5e-energy --waypoints nowhere.csv", "cannot be read"),
        ("optimize ur5e-energy", "--waypoints FILE"),
        ("excite ur5e --kind sine", "fourier and waypoints"),
        ("excite ur5e --speed 40", "beyond its own"),
        ("excite ur5e --box 1 1 1 0 0 0", "lowest corner"),
        ("excite ur5e --obstacles nowhere.txt", "cannot be read"),
        ("excite desktop5", "mass"),
        ("energy ur5e-energy nowhere.csv", "nowhere.csv"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::armtwin.errors.UnitWarning")
def test_bad_input_is_reported(line, words, capsys, tmp_path, monkeypatch):
    """Exit code 2 and one line that says what is wrong come back when input is bad."""
    monkeypatch.chdir(tmp_path)
    assert run(line.split()) == 2
    reported = capsys.readouterr().err
    assert words in reported
    assert "Traceback" not in reported


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "no waypoints"), ("0 0 0\n", "3 numbers"), ("1 2 3 4 5 six\n", "line 1"),
     ("0 0 0 0 0 nan\n" * 2, "finite"), ("0 -1 0 0 0 0\n" * 2, "the same")],
)  # fmt: skip
def test_bad_waypoints(text, words, capsys, tmp_path):
    """The line at fault is named when a file of waypoints is broken."""
    file = tmp_path / "w.csv"
    file.write_text("1 1 1 1 1 1\n" + text if "six" in text else text)
    assert run(["optimize", "ur5e-energy", "--waypoints", str(file)]) == 2
    assert words.replace("line 1", "line 2") in capsys.readouterr().err


def test_energy_of_bad_recordings(tmp_path, capsys):
    """A recording is refused with a reason when it lacks joints, rows or currents."""
    t = np.arange(20) / 100
    cases = {
        "short": (t[:3], {"q": np.zeros((3, 6))}, "too few"),
        "few joints": (t, {"q": np.zeros((20, 4))}, "6 joints"),
        "no joints": (t, {"power": np.ones(20)}, "joint positions"),
    }
    for name, (time, groups, words) in cases.items():
        file = at.Recording.of(time, groups).save(tmp_path / f"{name.replace(' ', '_')}.csv")
        assert run(["energy", "ur5e-energy", str(file)]) == 2, name
        assert words in capsys.readouterr().err
    file = at.Recording.of(t, {"q": np.zeros((20, 6))}).save(tmp_path / "q.csv")
    assert run(["energy", "ur5e-energy", str(file), "--measured"]) == 2
    assert "no measured motor currents" in capsys.readouterr().err
    assert run(["energy", "ur5e-energy", str(file), "--idle-power", "-5"]) == 2
    assert "0 or more" in capsys.readouterr().err


def test_results_take_names_and_have_a_page(plan):
    """Ledger and excitation have page and data when arm and file are given by name."""
    book = at.ledger("ur5e-energy", plan / "p.csv", idle=10.0)
    assert book.page().inputs and book.to_dict()["idle_power"] == 10.0
    found = at.excite("ur5e", "waypoints", points=3)
    assert json.loads(json.dumps(found.to_dict()))["rank"] == found.rank
    assert str(found.rank) in dict(found.page().facts).values()


def powered_run():
    """Return a recording with power and currents of a moving arm."""
    time = 0.01 * np.arange(400)
    q = 0.5 * np.sin(time[:, None] * np.arange(1, 7))
    qd = 0.5 * np.arange(1, 7) * np.cos(time[:, None] * np.arange(1, 7))
    current = np.random.default_rng(3).normal(size=(400, 6)) + qd
    power = 100 + 3 * (current * qd).sum(axis=1) + 0.3 * (current**2).sum(axis=1)
    return at.Recording.of(time, {"q": q, "qd": qd, "current": current, "power": power})


@pytest.mark.parametrize("several", [False, True])
def test_energy_reports_steps_and_can_be_cancelled(several):
    """Shares grow over fits and ledger, and raising ends the work, when power was recorded."""
    seen, given = [], powered_run()
    call = several_energies if several else at.recorded_energy
    source = [given, given] if several else given
    call("ur5e-energy", source, on_progress=seen.append)
    shares = [step.done for step in seen]
    assert shares == sorted(shares) and shares[0] >= 0 and shares[-1] < 1
    assert len({step.step for step in seen}) >= 3

    def cancel(progress):
        if progress.step.startswith("interval"):
            raise KeyboardInterrupt(progress.step)

    with pytest.raises(KeyboardInterrupt, match="idle power"):
        call("ur5e-energy", source, on_progress=cancel)


def test_options_of_energy_are_one_object():
    """The ledger is the same when its options are given as an object and as keywords."""
    given = powered_run()
    by_object = at.recorded_energy(
        "ur5e-energy", given, options=at.EnergyOptions(rule="brake", idle=5.0)
    )
    by_words = at.recorded_energy("ur5e-energy", given, rule="brake", idle=5.0)
    assert by_object.to_dict() == by_words.to_dict()
    assert by_object.idle == 5.0 and by_object.rule.name == "brake"


def test_options_of_excite_are_one_object():
    """The kind by position replaces that of the options when both are given."""
    options = at.ExciteOptions(kind="fourier", points=3, seed=4)
    found = at.excite("ur5e", "waypoints", options=options)
    again = at.excite("ur5e", "waypoints", points=3, seed=4)
    assert found.kind == "waypoints" and np.array_equal(found.motion.q, again.motion.q)


def test_very_long_motions_are_refused():
    """The time is named when a slow trapezoid makes the motion last for days."""
    slow = {"trapezoid": {"vmax": 1e-9, "amax": 1e-9}}
    points = [[0, -1.5, 1, -0.5, 1, 0], [1, -1, 0.5, -1, -1, 1]]
    options = ClientOptions(at.OptimizeOptions, leave_out=("inputs",)).read(slow)
    with pytest.raises(InputError, match="at most 3600 are possible"):
        at.optimize("ur5e-energy", points, options=options)


def test_optimize_reports_steps_and_can_be_cancelled():
    """The first step is reported, and ends the work, when on_progress raises."""

    def cancel(progress):
        raise KeyboardInterrupt(progress.step)

    points = [[0, -1.5, 1, -0.5, 1, 0], [1, -1, 0.5, -1, -1, 1]]
    with pytest.raises(KeyboardInterrupt, match="1 legs"):
        at.optimize("ur5e-energy", points, on_progress=cancel)


def powered(seed, idle=30.0):
    """Return 20 s of a UR3e with the power of planted motors."""
    t = np.arange(1000) / 50.0
    w = np.random.default_rng(seed).uniform(0.8, 2.5, 6)
    q, qd = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w))
    current = 2 * np.sin(np.outer(t, w[::-1])) + 0.5 * np.sign(qd)
    power = idle + 5.0 * (current * qd).sum(axis=1) + 0.8 * (current**2).sum(axis=1)
    return at.Recording.of(t, {"q": q, "qd": qd, "current": current, "power": power})


def test_energy_of_several_files_is_tested_on_others(tmp_path, answer, capsys):
    """One supply fits two files and predicts a third; another idle power fails the test."""
    for name, seed, idle in (("a", 1, 30.0), ("b", 2, 30.0), ("c", 3, 30.0), ("d", 4, 900.0)):
        powered(seed, idle).save(tmp_path / f"{name}.csv")
    a, b, c, d = (str(tmp_path / f"{name}.csv") for name in "abcd")
    got = answer(f"energy ur3e {a} {b} --test {c} --json")
    assert [run["part"] for run in got["runs"]] == ["train", "train", "test"]
    assert got["supply"]["idle"] == pytest.approx(30, abs=0.5)
    assert got["runs"][2]["r2"] > 0.999
    assert got["runs"][2]["fitted"] == pytest.approx(got["runs"][2]["measured"], rel=1e-3)
    assert run(["energy", "ur3e", a, b, "--test", d]) == 1
    assert "NOT PASSED" in capsys.readouterr().out
    assert run(["energy", "ur3e", a, b, "--run", "1"]) == 2


def one_joint(seed):
    """Return a recording like ``powered`` in which joint 6 alone moves."""
    run, rng = powered(seed), np.random.default_rng(seed)
    current = run.current + 0.05 * rng.normal(size=run.current.shape)
    qd = run.qd * np.eye(6)[5]
    power = 30 + 5.0 * (current * qd).sum(axis=1) + 0.8 * (current**2).sum(axis=1)
    return at.Recording.of(run.time, {"q": run.q, "qd": qd, "current": current, "power": power})


def test_energy_of_joints_that_stood_in_training_is_not_passed():
    """A low R2 fails and names joints without back-EMF when training moves joint 6 alone."""
    found = several_energies("ur3e", [one_joint(1)], test=[powered(3)])
    run, verdict = found.runs[1], found.page().verdict
    assert 0 < run.r2 < MIN_R2 and run.unknown == (1, 2, 3)
    assert verdict.passed is False and "expected 0.5 or more" in verdict.text
    assert "joint 1, 2, 3 is unknown" in verdict.text


def test_energy_of_noise_and_of_constant_power_is_not_judged():
    """No test passes or fails when its power does not vary, or its error is the reading's noise."""
    rng, still = np.random.default_rng(0), np.zeros((1000, 6))
    groups = {"q": still, "qd": still, "current": still}
    noise = at.Recording.of(powered(1).time, {**groups, "power": rng.normal(30, 0.3, 1000)})
    constant = at.Recording.of(powered(1).time, {**groups, "power": np.full(1000, 30.0)})
    for held, reason in ((noise, "is noise"), (constant, "does not vary")):
        verdict = several_energies("ur3e", [powered(1)], test=[held]).page().verdict
        assert verdict.passed is None and reason in verdict.text
        both = several_energies("ur3e", [powered(1)], test=[powered(2), held]).page().verdict
        assert both.passed is True and "not judged" in both.text
    off = at.Recording.of(powered(1).time, {**groups, "power": rng.normal(33, 0.3, 1000)})
    assert several_energies("ur3e", [powered(1)], test=[off]).page().verdict.passed is False


def test_energy_test_without_power_is_refused(tmp_path, capsys):
    """A test file without power, and a plan without any, are refused."""
    powered(1).save(tmp_path / "a.csv")
    powered(2).select("q", "qd").save(tmp_path / "b.csv")
    assert run(["energy", "ur3e", str(tmp_path / "a.csv"), "--test", str(tmp_path / "b.csv")]) == 2
    assert "needs power" in capsys.readouterr().err
