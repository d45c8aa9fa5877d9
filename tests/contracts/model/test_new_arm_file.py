"""``armtwin new``: DH tables, URDF files and templates become arm files that load at once."""

import json

import numpy as np
import pytest

import armtwin as at
from armtwin.cli.main import run
from armtwin.errors import ArmFileError, InputError, OutputExistsError

UR5E = """joint,type,a [mm],alpha [deg],d [mm],theta,lower,upper,speed [deg/s],effort
shoulder_pan_joint,revolute,0,90,162.5,q1,-360 deg,360 deg,180,150
shoulder_lift_joint,r,-425,0,0,q2,-2pi,2pi,180,150
elbow_joint,R,-392.2,0,0,q3,-2pi,2pi,180,150
wrist_1_joint,revolute,0,90,133.3,q4,-2pi,2pi,180,28
wrist_2_joint,revolute,0,-90,99.7,q5,-2pi,2pi,180,28
wrist_3_joint,revolute,0,0,99.6,q6,-2pi,2pi,180,28
"""


@pytest.fixture
def table(tmp_path):
    """Return a function that writes a table and returns its path."""

    def write(text, name="table.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def geometry(arm):
    """Return the DH rows and limits of an arm."""
    rows = [[j.a, j.alpha, j.d, j.theta, j.limits.lower, j.limits.upper, j.limits.speed,
             j.limits.effort] for j in arm.joints]  # fmt: skip
    return np.array(rows, float)


def test_table_of_the_catalogue(table, tmp_path, capsys):
    """The catalogue's arm comes out when its published DH table goes through ``armtwin new``."""
    file = tmp_path / "my_arm.toml"
    assert run(["new", str(file), "--from-dh", str(table(UR5E))]) == 0
    arm, known = at.load(file), at.load("ur5e")
    np.testing.assert_allclose(geometry(arm), geometry(known), rtol=1e-15)
    assert [j.name for j in arm.joints] == [j.name for j in known.joints]
    assert arm.name == "my_arm"
    assert run(["show", str(file)]) == 0
    assert "shoulder_pan_joint" in capsys.readouterr().out


def test_units_by_option(table, tmp_path, capsys):
    """The same arm when units come from options instead of the header."""
    plain = (
        "a,alpha,d,theta\n70,-90,352,0\n360,0,0,-90\n0,-90,0,0\n0,90,380,0\n0,-90,0,0\n0,0,65,180"
    )
    file = tmp_path / "arm.toml"
    words = ["new", str(file), "--from-dh", str(table(plain)), "--deg", "--mm", "--json"]
    assert run(words) == 0
    assert json.loads(capsys.readouterr().out)["dof"] == 6
    q = np.array([0.1, 0.2, -0.3, 0.4, 0.5, -0.6])
    np.testing.assert_allclose(at.fk(file, q), at.fk("irb140", q), atol=1e-14)


def test_modified_convention_and_fixed_rows(table):
    """A Panda's poses when its table is in Craig's convention with a fixed flange row."""
    rows = ["0,0,0.333", "0,-pi/2,0", "0,pi/2,0.316", "0.0825,pi/2,0", "-0.0825,-pi/2,0.384",
            "0,pi/2,0", "0.088,pi/2,0"]  # fmt: skip
    text = "a;alpha;d;kind\n" + "\n".join(f"{row.replace(',', ';')};r" for row in rows)
    arm = at.read_dh_table(table(text + "\n0;0;0.107;fixed\n"), convention="modified-dh")
    q = np.array([0.1, -0.2, 0.3, -1.4, 0.5, 1.6, -0.7])
    np.testing.assert_allclose(at.fk(arm, q), at.fk("panda", q), atol=1e-14)


def test_prismatic_rows(table):
    """Lengths and bounds are lengths when a row slides."""
    text = (
        "joint,type,a,alpha,d,theta,min,max\n1,revolute,0.3,0,0,q1,-1,1\n2,p,0,pi,q2+50,90,0,200\n"
    )
    arm = at.read_dh_table(table(text), degrees=True, millimetres=True)
    turning, sliding = arm.joints
    assert sliding.d == pytest.approx(0.05)
    assert (sliding.limits.lower, sliding.limits.upper) == (0, pytest.approx(0.2))
    assert sliding.alpha == pytest.approx(np.pi)
    assert turning.limits.upper == pytest.approx(np.radians(1))
    assert [joint.name for joint in arm.joints] == ["joint_1", "joint_2"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,alpha,d\n0,90,0.1\n", "line 2: alpha: 90 rad is too large for an arm"),
        ("a,alpha,d\n0,0,162\n", "line 2: d: 162 m is too large for an arm"),
        ("a,alpha,d,upper\n0,0,0,180\n", "line 2: upper: 180 rad is too large"),
        ("a,alpha,d,speed\n0,0,0,180\n", "or write the unit into the header, 'speed [deg/s]'"),
        ("a,alfa,d\n0,0,0\n", "line 1: unknown column 'alfa'; did you mean 'alpha'?"),
        ("a,d\n0,0\n", "line 1: columns missing: alpha"),
        ("a,alpha,d,d\n0,0,0,0\n", "given twice: d"),
        ("a,alpha,d\n0,0\n", "line 2: 2 cells, but the header has 3"),
        ("a,alpha,d\n0,nan,0\n", "line 2: alpha: 'nan' is not finite"),
        ("a,alpha,d\n0,0,x\n", "line 2: d: 'x' is not a number"),
        ("a,alpha,d\n0,0,pi\n", "line 2: d: 'pi' is not a number"),
        ("a,alpha [kg],d\n0,0,0\n", "'kg' is not a unit that converts to rad"),
        ("a,alpha,d,type\n0,0,0,ball\n", "line 2: type 'ball'; expected revolute"),
        ("a,alpha,d,direction\n0,0,0,2\n", "direction: '2'; expected 1 or -1"),
        ("a,alpha,d,lower,upper\n0,0,0,1,-1\n", "limits.lower 1 lies above"),
        ("a,alpha,d,type\n0,0,0,fixed\n", "has 0 driven joints"),
        ("a,alpha,d\n", "no table"),
    ],
)
def test_bad_tables(text, words, table):
    """The error names line, column and what was expected when a table is wrong."""
    with pytest.raises(ArmFileError) as raised:
        at.read_dh_table(table(text))
    assert words in str(raised.value)


