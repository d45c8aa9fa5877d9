"""What reading an MJCF refuses, and how it says so."""

import re

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import ArmFileError, ModelWarning
from armtwin.model.formats.mjcf_reader import read_mjcf
from armtwin.model.formats.mjcf_writer import write_mjcf

GOOD = """<mujoco model="pair">
  <compiler angle="radian"/>
  <default><default class="big"><joint damping="0.4"/></default></default>
  <worldbody>
    <body name="arm">
      <joint name="turn" class="big" range="-1 2"/>
      <inertial pos="0 0 0" mass="2" diaginertia="0.01 0.01 0.01"/>
      <body name="hand" pos="0.5 0 0" quat="1 0 0 0">
        <joint type="slide" axis="1 0 0"/>
        <site name="tool" pos="0 0 0.1"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="turn" ctrlrange="-7 7"/></actuator>
</mujoco>
"""


@pytest.fixture
def write(tmp_path):
    """Return a function that writes an MJCF text and gives its path."""

    def to_file(text):
        path = tmp_path / "arm.xml"
        path.write_text(text)
        return path

    return to_file


def test_good_file(write):
    """An arm of screws with names, limits, drives and masses when the file is good."""
    arm = at.load(write(GOOD))
    assert (arm.name, arm.convention, arm.dof) == ("pair", "screws", 2)
    turn, slide = arm.joints
    assert (turn.name, slide.name, slide.kind) == ("turn", "joint_2", "prismatic")
    assert (turn.limits.lower, turn.limits.upper, turn.limits.effort) == (-1.0, 2.0, 7.0)
    assert dict(turn.drive.friction.parameters) == {"viscous": 0.4, "coulomb": 0.0}
    assert (turn.link.mass, slide.link.mass) == (2.0, None)
    assert np.array_equal(at.fk(arm, [0, 0.25])[:3, 3], [0.75, 0, 0.1])


