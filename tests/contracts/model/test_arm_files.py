"""Arm files: what is written reads back, what is faulty is refused by name and line."""

import math
import re

import pytest
from synthetic_arms import random_arm

import armtwin as at
from armtwin.errors import ArmFileError, InputError, ModelWarning, OutputExistsError
from armtwin.errors import UnknownArmError as UnknownArm
from armtwin.model.arm import Arm, Joint, Link
from armtwin.model.formats.toml import read_toml, write_toml

CONVENTIONS = ("standard-dh", "modified-dh", "screws")


def through_file(arm, folder):
    """Return the arm as read back from its own file."""
    path = folder / "arm.toml"
    path.write_text(write_toml(arm), encoding="utf-8")
    return at.load(path)


@pytest.mark.parametrize("name", at.arm_names())
def test_catalogue_reads_back(name, tmp_path):
    """An equal arm with the same fingerprint when a catalogue arm is written and read."""
    arm = at.load(name)
    back = through_file(arm, tmp_path)
    assert back == arm
    assert back.fingerprint == arm.fingerprint


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_any_arm_reads_back(seed, convention, tmp_path):
    """An equal arm, to the last bit, when a random or converted arm is written and read."""
    arm = at.convert(random_arm(seed), convention)
    back = through_file(arm, tmp_path)
    assert back == arm
    assert back.fingerprint == arm.fingerprint


def test_bare_arm_reads_back(tmp_path):
    """The same fingerprint when every optional number is left at its default."""
    arm = Arm("bare", "standard-dh", (Joint("one", a=0.1),))
    back = through_file(arm, tmp_path)
    assert (back, back.fingerprint) == (arm, arm.fingerprint)


def test_any_text_reads_back(tmp_path):
    """Every character comes back when titles and sources hold quotes, breaks and emoji."""
    text = 'say "no"\\ \n\t\x7f \u00e4 \U0001f916 [x] = 1 # not a comment'
    arm = at.load("ur5e").with_(title=text, sources=(("a b.c", text), ("plain", "")))
    back = through_file(arm, tmp_path)
    assert (back.title, back.sources) == (arm.title, arm.sources)


def test_smallest_numbers_read_back(tmp_path):
    """Every bit comes back when numbers are tiny, huge or have many digits."""
    values = (math.pi / 3, 5e-324, -1.7e308, 0.1 + 0.2)
    arm = Arm("bits", "standard-dh", (Joint("one", "revolute", *values),))
    joint = through_file(arm, tmp_path).joints[0]
    assert (joint.a, joint.alpha, joint.d, joint.theta) == values


@pytest.mark.filterwarnings("ignore:.*the format has no place for")
@pytest.mark.parametrize("ending", [".toml", ".urdf", ".xml", ".TOML"])
def test_export_chooses_the_format(ending, tmp_path):
    """The file loads as the same arm when it was exported to a known ending."""
    arm = at.load("ur5e")
    path = at.export(arm, tmp_path / "new" / f"arm{ending}")
    q = [0.1, -0.5, 0.7, 0.2, -0.3, 0.4]
    assert abs(at.fk(at.load(path), q) - at.fk(arm, q)).max() < 1e-12
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_export_names_what_is_lost(tmp_path):
    """A warning lists what the format cannot hold, and nothing for TOML, when an arm is written."""
    arm = at.load("ur5e-energy").with_(gravity=(0.0, 9.81, 0.0))
    drives = "gear ratios, motor constants, the friction power-flow"
    with pytest.warns(ModelWarning, match=f"no place for {drives}, rotor inertias, gravity; .toml"):
        at.export(arm, tmp_path / "arm.urdf")
    with pytest.warns(ModelWarning, match=f"no place for {drives}, speed limits; .toml keeps"):
        at.export(arm, tmp_path / "arm.xml")
    assert at.load(at.export(arm, tmp_path / "arm.toml")) == arm


