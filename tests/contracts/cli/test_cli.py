"""What other programs rely on: JSON, exit codes, streams."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import VERBS, run
from armtwin.cli.number_command import LIST_OPTIONS, in_order, is_number

Q = [0.0, -1.5, 1.0, -0.5, 1.0, 0.0]
CLI = [sys.executable, "-m", "armtwin.cli"]


@pytest.fixture
def answer(capsys):
    """Return a function that runs a command line and reads its JSON."""

    def ask(line, code=0):
        assert run(line.split()) == code
        return json.loads(capsys.readouterr().out)

    return ask


def test_fk_json(answer):
    """One object with position, rpy, quaternion and matrix is printed when fk is asked for JSON."""
    got = answer("fk ur10e 0 -1.5 1 -0.5 1 0 --json")
    T, where = at.fk(at.load("ur10e"), Q), at.tool_coordinates(at.load("ur10e"), Q)
    np.testing.assert_allclose(got["matrix"], T, rtol=0, atol=1e-15)
    np.testing.assert_allclose(got["position"], where.position, rtol=0, atol=1e-15)
    np.testing.assert_allclose(got["rpy"], where.rpy, rtol=0, atol=1e-15)
    np.testing.assert_allclose(got["quaternion"], where.quaternion, rtol=0, atol=1e-15)
    assert got["units"] == {"length": "m", "angle": "rad"}


def test_fk_in_degrees_and_millimetres(answer):
    """The same pose is printed in other units when --deg and --mm are given."""
    si = answer("fk ur10e 0 -1.5 1 -0.5 1 0 --json")
    degrees = " ".join(repr(v) for v in np.rad2deg(Q).tolist())
    got = answer(f"fk ur10e {degrees} --deg --mm --json")
    np.testing.assert_allclose(got["position"], 1e3 * np.array(si["position"]), atol=1e-9)
    np.testing.assert_allclose(got["rpy"], np.rad2deg(si["rpy"]), atol=1e-12)
    np.testing.assert_allclose(np.array(got["matrix"])[:3, 3], got["position"], atol=1e-12)


@pytest.mark.parametrize(
    "line",
    [
        "fk ur10e --json 0 -1.5 1 -0.5 1 0",
        "fk --json ur10e 0 -1.5 1 -.5 1 0",
        "fk ur10e 0 -15e-1 1 -5E-1 1 -0 --json",
        "fk ur10e --json -- 0 -1.5 1 -0.5 1 0",
        "--debug fk ur10e 0 -1.5 1 -0.5 1 0 --json",
    ],
)
def test_negative_numbers_need_no_quoting(answer, line):
    """The same answer comes when options and negative numbers stand in any order."""
    expected = at.fk(at.load("ur10e"), Q)
    np.testing.assert_allclose(answer(line)["matrix"], expected, atol=1e-15)


def test_ik_json_reproduces_the_pose(answer):
    """Every solution reaches the pose to 1e-9 when ik is asked for JSON."""
    got = answer("ik ur10e --xyz -0.5 0.2 0.3 --rpy 3.1 -0.1 1e-1 --json")
    T = at.pose((-0.5, 0.2, 0.3), (3.1, -0.1, 0.1))
    assert len(got["solutions"]) == len(got["residuals"]) == 8
    np.testing.assert_allclose(at.fk(at.load("ur10e"), got["solutions"]), [T] * 8, atol=1e-9)
    assert max(got["residuals"]) < 1e-9


def test_ik_takes_a_quaternion_and_a_seed(answer):
    """The first solution is the seed when the pose is that of the seed."""
    where = at.tool_coordinates(at.load("ur10e"), Q)
    xyz, quaternion = (" ".join(map(repr, v.tolist())) for v in (where.position, where.quaternion))
    seed = " ".join(map(str, Q))
    got = answer(f"ik ur10e --seed {seed} --xyz {xyz} --quaternion {quaternion} --json")
    np.testing.assert_allclose(got["solutions"][0], Q, atol=1e-9)


def test_ik_in_degrees_and_millimetres(answer):
    """Solutions are those of SI units when --deg and --mm scale the question."""
    si = answer("ik ur10e --xyz -0.5 0.2 0.3 --rpy 3.14159265358979 0 0 --json")
    got = answer("ik ur10e --mm --deg --xyz -500 200 300 --rpy 180 0 0 --json")
    np.testing.assert_allclose(np.deg2rad(got["solutions"]), si["solutions"], atol=1e-9)


def test_ik_images_add_whole_turns(answer):
    """More solutions are listed, all of the same pose, when --images is given."""
    line = "ik ur10e --xyz -0.5 0.2 0.3 --rpy 3.1 0 0 --json"
    few, many = answer(line)["solutions"], answer(line + " --images")["solutions"]
    assert len(many) > len(few)
    poses = at.fk(at.load("ur10e"), many)
    np.testing.assert_allclose(poses, np.broadcast_to(poses[0], poses.shape), atol=1e-9)


def test_arms_json(answer):
    """Name, dof, convention and source of every arm are listed when arms is asked for JSON."""
    got = answer("arms --json")
    assert [entry["name"] for entry in got] == at.arm_names()
    assert all(set(entry) >= {"name", "dof", "convention", "source"} for entry in got)
    desktop = next(entry for entry in got if entry["name"] == "desktop5")
    assert (desktop["dof"], desktop["convention"]) == (5, "standard-dh")


@pytest.mark.parametrize("name", at.arm_names())
def test_show_prints_every_arm(name, answer, capsys):
    """Text and JSON are printed when any arm is shown."""
    assert answer(f"show {name} --json")["dof"] == at.load(name).dof
    assert run(["show", name, "--deg", "--mm"]) == 0
    text = capsys.readouterr().out
    assert all(joint.name in text for joint in at.load(name).joints)


@pytest.mark.parametrize("ending", ["toml", "urdf", "xml"])
def test_export_writes_by_ending(ending, tmp_path, capsys):
    """A file that loads as the same arm is written when its ending names the format."""
    file = tmp_path / f"arm.{ending}"
    assert run(["export", "ur5e", "--out", str(file)]) == 0
    np.testing.assert_allclose(at.fk(at.load(file), Q), at.fk(at.load("ur5e"), Q), atol=1e-12)
    assert run(["export", "ur5e", "--out", str(file)]) == 2
    assert "exists" in capsys.readouterr().err
    assert run(["export", "ur5e", "--out", str(file), "--force"]) == 0


INERTIAL = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
)
TWO_ARMS = "".join(
    f'<link name="{side}">{INERTIAL}</link><link name="{side}_tool"/>'
    f'<joint name="{side}_turn" type="continuous"><parent link="stand"/><child link="{side}"/>'
    f'<origin xyz="0 {y} 0"/><axis xyz="0 0 1"/></joint><joint name="{side}_end" type="fixed">'
    f'<parent link="{side}"/><child link="{side}_tool"/><origin xyz="1 0 0"/></joint>'
    for side, y in (("left", 0.5), ("right", -0.5))
)


@pytest.fixture
def two_arms(tmp_path):
    """Return a URDF file with a left and a right arm of one joint each."""
    file = tmp_path / "two.urdf"
    file.write_text(f'<robot name="two"><link name="stand"/>{TWO_ARMS}</robot>')
    return file


def test_tip_and_base_choose_the_chain(two_arms, tmp_path, answer):
    """Each verb works on the chosen chain when a file holds several."""
    where = f"{two_arms} --tip right_tool"
    assert answer(f"fk {where} 0 --json")["position"] == [1.0, -0.5, 0.0]
    assert len(answer(f"ik {where} --xyz 1 -0.5 0 --rpy 0 0 0 --json")["solutions"]) == 1
    assert answer(f"dynamics {where} 0 --qdd 1 --json")["tau"] == [pytest.approx(0.1)]
    sources = answer(f"show {where} --base stand --json")["sources"]
    assert sources["chain"] == "stand to right_tool"
    answer(f"export {where} --out {tmp_path / 'right.toml'} --json")
    assert at.load(tmp_path / "right.toml").joints[0].name == "right_turn"


def test_unclear_chain_is_refused(two_arms, capsys):
    """The candidates are listed with their joints when no tip is chosen."""
    assert run(["fk", str(two_arms), "0"]) == 2
    assert "left_tool (1 joint), right_tool (1 joint); as in" in capsys.readouterr().err


def test_export_converts(tmp_path, answer):
    """The written arm has another convention and the same poses when --convention is given."""
    file = tmp_path / "arm.toml"
    got = answer(f"export ur5e --out {file} --convention screws --json")
    assert got["convention"] == at.load(file).convention == "screws"
    np.testing.assert_allclose(at.fk(at.load(file), Q), at.fk(at.load("ur5e"), Q), atol=1e-12)


def test_doctor_tells_versions(answer):
    """Versions, compilers, CPU and cache are listed when doctor is asked for JSON."""
    got = answer("doctor --json")
    assert got["packages"]["numpy"] == np.__version__
    assert set(got) >= {"python", "compilers", "cpu_features", "cache", "problems"}


@pytest.mark.parametrize("place", ["file/inside", "/proc/armtwin"])
def test_doctor_fails_on_a_cache_that_cannot_be_written(answer, tmp_path, monkeypatch, place):
    """The exit code is 1 and the problem names the folder when no file can be made in it."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("ARMTWIN_CACHE", str(tmp_path / place))
    got = answer("doctor --json", code=1)
    assert not got["cache"]["writable"]
    (problem,) = got["problems"]
    assert "cannot be written" in problem and "ARMTWIN_CACHE" in problem