REFUSED = {
    "broken XML": ("</worldbody>", "", r"line \d+: not valid XML: mismatched tag"),
    "no world": ("worldbody", "scenery", r"line 1: <mujoco>: has no <worldbody>; it needs one"),
    "include": ("<worldbody>", '<include file="a"/><worldbody>', r"line 4: <include>: is not read"),
    "free joint": (
        '<joint name="turn" class="big" range="-1 2"/>',
        "<freejoint/>",
        r"line 6: <freejoint>: is not read",
    ),
    "frame": ('<site name="tool" pos="0 0 0.1"/>', "<frame/>", r"line 10: <frame>: is not read"),
    "ball": ('type="slide"', 'type="ball"', r"line 9: .*type='ball' is not read; .* hinge, slide"),
    "no axis": ('axis="1 0 0"', 'axis="0 0 0"', r"line 9: <joint>: axis='0 0 0' has no direction"),
    "no class": (
        'class="big" r',
        'class="tiny" r',
        r"no default class 'tiny'; there are main, big",
    ),
    "two positions": ('pos="0.5 0 0"', 'pos="0.5"', r"line 8: .*pos='0.5'; expected 3 finite numb"),
    "zero quat": ('quat="1 0 0 0"', 'quat="0 0 0 0"', r"line 8: .*quat='0 0 0 0' has no direction"),
    "no mass": ('mass="2"', "", r"line 7: <inertial>: has no attribute 'mass'"),
    "negative mass": ('mass="2"', 'mass="-2"', r"line 7: <inertial>: a mass cannot be negative"),
    "no inertia": (
        'diaginertia="0.01 0.01 0.01"',
        "",
        r"line 7: <inertial>: has no attribute 'diaginertia'",
    ),
    "negative damping": ('range="-1 2"', 'damping="-1"', r"line 6: .*damping='-1'; it cannot be n"),
    "one bound": ('range="-1 2"', 'range="-1"', r"line 6: .*range='-1'; expected 2 finite numbers"),
    "same name": ('name="hand"', 'name="arm"', r"line 8: <body name='arm'>: this name was given"),
    "crossed": ('range="-1 2"', 'range="3 2"', r"joint 1 \(turn\): limits.lower 3 lies above"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal_names_file_line_and_field(case, write):
    """An ArmFileError with file, line and element when the file is faulty."""
    good, bad, message = REFUSED[case]
    assert good in GOOD
    text = GOOD.replace(good, bad) if case == "no world" else GOOD.replace(good, bad, 1)
    path = write(text)
    with pytest.raises(ArmFileError, match=re.escape(str(path)) + ".*" + message):
        at.load(path)


def test_missing_file(tmp_path):
    """An error says why when the file cannot be read."""
    with pytest.raises(ArmFileError, match=r"none.xml: cannot be read: No such file"):
        read_mjcf(tmp_path / "none.xml")


BRANCH = '<body name="camera"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></body>'


def test_branches_need_a_tip(write):
    """An error lists the tips when bodies branch and no site is called tool."""
    branching = GOOD.replace("</body>\n  </worldbody>", BRANCH + "\n  </worldbody>")
    assert at.load(write(branching)).joints[0].link.mass == 3.0
    path = write(branching.replace('name="tool"', 'name="grip"'))
    with pytest.raises(
        ArmFileError, match=r"first: grip \(2 joints\), hand \(2 joints\), camera .*tip='grip'"
    ):
        at.load(path)
    with pytest.raises(ArmFileError, match="no link or frame 'foot'; there are grip, world, arm"):
        at.load(path, tip="foot")
    assert at.fk(at.load(path, tip="grip"), [0, 0])[2, 3] == 0.1
    assert at.fk(at.load(path, tip="hand"), [0, 0])[2, 3] == 0.0


def test_last_body_is_the_tip_without_a_tool(write):
    """The last body is the tip when no site is called tool."""
    arm = at.load(write(GOOD.replace('name="tool"', "")))
    assert np.array_equal(at.fk(arm, [0, 0])[:3, 3], [0.5, 0, 0])


def test_what_is_not_read_is_said(write):
    """A warning with the line when springs or equality constraints are left out."""
    with pytest.warns(ModelWarning, match="line 6: stiffness of a joint's spring is not read"):
        at.load(write(GOOD.replace('range="-1 2"', 'stiffness="5"')))
    weld = '<equality><weld body1="hand" body2="world"/></equality><actuator>'
    with pytest.warns(ModelWarning, match=r"line 14: <equality> weld \(hand and world\) is not r"):
        at.load(write(GOOD.replace("<actuator>", weld)))


def test_limits_follow_mujoco_rules(write):
    """No limits when they are switched off, and degrees where nothing else is said."""
    off = at.load(write(GOOD.replace('range="-1 2"', 'range="-1 2" limited="false"')))
    assert off.joints[0].limits.upper is None
    manual = at.load(write(GOOD.replace('angle="radian"', 'autolimits="false"')))
    assert manual.joints[0].limits.upper is None
    degrees = at.load(write(GOOD.replace('angle="radian"', "")))
    assert degrees.joints[0].limits.upper == pytest.approx(np.deg2rad(2), rel=1e-15)


def test_doubtful_inertia_warns(write):
    """A warning names the joint when an inertia violates the triangle inequality."""
    with pytest.warns(ModelWarning, match=r"joint 1 \(turn\).*triangle inequality"):
        at.load(write(GOOD.replace('"0.01 0.01 0.01"', '"0.01 0.01 0.09"')))


def test_unknown_friction_model_is_named():
    """A comment says that friction was left out when MJCF cannot express its model."""
    text = write_mjcf(at.load("ur5e-energy"))
    assert text.count("cannot express the friction model power-flow: left out") == 6


FINGERS = """<body name="left"><joint name="l" type="slide" axis="0 1 0"/>
          <inertial pos="0 0 0" mass="0.5" diaginertia="1e-4 1e-4 1e-4"/></body>
        <body name="right"><joint name="r" type="slide" axis="0 1 0"/>
          <inertial pos="0 0 0" mass="0.5" diaginertia="1e-4 1e-4 1e-4"/></body>
        <site name="grip"/>
      </body>
    </body>
    <body name="other"><joint name="o"/></body><body name="cube"><freejoint/></body>"""
EQUALITY = """<equality>
    <joint joint1="r" joint2="l" polycoef="0.2 -1"/>
    <joint joint1="turn" joint2="l" active="false"/>
  </equality><actuator>"""
GRIPPER = (
    GOOD.replace('<site name="tool" pos="0 0 0.1"/>\n      </body>\n    </body>', FINGERS)
    .replace('<joint type="slide" axis="1 0 0"/>', '<joint name="wrist" axis="1 0 0"/>')
    .replace("<actuator>", EQUALITY)
)


def test_several_chains_and_coupled_fingers(write):
    """The likeliest tips come first and coupled fingers are held when a file has two arms."""
    path = write(GRIPPER)
    listed = r"first: grip \(2 joints\), hand \(2 joints\), other \(1 joint\), left \(3 joints\), "
    with pytest.raises(ArmFileError, match=listed + r"right \(3 joints\);"):
        at.load(path)
    with pytest.warns(ModelWarning, match="beside the chain to 'grip' are held at zero.*: l, r, o"):
        arm = at.load(path, tip="grip")
    assert [joint.name for joint in arm.joints] == ["turn", "wrist"]
    hand = arm.joints[1].link  # fingers of 0.5 kg at y = 0 and y = 0.2: about x, 0.1 m off
    assert (hand.mass, np.hypot(*hand.com[:2])) == (1.0, pytest.approx(0.1, rel=1e-14))
    assert arm.gravity == (0.0, 0.0, -9.81)


def test_coupled_joint_of_the_chain_is_named(write):
    """A warning states the coupling when the chain runs through a coupled joint."""
    with pytest.warns(ModelWarning) as caught:
        arm = at.load(write(GRIPPER), tip="right")
    messages = [str(one.message) for one in caught]
    assert any("joint 'r' is coupled (r = 0.2 + -1 l)" in message for message in messages)
    assert arm.dof == 3


def test_free_body_cannot_be_an_arm(write):
    """An error names the free joint when the tip is a loose object."""
    with pytest.raises(ArmFileError, match="<freejoint>: is not read; a chain is made of hinges"):
        at.load(write(GRIPPER), tip="cube")


def test_base_of_another_body(write):
    """The chain starts at the base, in its frame, when one is given."""
    tilted = GOOD.replace('<body name="arm">', '<body name="arm" euler="1.5707963267948966 0 0">')
    with pytest.warns(ModelWarning, match="that carry the base 'arm' are held at zero: turn"):
        arm = at.load(write(tilted), base="arm")
    assert np.allclose(arm.gravity, (0, -9.81, 0), atol=1e-14)
    assert np.allclose(at.fk(arm, [0.25])[:3, 3], [0.75, 0, 0.1], atol=1e-15)