def test_export_never_overwrites_unasked(tmp_path):
    """An error, and the old file untouched, when the file exists; force replaces it."""
    path = tmp_path / "arm.toml"
    path.write_text("mine")
    with pytest.raises(OutputExistsError, match=r"arm.toml exists; .*force=True, --force"):
        at.export(at.load("ur5e"), path)
    assert path.read_text() == "mine"
    assert at.load(at.export(at.load("ur5e"), path, force=True)) == at.load("ur5e")


def test_export_refuses_other_endings(tmp_path):
    """An error lists the endings when the format is unknown, and nothing is written."""
    with pytest.raises(InputError, match=r"\.toml \(arm file\), \.urdf or \.xml .* not '\.json'"):
        at.export(at.load("ur5e"), tmp_path / "arm.json")
    with pytest.raises(InputError, match="expected an Arm, a catalogue name or a file, got int 5"):
        at.export(5, tmp_path / "arm.toml")
    assert not list(tmp_path.iterdir())


def test_export_to_an_impossible_place(tmp_path):
    """An error says why when the place cannot be written."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written: "):
        at.export(at.load("ur5e"), tmp_path / "file" / "arm.toml")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(InputError, match="cannot be written: "):
        at.export(at.load("ur5e"), tmp_path / "folder.toml", force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.toml"]


GOOD = """name = "pair"
convention = "standard-dh"

[[joints]]
name = "one"
a = 0.1
alpha = "pi/2"
[joints.limits]
lower = "-90 deg"
upper = 1.5
[joints.link]
mass = 2.0
com = [0.0, 0.0, 0.1]
[joints.link.inertia]
xx = 0.01
yy = 0.01
zz = 0.01