def test_fk_batch(tmp_path, capsys):
    """A file of poses is written when columns come in any order with a time beside them."""
    arm = at.load("ur10e")
    q = np.random.default_rng(0).uniform(-3, 3, (50, 6))
    order = [3, 0, 5, 1, 2, 4]
    rows = np.column_stack([q[:, order], np.arange(50)])
    source, out = tmp_path / "q.csv", tmp_path / "poses.csv"
    header = ",".join([*(f"q{k + 1}" for k in order), "time"])
    np.savetxt(source, rows, delimiter=",", header=header, comments="", fmt="%.17g")
    assert run(["fk", "ur10e", "--csv", str(source), "--out", str(out)]) == 0
    assert out.read_text().splitlines()[0] == "time,x,y,z,roll,pitch,yaw,qx,qy,qz,qw"
    got = np.loadtxt(out, delimiter=",", skiprows=1)
    where = at.tool_coordinates(arm, q)
    np.testing.assert_allclose(got[:, 1:4], where.position, atol=1e-14)
    np.testing.assert_allclose(got[:, 4:7], where.rpy, atol=1e-14)
    np.testing.assert_allclose(got[:, 7:], where.quaternion, atol=1e-14)
    assert run(["fk", "ur10e", "--csv", str(source), "--out", str(out)]) == 2
    assert "--force" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["poses.csv", "q.csv"]


