"""Bad input is one of our errors, says what is wrong, and exits with 2."""

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import (
    ArmFileError,
    ArmTwinError,
    InputError,
    JointLimitError,
    UnitWarning,
    UnknownArmError,
)

ARM = """name = "two"
convention = "standard-dh"

[[joints]]
name = "one"
a = 0.3

[[joints]]
name = "two"
a = 0.2
"""


@pytest.fixture
def arm_file(tmp_path):
    """Return a function that writes an arm file and returns its path."""

    def write(text):
        path = tmp_path / "arm.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def csv_file(tmp_path):
    """Return a function that writes a CSV file and runs fk on it, and returns the message."""

    def ask(text, capsys):
        path = tmp_path / "q.csv"
        path.write_text(text, encoding="utf-8")
        out = tmp_path / "out.csv"
        assert run(["fk", "ur10e", "--csv", str(path), "--out", str(out)]) == 2
        assert not out.exists()
        return one_line(capsys)

    return ask


def one_line(capsys):
    """Return the one line on the error stream, after checking that there is no other."""
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.mark.parametrize("function", [at.fk, at.jacobian, at.link_poses, at.tool_coordinates])
@pytest.mark.parametrize("q", [[0.0] * 5, [0.0] * 7, 0.0, [[0.0] * 5] * 2, []])
def test_wrong_number_of_joints(function, q):
    """The number expected and given are named when a joint vector has the wrong length."""
    with pytest.raises(InputError, match=r"'ur10e': q takes 6 numbers per state, got \d"):
        function(at.load("ur10e"), q)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(bad):
    """Row and joint are named when an entry is NaN or infinite."""
    q = np.zeros((4, 6))
    q[2, 4] = bad
    with pytest.raises(InputError, match=f"holds {bad} at row 2, joint 5"):
        at.fk(at.load("ur10e"), q)
    with pytest.raises(InputError, match="must be finite"):
        at.fk(at.load("ur10e"), q, ignore_limits=True)


@pytest.mark.parametrize("q", [["a"] * 6, [[0, 0], [0]], object()])
def test_values_that_are_no_numbers(q):
    """The expected shape is named when joints are not numbers."""
    with pytest.raises(InputError, match="numbers per state"):
        at.fk(at.load("ur10e"), q)


def test_unknown_arm_by_name():
    """The nearest names are listed when a name that does not exist is given for an arm."""
    with pytest.raises(UnknownArmError, match="did you mean ur10 or ur10e"):
        at.fk("ur10f", np.zeros(6))


def test_degrees_given_as_radians(capsys):
    """A warning names degrees when every joint is beyond 2 pi, beside the limit's error."""
    q = [90, -90, 90, -90, 90, 45]
    with pytest.warns(UnitWarning, match="look like degrees"), pytest.raises(JointLimitError):
        at.fk(at.load("ur10e"), q)
    assert run(["fk", "ur10e", *map(str, q)]) == 2
    warning, error = capsys.readouterr().err.splitlines()
    assert warning.startswith("warning: ")
    assert "--deg" in warning
    assert error.startswith("error: ")


def test_degrees_are_noticed_without_limits(arm_file, capsys):
    """The warning comes all the same when limits are ignored, absent, or a batch is read."""
    assert run(["fk", "ur10e", *["45"] * 6, "--ignore-limits"]) == 0
    assert "look like degrees" in capsys.readouterr().err
    path = arm_file(ARM)
    assert run(["fk", str(path), "45", "-90"]) == 0
    assert "look like degrees" in capsys.readouterr().err
    source, out = path.with_name("q.csv"), path.with_name("out.csv")
    source.write_text("q1,q2\n" + "45,-90\n" * 3)
    assert run(["fk", str(path), "--csv", str(source), "--out", str(out)]) == 0
    assert capsys.readouterr().err.count("look like degrees") == 1
    assert run(["fk", str(path), "45", "-90", "--deg"]) == 0
    assert capsys.readouterr().err == ""


def test_unknown_arm_names_the_nearest(capsys):
    """The nearest names and the whole catalogue are listed when an arm is unknown."""
    with pytest.raises(UnknownArmError, match="did you mean ur10e"):
        at.load("ur10-e")
    assert run(["fk", "ur10-e", "0"]) == 2
    reported = one_line(capsys)
    assert "did you mean ur10e" in reported
    assert all(name in reported for name in at.arm_names())


def test_missing_arm_file(capsys):
    """The path is named when an arm file does not exist."""
    assert run(["show", "nowhere.toml"]) == 2
    assert "nowhere.toml" in one_line(capsys)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (('name = "two"\nconv', "name = two\nconv"), r"not valid TOML: .*line 1"),
        (("a = 0.2", 'a = "far"'), r"line 10: joints.2.a: .*number"),
        (("a = 0.2", "a = nan"), r"line 10: joints.2.a: .*finite"),
        (("a = 0.2", "aa = 0.2"), r"line 10: joints.2.aa: unknown field"),
        (("a = 0.2", 'alpha = "90 grad"'), r"joints.2.alpha: .*'90 grad' is not an angle"),
        (("standard-dh", "dh"), r"line 2: convention: got 'dh'; valid: standard-dh"),
        (('name = "two"\na', "a"), r"line 8: joints.2.name: this field is missing"),
        (('[[joints]]\nname = "two"', '[[joints]]\nname = "one"'), "given twice: one"),
        (("a = 0.2", "screw = [0, 0, 1, 0, 0, 0]"), "'screw' belongs to convention 'screws'"),
    ],
)
def test_malformed_arm_file(arm_file, change, expected):
    """File, line and field are named when an arm file has a fault."""
    assert change[0] in ARM
    path = arm_file(ARM.replace(*change))
    with pytest.raises(ArmFileError, match=expected) as caught:
        at.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("[[1, 0, 0, 0], [0, 1, 0.1, 0], [0, 0, 1, 0], [0, 0, 0, 1]]", "tool.* is not orthogonal"),
        ("[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 1]]", "is a reflection"),
        ("[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2]]", "0 0 0 1"),
        ("[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "expected"),
    ],
)
def test_tool_that_is_no_pose(arm_file, rows, expected):
    """What is wrong with the matrix is said when the tool is not a rigid pose."""
    path = arm_file(ARM + f"[tool]\nmatrix = {rows}\n")
    with pytest.raises(ArmFileError, match=expected):
        at.load(path)