[[joints]]
name = "two"
offset = "-2pi/3"
[joints.drive.friction]
model = "viscous-coulomb"
viscous = 0.1
coulomb = 0.2
"""

REFUSED = {
    "broken TOML": ('name = "one"', 'name = "one', r"not valid TOML: .*line 5"),
    "unknown key": ("a = 0.1", "b = 0.1", r"line 6: joints.1.b: unknown field"),
    "missing name": ('name = "two"\n', "", r"joints.2.name: this field is missing"),
    "no convention": ('convention = "standard-dh"', "", r"convention: this field is missing"),
    "other convention": ("standard-dh", "dh", r"line 2: convention: got 'dh'; .*standard-dh"),
    "no angle": ('"pi/2"', '"90 grad"', r"line 7: .*alpha: .*'90 grad' is not an angle"),
    "text": ("mass = 2.0", 'mass = "two"', r"line 12: .*mass: Input should be a valid number"),
    "infinity": ("a = 0.1", "a = inf", r"line 6: .*a: Input should be a finite number"),
    "nan": ("a = 0.1", "a = nan", r"line 6: .*a: Input should be a finite number"),
    "kind": ("a = 0.1", 'kind = "ball"', r"line 6: joints.1.kind: got 'ball'; valid: revol"),
    "direction": ("a = 0.1", "direction = 2", r"line 6: joints.1.direction: got 2; valid: 1, -1"),
    "screw in DH": ("a = 0.1", "screw = [0,0,1,0,0,0]", r"'screw' belongs to convention 'screws'"),
    "DH in screws": ("standard-dh", "screws", r"joint 1 \(one\): 'screw' belongs to conv"),
    "negative mass": ("mass = 2.0", "mass = -2.0", r"joint 1 \(one\): mass is -2 kg; a mass cann"),
    "bad moment": ("xx = 0.01", "xx = -0.01", r"joint 1 \(one\): inertia has the negative princ"),
    "same name": ('name = "two"', 'name = "one"', r"joint names must differ; given twice: one"),
    "crossed": ("upper = 1.5", "upper = -2.0", r"joint 1 \(one\): limits.lower -1.5708 lies abo"),
    "no speed": ("upper = 1.5", "speed = 0.0", r"joint 1 \(one\): limits.speed is 0; it must be"),
    "skewed base": (
        "[[joints]]",
        "[base]\nmatrix = [[1,0.1,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]\n[[joints]]",
        r"\[base\] is not orthogonal: R\^T R differs from identity by",
    ),
    "mirrored tool": (
        "[[joints]]",
        "[tool]\nmatrix = [[-1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]\n[[joints]]",
        r"\[tool\] is a reflection",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal_names_file_and_field(case, tmp_path):
    """An ArmFileError with file, field and, where known, line when the file is faulty."""
    good, bad, message = REFUSED[case]
    assert good in GOOD
    path = tmp_path / "arm.toml"
    path.write_text(GOOD.replace(good, bad, 1))
    with pytest.raises(ArmFileError, match=re.escape(str(path)) + "(?s:.*)" + message):
        at.load(path)


SCREWS = """name = "turns"
convention = "screws"
[[joints]]
name = "one"
kind = "revolute"
screw = [0, 0, 1, 0, 0, 0]
[joints.drive]
gear = 50
"""
REFUSED_SCREWS = {
    "long axis": ("[0, 0, 1, 0, 0, 0]", "[0, 0, 2, 0, 0, 0]", r"\|omega\| of its screw is 2; must"),
    "pitch": ("[0, 0, 1, 0, 0, 0]", "[0, 0, 1, 0, 0, 0.1]", r"its screw has pitch 0.1; only pure"),
    "turning slide": (
        'kind = "revolute"\nscrew = [0, 0, 1, 0, 0, 0]',
        'kind = "prismatic"\nscrew = [0, 0, 1, 0, 0, 1]',
        r"a prismatic screw has omega = 0, got \[0.0, 0.0, 1.0\]",
    ),
    "short slide": (
        'kind = "revolute"\nscrew = [0, 0, 1, 0, 0, 0]',
        'kind = "prismatic"\nscrew = [0, 0, 0, 0, 0, 0.5]',
        r"\|v\| of its screw is 0.5; must be 1",
    ),
    "gear": ("gear = 50", "gear = 0", r"drive.gear is 0; it must be positive"),
    "rotor": ("gear = 50", "motor_inertia = -1", r"drive.motor_inertia is -1; not negative"),
}


@pytest.mark.parametrize("case", REFUSED_SCREWS)
def test_impossible_screws_and_drives(case, tmp_path):
    """An ArmFileError names the joint when its screw or drive cannot be."""
    good, bad, message = REFUSED_SCREWS[case]
    assert good in SCREWS
    path = tmp_path / "arm.toml"
    path.write_text(SCREWS)
    assert through_file(at.load(path), tmp_path) == at.load(path)
    path.write_text(SCREWS.replace(good, bad))
    with pytest.raises(ArmFileError, match=r"arm.toml: line 3: joint 1 \(one\): " + message):
        at.load(path)


def test_good_file_is_read(tmp_path):
    """Angles become radians when they are written as text."""
    path = tmp_path / "arm.toml"
    path.write_text(GOOD)
    one, two = at.load(path).joints
    assert (one.alpha, two.offset) == (math.pi / 2, -2 * math.pi / 3)
    assert (one.limits.lower, one.limits.upper) == (-math.pi / 2, 1.5)


def test_unreadable_files(tmp_path):
    """An error says what is wrong when a file is missing, a folder or not text."""
    with pytest.raises(UnknownArm, match="no such arm file: .*none.toml; give an existing file"):
        at.load(tmp_path / "none.toml")
    with pytest.raises(ArmFileError, match="cannot be read: No such file"):
        read_toml(tmp_path / "none.toml")
    (tmp_path / "raw.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ArmFileError, match="raw.toml: not valid TOML"):
        at.load(tmp_path / "raw.toml")


def test_unknown_arm_suggests_the_nearest():
    """The nearest names are listed when no arm has the name."""
    with pytest.raises(UnknownArm, match=r"no arm named 'ur10x'; did you mean ur10"):
        at.load("ur10x")


def test_doubtful_inertia_warns(tmp_path):
    """A warning names the joint when an inertia violates the triangle inequality."""
    odd = Link(1.0, (0.0, 0.0, 0.0), (0.01, 0.01, 0.09, 0.0, 0.0, 0.0))
    arm = Arm("odd", "standard-dh", (Joint("spin", link=odd),))
    with pytest.warns(ModelWarning, match=r"joint 1 \(spin\).*violate the triangle inequality"):
        through_file(arm, tmp_path)