def test_ik_batch_returns_the_joints(tmp_path, answer):
    """The joints that made the poses are among the solutions when fk's file is given to ik."""
    q = np.random.default_rng(1).uniform(-3, 3, (20, 6))
    joints, poses, out = (tmp_path / name for name in ("q.csv", "poses.csv", "solutions.csv"))
    np.savetxt(joints, q, delimiter=",", header="q1,q2,q3,q4,q5,q6", comments="", fmt="%.17g")
    answer(f"fk ur5e --csv {joints} --out {poses} --json")
    got = answer(f"ik ur5e --csv {poses} --out {out} --json")
    assert got["rows"] == 20
    assert got["unreachable"] == []
    lines = np.loadtxt(out, delimiter=",", skiprows=1)
    for k, wanted in enumerate(q, 1):
        solutions = lines[lines[:, 0] == k, 1:7]
        turns = (solutions - wanted + np.pi) % (2 * np.pi) - np.pi
        assert np.abs(turns).max(axis=1).min() < 1e-7


def test_ik_batch_exits_1_when_a_pose_is_out_of_reach(tmp_path, answer):
    """Its row is named and the exit code is 1 when one pose of a file cannot be reached."""
    poses, out = tmp_path / "poses.csv", tmp_path / "out.csv"
    poses.write_text("x,y,z,roll,pitch,yaw\n-0.5,0.2,0.3,3.1,0,0\n9,0,0,0,0,0\n")
    assert answer(f"ik ur10e --csv {poses} --out {out} --json", code=1)["unreachable"] == [2]


@pytest.mark.parametrize("verb", VERBS)
def test_every_help_page_has_an_example(verb, capsys):
    """Examples of the verb itself are printed when its help is asked for."""
    assert run([verb, "--help"]) == 0
    assert f"  armtwin {verb}" in capsys.readouterr().out.split("Examples:")[1]


def test_no_arguments_print_the_help(capsys):
    """All verbs are listed when armtwin is called alone."""
    assert run([]) == 0
    text = capsys.readouterr().out
    assert all(f"  {verb} " in text for verb in VERBS)


def test_version(capsys):
    """The version is printed when it is asked for."""
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"armtwin {at.__version__}\n"


def test_fault_of_armtwin_is_distinguished(monkeypatch, capsys):
    """The exit code is 70 and one line names the fault when armtwin itself breaks."""
    import armtwin.cli.verbs.setup.doctor

    monkeypatch.setattr(armtwin.cli.verbs.setup.doctor, "examine", lambda: 1 / 0)
    assert run(["doctor"]) == 70
    reported = capsys.readouterr().err
    assert reported.startswith("error: ZeroDivisionError")
    assert "Traceback" not in reported
    assert run(["doctor", "--debug"]) == 70
    assert "Traceback" in capsys.readouterr().err