def test_urdf_becomes_an_arm_file(tmp_path):
    """Same tool pose when a URDF goes through ``armtwin new``."""
    urdf = at.export("desktop5", tmp_path / "robot.urdf")
    q, file = np.array([0.1, 0.2, -0.3, 0.4, 0.5]), tmp_path / "arm.toml"
    words = ["new", str(file), "--from-urdf", str(urdf), "--tip", "tool"]
    for more, convention in (([], "screws"), (["--convention", "modified-dh"], "modified-dh")):
        assert run([*words, *more, "--force"]) == 0
        assert at.load(file).convention == convention
        np.testing.assert_allclose(at.fk(file, q), at.fk("desktop5", q), atol=1e-12)


@pytest.mark.parametrize("joints", [1, 2, 7])
def test_template_loads(joints, tmp_path):
    """An arm with placeholders and no masses when no table is given."""
    assert run(["new", str(tmp_path / "arm.toml"), "--joints", str(joints)]) == 0
    arm = at.load(tmp_path / "arm.toml")
    assert arm.dof == joints
    assert "placeholder" in dict(arm.sources)["geometry"]
    assert all(joint.link.mass is None for joint in arm.joints)


def test_everything_commented_out_is_valid(tmp_path):
    """The file loads with masses and drives when every commented field is taken in."""
    path = at.new_arm_file(tmp_path / "arm.toml", joints=1)
    lines = path.read_text(encoding="utf-8").splitlines()
    start = next(n for n, line in enumerate(lines) if line == "[[joints]]")
    taken = [
        line.removeprefix("# ") if "What is known" not in line else line for line in lines[start:]
    ]
    path.write_text("\n".join([*lines[:start], *taken]), encoding="utf-8")
    joint = at.load(path).joints[0]
    assert joint.link.mass == 1.0
    assert joint.drive.friction.model == "viscous-coulomb"
    assert None not in vars(joint.limits).values()
    assert None not in vars(joint.drive).values()


def test_files_are_kept(tmp_path, capsys):
    """An existing file stays as it is when ``--force`` is not given."""
    file = tmp_path / "arm.toml"
    file.write_text("mine", encoding="utf-8")
    assert run(["new", str(file)]) == 2
    assert "exists" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == "mine"
    assert run(["new", str(file), "--force"]) == 0
    assert at.load(file).dof == 6


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        ("arm.json", "ends in .toml"),
        ("arm.toml --joints 0", "0 joints; an arm has 1 to 32"),
        ("arm.toml --from-dh a.csv --from-urdf b.urdf", "not both"),
        ("arm.toml --tip x", "give --from-urdf"),
        ("arm.toml --from-dh absent.csv", "cannot be read"),
    ],
)
def test_bad_commands(words, reported, tmp_path, capsys, monkeypatch):
    """Exit code 2, one line, and no file when the command does not make sense."""
    monkeypatch.chdir(tmp_path)
    assert run(["new", *words.split()]) == 2
    assert reported in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_bad_convention(table):
    """The error names both conventions when another one is given."""
    with pytest.raises(InputError, match="standard-dh or modified-dh, not 'screws'"):
        at.read_dh_table(table(UR5E), convention="screws")


def test_schema_beside_the_file(tmp_path):
    """The first line names the schema, which is there, when it is asked for."""
    file = at.new_arm_file(tmp_path / "arm.toml", "ur5e", schema=True)
    first = file.read_text(encoding="utf-8").splitlines()[0]
    assert first == "#:schema ./arm_file.schema.json"
    schema = tmp_path / "arm_file.schema.json"
    assert json.loads(schema.read_text(encoding="utf-8"))["title"] == "Arm file of armtwin"
    at.new_arm_file(tmp_path / "second.toml", "ur5e", schema=True)
    schema.write_text("{}", encoding="utf-8")
    with pytest.raises(OutputExistsError):
        at.write_arm_file_schema(schema)
    np.testing.assert_allclose(geometry(at.load(file)), geometry(at.load("ur5e")), rtol=1e-15)