def test_joint_beyond_its_limit(capsys):
    """Joint, value and limits are named, and --ignore-limits helps, when a joint is beyond."""
    with pytest.raises(JointLimitError, match=r"joint 2 \(joint_2\) at row 0 is 2; its limits"):
        at.fk(at.load("desktop5"), [0, 2, 0, 0, 0])
    line = ["fk", "desktop5", "0", "2", "0", "0", "0"]
    assert run(line) == 2
    assert "--ignore-limits" in one_line(capsys)
    assert run([*line, "--ignore-limits"]) == 0


def test_target_that_is_no_pose():
    """The fault is named when ik gets a matrix that is not rigid."""
    T = np.eye(4)
    T[0, 0] = 1.1
    with pytest.raises(InputError, match="not orthogonal"):
        at.ik(at.load("ur10e"), T)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "q.csv is empty"),
        ("q1,q2,q3,q4,q5,q6\n", "has a header but no rows"),
        ("q1,q2,q3,q4,q5\n1,2,3,4,5\n", "no column q6 or wrist_3_joint; the header has q1, q2"),
        ("q1,q2,q3,q4,q5,q6\n0,0,0,0,0,0\n0,0,0\n", "line 3 has 3 fields; the header has 6"),
        ("q1,q2,q3,q4,q5,q6\n0,0,0,0,0,0,0\n", "line 2 has 7 fields; the header has 6"),
        ("q1,q2,q3,q4,q5,q6\n0,0,0,0,0,0\n\n0,0,0,0,0,0\n", "line 3 is empty"),
        ("q1,q2,q3,q4,q5,q6\n0,0,0,x,0,0\n", "line 2, column q4: 'x' is not a number"),
        ("q1,q2,q3,q4,q5,q6\n0,0,0,,0,0\n", "line 2, column q4: '' is not a number"),
        ("q1,q2,q3,q4,q5,q6\n0,0,0,nan,0,0\n", "holds nan at row 0, joint 4"),
    ],
)
def test_csv_with_a_fault(csv_file, capsys, text, expected):
    """File, line and column are named when a batch file has a fault."""
    assert expected in csv_file(text, capsys)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("fk ur10e 0 0 0", "q takes 6 numbers per state, got 3"),
        ("fk ur10e 0 0 nan 0 0 0", "holds nan at row 0, joint 3"),
        ("fk ur10e 0 0 0 0 0 zero", "zero"),
        ("fk ur10e --csv nowhere.csv --out x.csv", "nowhere.csv: no such file"),
        ("fk ur10e --csv nowhere.csv", "needs --out FILE"),
        ("fk ur10e 1 2 --csv a.csv --out b.csv", "not both"),
        ("ik ur10e --xyz 1 2 --rpy 0 0 0", "--xyz takes 3 numbers, got 2"),
        ("ik ur10e --xyz 1 2 3", "give the orientation once"),
        ("ik ur10e --rpy 1 2 3", "give the position"),
        ("ik ur10e --xyz 1 2 3 --quaternion 0 0 0 2", "length 2"),
        ("ik ur10e --xyz 1 2 3 --rpy", "--rpy takes 3 numbers, got 0"),
        ("ik ur10e --xyz 0 0 x --rpy 0 0 0", "x"),
        ("ik ur10e --xyz 9 0 0 --rpy 0 0 0", "cannot reach"),
        ("ik ur10e --xyz 1 0 0 --rpy 0 0 0 --seed 1 2", "takes 6 joints, got 2"),
        ("export ur10e --out arm.step", ".step"),
        ("export ur10e --out arm.toml --convention dh", "no convention 'dh'"),
        ("reproduce nothing", "fk-report"),
        ("nothing", "nothing"),
        ("fk", "ARM"),
        ("fk ur10e --nothing", "--nothing"),
    ],
)
def test_command_line_with_a_fault(line, expected, capsys, tmp_path, monkeypatch):
    """One line on the error stream names the fault when a command line is wrong."""
    monkeypatch.chdir(tmp_path)
    assert run(line.split()) == 2
    assert expected in one_line(capsys)
    assert list(tmp_path.iterdir()) == []


def test_debug_shows_the_traceback(capsys, monkeypatch):
    """The traceback is printed when --debug or ARMTWIN_DEBUG=1 asks for it."""
    assert run(["show", "nothing"]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert run(["show", "nothing", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err
    monkeypatch.setenv("ARMTWIN_DEBUG", "1")
    assert run(["show", "nothing"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_every_error_has_one_root():
    """Each error is an ArmTwinError when the errors are listed."""
    from armtwin import errors

    kinds = [v for v in vars(errors).values() if isinstance(v, type) and issubclass(v, Exception)]
    assert all(issubclass(k, ArmTwinError) or issubclass(k, Warning) for k in kinds)