INTERRUPTED = """
import os, signal, sys
from armtwin.cli.tables.result_file import ResultFile
write = ResultFile.rows

def rows(self, *columns):
    write(self, *columns)
    print(len(os.listdir(os.path.dirname(sys.argv[-1]))), "files")
    os.kill(os.getpid(), signal.SIGINT)

ResultFile.rows = rows
from armtwin.cli.start import main
main()
"""


def test_interrupt_exits_130_and_leaves_no_part(tmp_path):
    """The exit code is 130, without traceback or half a file, when Ctrl-C stops a batch."""
    source, out = tmp_path / "q.csv", tmp_path / "poses.csv"
    source.write_text("q1,q2,q3,q4,q5,q6\n" + "0.1,0.2,0.3,0.4,0.5,0.6\n" * 100)
    command = [sys.executable, "-c", INTERRUPTED, "fk", "ur10e", "--csv", source, "--out", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert done.stdout.strip() == "2 files"
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["q.csv"]


def test_closed_pipe_is_no_fault():
    """No traceback is printed when the reader of the output goes away."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*CLI, "arms"], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert done.returncode == 141
    assert done.stderr == b""


def test_numbers_are_distinguished_from_options():
    """Numbers in any notation are recognised when the command line is read."""
    assert all(map(is_number, ["1", "-1", "+1.5", "-.5", "2.", "1e3", "-1E-3", "nan", "-inf"]))
    assert not any(map(is_number, ["", "-", "--mm", "-x", "1,5", "1.5m", "e3", "0x10"]))


def test_arguments_are_put_in_order():
    """List options become one value and numbers go last when arguments are ordered."""
    words = ["arm", "--xyz", "-1", "2", "-3", "4", "--out", "-5", "-6", "--json"]
    assert in_order(words, {*LIST_OPTIONS, "--out"}) == [
        "arm", "--xyz", "-1 2 -3", "--out", "-5", "--json", "--", "4", "-6",
    ]  # fmt: skip


def test_progress_is_reported_after_two_seconds(monkeypatch, capsys):
    """The share done is reported on the error stream when work takes longer than the patience."""
    from dataclasses import dataclass

    from armtwin.cli import progress_display

    @dataclass
    class Part:
        done: float

    parts = [Part(0.25), Part(0.5), Part(1.0)]
    assert list(progress_display.progress(parts, "fk")) == parts
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress_display, "PATIENCE", -1.0)
    assert list(progress_display.progress(parts, "fk")) == parts
    reported = capsys.readouterr()
    assert " 50%" in reported.err
    assert reported.out == ""


def test_ik_of_a_partial_pose(answer):
    """Solutions that meet what counts, and not the rest, when --mask is given."""
    found = answer("ik ur10e --xyz -0.5 0.2 0.3 --rpy 3.1 0 0 --mask 1 1 1 0 0 0 --json")
    assert max(found["residuals"]) < 1e-9 and max(found["orientation_errors"]) > 0.1


@pytest.mark.parametrize(
    ("words", "position", "expected"),
    [
        ("armtwin val", 1, ["validate"]),
        ("armtwin fk ur10e-", 2, ["ur10e-observer", "ur10e-report"]),
    ],
)
def test_shell_completion(words, position, expected):
    """Verbs and arms are offered when a shell asks for completions of what was typed."""
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(position), "_ARMTWIN_COMPLETE": "complete_bash"}
    code = "import sys; sys.argv = ['armtwin']; from armtwin.cli.start import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **asked}, capture_output=True, text=True
    )
    assert run.stdout.split() == expected


def test_ik_prints_how_far_the_orientation_is_off(capsys):
    """The table has a column for it when an arm of five joints cannot reach the orientation."""
    assert run(["ik", "desktop5", "--xyz", "0.2", "0", "0.15", "--rpy", "2.5", "0.4", "1"]) == 0
    assert "orientation error" in capsys.readouterr().out
    assert run(["ik", "ur10e", "--xyz", "-0.5", "0.2", "0.3", "--rpy", "3.1", "0", "0"]) == 0
    assert "orientation error" not in capsys.readouterr().out


def test_unknown_verb_is_answered_with_the_known_ones(capsys):
    """Exit 2, the nearest verb and the list of all when a verb does not exist."""
    assert run(["validat", "ur10e"]) == 2
    reported = capsys.readouterr().err
    assert "did you mean validate" in reported and "doctor" in reported
