"""What reading a URDF refuses, and how it says so."""

import re

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import ArmFileError, InputError, ModelWarning
from armtwin.model.arm import Arm, Joint, Limits
from armtwin.model.formats.urdf_reader import read_urdf
from armtwin.model.formats.urdf_writer import write_urdf

INERTIA = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
LIMIT = '<limit lower="-1" upper="1" effort="10" velocity="2"/>'
GOOD = f"""<robot name="pair">
  <link name="base"/>
  <joint name="turn" type="revolute">
    <parent link="base"/>
    <child link="arm"/>
    <axis xyz="0 0 1"/>
    {LIMIT}
  </joint>
  <link name="arm">
    <inertial><mass value="2"/>{INERTIA}</inertial>
  </link>
  <joint name="wrist" type="continuous">
    <parent link="arm"/>
    <child link="hand"/>
    <origin xyz="0.5 0 0" rpy="0 0 0"/>
  </joint>
  <link name="hand"/>
</robot>
"""


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a URDF text and gives its path."""

    def to_file(text):
        path = tmp_path / "arm.urdf"
        path.write_text(text)
        return path

    return to_file


def test_good_file(write):
    """An arm of screws with names, limits and masses when the file is good."""
    arm = at.load(write(GOOD))
    assert (arm.name, arm.convention, arm.dof) == ("pair", "screws", 2)
    assert arm.joints[0].limits == Limits(-1.0, 1.0, 2.0, None, 10.0)
    assert arm.joints[1].limits == Limits()
    assert arm.joints[0].link.mass == 2.0
    assert arm.joints[1].link.mass is None
    assert arm.joints[0].screw == (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    assert arm.joints[1].screw == (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert np.array_equal(at.fk(arm, [0, 0])[:3, 3], [0.5, 0, 0])


REFUSED = {
    "broken XML": ('<child link="arm"/>', '<child link="arm">', r"line 8: not valid XML: mism"),
    "entities": (
        "<robot",
        '<!DOCTYPE r [<!ENTITY a "b">]><robot',
        r"line 1: entity declarations are not read",
    ),
    "xacro": ('<link name="base"/>', "<xacro:arm/>", r"line 2: <xacro:arm>: this is a xacro file"),
    "unknown type": (
        'type="continuous"',
        'type="floating"',
        r"line 12: <joint name='wrist'>: type='floating' is not read; the types read are revolute",
    ),
    "no type": ('type="continuous"', "", r"line 12: .*has no attribute 'type'; it needs one"),
    "planar": ('type="continuous"', 'type="planar"', r"line 12: .*type='planar' is not read"),
    "no parent": ('<parent link="base"/>', "", r"line 3: <joint name='turn'>: has no <parent>"),
    "no child": ('<child link="hand"/>', "", r"line 12: <joint name='wrist'>: has no <child>"),
    "lost link": (
        '<parent link="arm"/>',
        '<parent link="leg"/>',
        r"line 12: .*parent link 'leg' does not exist; there are base, arm, hand",
    ),
    "two parents": (
        '<child link="hand"/>',
        '<child link="arm"/>',
        r"line 12: .*link 'arm' is already the child of joint 'turn'; a link has one parent",
    ),
    "two roots": (
        '<link name="hand"/>',
        '<link name="hand"/><link name="table"/>',
        r"line 1: .*several roots: base, table; expected one",
    ),
    "same joint name": (
        'name="wrist"',
        'name="turn"',
        r"line 12: <joint name='turn'>: this name was given before, on line 3",
    ),
    "same link name": (
        '<link name="hand"/>',
        '<link name="arm"/>',
        r"line 17: <link name='arm'>: this name was given before, on line 9",
    ),
    "nameless link": (
        '<link name="hand"/>',
        "<link/>",
        r"line 17: <link>: has no attribute 'name'",
    ),
    "no direction": ('xyz="0 0 1"', 'xyz="0 0 0"', r"line 6: <axis>: xyz='0 0 0' has no direct"),
    "two numbers": ('xyz="0.5 0 0"', 'xyz="0.5 0"', r"line 15: .*xyz='0.5 0'; expected 3 finite"),
    "text": ('value="2"', 'value="two"', r"line 10: <mass>: value='two'; expected a finite num"),
    "infinity": ('value="2"', 'value="inf"', r"line 10: <mass>: value='inf'; expected a finite"),
    "negative mass": ('value="2"', 'value="-2"', r"line 10: <mass>: a mass cannot be negative"),
    "no mass": ('<mass value="2"/>', "", r"line 10: <inertial>: has no <mass>; it needs one"),
    "no inertia": (INERTIA, "", r"line 10: <inertial>: has no <inertia>; it needs one"),
    "no ixx": ('ixx="0.01"', "", r"line 10: <inertia>: has no attribute 'ixx'"),
    "negative moment": ('ixx="0.01"', 'ixx="-1"', r"joint 1 \(turn\): inertia has the negative"),
    "no limit": (LIMIT, "", r"line 3: .*a revolute joint needs <limit lower upper effort velo"),
    "no bounds": (
        'lower="-1" upper="1"',
        "",
        r"line 7: <limit>: has neither lower nor upper; give both, or make the joint continuous",
    ),
    "crossed bounds": ('lower="-1"', 'lower="3"', r"joint 1 \(turn\): limits.lower 3 lies above"),
    "negative effort": ('effort="10"', 'effort="-1"', r"line 7: <limit>: effort='-1'; it cannot"),
    "negative damping": (
        '<origin xyz="0.5 0 0" rpy="0 0 0"/>',
        '<dynamics damping="-1"/>',
        r"line 15: <dynamics>: damping='-1'; it cannot be negative",
    ),
    "nothing moves": (
        GOOD[GOOD.index("  <joint") : GOOD.index("</robot>")],
        "",
        r"arm 'pair' has 0 driven joints",
    ),
    "no links": (GOOD[GOOD.index("  <link") : GOOD.index("</robot>")], "", r"has no <link>"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal_names_file_line_and_field(case, write):
    """An ArmFileError with file, line and element when the file is faulty."""
    good, bad, message = REFUSED[case]
    assert good in GOOD
    path = write(GOOD.replace(good, bad, 1))
    with pytest.raises(ArmFileError, match=re.escape(str(path)) + ".*" + message):
        at.load(path)


def test_loop_is_refused(write):
    """An error names the loop when links hang on each other."""
    extra = (
        '<link name="p"/><link name="q"/>'
        '<joint name="pq" type="fixed"><parent link="p"/><child link="q"/></joint>'
        '<joint name="qp" type="fixed"><parent link="q"/><child link="p"/></joint></robot>'
    )
    with pytest.raises(ArmFileError, match="is part of a closed loop; an arm is an open chain"):
        at.load(write(GOOD.replace("</robot>", extra)))
    only = GOOD.replace('<link name="base"/>', "").replace('<parent link="base"/>', "")
    ring = only.replace('<child link="arm"/>', '<parent link="hand"/><child link="arm"/>')
    with pytest.raises(ArmFileError, match="a closed loop and no root"):
        at.load(write(ring))


def test_other_root_is_refused(write):
    """An error names both elements when the file is another kind of XML."""
    with pytest.raises(ArmFileError, match=r"line 1: <svg>: is the outermost .* expected <robot>"):
        at.load(write("<svg/>"))


def test_missing_file(tmp_path):
    """An error says why when the file cannot be read."""
    with pytest.raises(ArmFileError, match=r"none.urdf: cannot be read: No such file"):
        read_urdf(tmp_path / "none.urdf")


BRANCH = (
    '<joint name="side" type="fixed"><parent link="arm"/><child link="camera"/>'
    '<origin xyz="0 0.1 0"/></joint>'
    f'<link name="camera"><inertial><mass value="0.5"/>{INERTIA}</inertial></link></robot>'
)


def test_branches_need_a_tip(write):
    """An error lists the tips when the tree branches, and a tip resolves it."""
    path = write(GOOD.replace("</robot>", BRANCH))
    with pytest.raises(
        ArmFileError, match=r"first: hand \(2 joints\), camera \(1 joint\); .*tip='hand'"
    ):
        at.load(path)
    with pytest.raises(ArmFileError, match="has no link or frame 'foot'; there are base, arm"):
        at.load(path, tip="foot")
    assert at.load(path, tip="hand").dof == 2
    with pytest.warns(ModelWarning, match="beside the chain to 'camera'.*: wrist"):
        camera = at.load(path, tip="camera")
    assert [joint.name for joint in camera.joints] == ["turn"]


def finger(name, parent, side, extra):
    """Return a sliding finger of 0.5 kg on a link."""
    return (
        f'<joint name="{name}" type="prismatic"><parent link="{parent}"/>'
        f'<child link="{name}_link"/><axis xyz="0 {side} 0"/>{LIMIT}{extra}</joint>'
        f'<link name="{name}_link"><inertial><mass value="0.5"/>{INERTIA}</inertial></link>'
    )


def with_fingers(*more):
    """Return an arm whose hand carries parts."""
    return GOOD.replace("</robot>", "".join(more) + "</robot>")


LEFT = finger("left", "hand", 1, "")
RIGHT = finger("right", "hand", -1, '<mimic joint="left" multiplier="2" offset="0.2"/>')


def test_mimic_beside_the_chain_is_held_at_its_offset(write):
    """A coupled finger stands where its leader at zero puts it when the chain ends at the hand."""
    path = write(with_fingers(LEFT, RIGHT))
    with pytest.warns(ModelWarning, match="beside the chain to 'hand'.*: left, right"):
        arm = at.load(path, tip="hand")
    link = arm.joints[1].link
    assert link.mass == 1.0
    off_axis = np.hypot(*link.com[:2])  # z is the wrist's axis; the fingers slide across it
    assert off_axis == pytest.approx(0.5 * 0.2, rel=1e-14)


def test_mimic_in_the_chain_is_independent_and_named(write):
    """A warning states the coupling, and q moves the joint, when the chain runs through it."""
    with pytest.warns(ModelWarning) as caught:
        arm = at.load(write(with_fingers(LEFT, RIGHT)), tip="right_link")
    assert any("coupled (right = 0.2 + 2 left)" in str(one.message) for one in caught)
    assert np.allclose(at.fk(arm, [0, 0, 0.3])[:3, 3], [0.5, -0.3, 0], atol=1e-15)


def test_mimic_of_a_joint_of_the_chain_is_named(write):
    """A warning names the follower when a held joint follows one of the chain."""
    cover = finger("cover", "arm", 1, '<mimic joint="turn" multiplier="-1"/>')
    with pytest.warns(ModelWarning) as caught:
        at.load(write(with_fingers(cover)), tip="hand")
    assert any("follow a joint of the chain" in str(c.message) for c in caught)
    assert any("cover = -1 turn" in str(c.message) for c in caught)


def test_mimic_in_a_circle_is_held_at_its_offset(write):
    """Reading ends when held joints follow each other."""
    left = finger("left", "hand", 1, '<mimic joint="right"/>')
    with pytest.warns(ModelWarning, match="beside the chain"):
        assert at.load(write(with_fingers(left, RIGHT)), tip="hand").dof == 2


def test_faulty_joint_beside_the_chain_does_not_matter(write):
    """The arm loads, and a tip behind the fault is not listed, when a joint aside is faulty."""
    wheel = finger("wheel", "base", 1, "").replace("prismatic", "planar")
    path = write(with_fingers(wheel, LEFT))
    with pytest.raises(ArmFileError, match=r"first: left_link \(3 joints\); as in"):
        at.load(path)
    with pytest.raises(ArmFileError, match="type='planar' is not read"):
        at.load(path, tip="wheel_link")
    with pytest.warns(ModelWarning, match="held at zero.*: wheel, left"):
        assert at.load(path, tip="hand").dof == 2


FRAMES = """<link name="tool0"/><link name="ee_link"/><link name="base_frame"/>
  <joint name="f" type="fixed"><parent link="hand"/><child link="tool0"/></joint>
  <joint name="e" type="fixed"><parent link="hand"/><child link="ee_link"/>
    <origin xyz="0 0 0.1"/></joint>
  <joint name="b" type="fixed"><parent link="base"/><child link="base_frame"/>
    <origin xyz="0 0 0.3" rpy="3.141592653589793 0 0"/></joint>"""


def test_tool0_is_the_tip_where_all_have_the_same_joints(write):
    """The flange frame is taken when the other tips are fixed to the same link."""
    arm = at.load(write(with_fingers(FRAMES)))
    assert dict(arm.sources)["chain"] == "base to tool0"
    assert np.allclose(at.fk(arm, [0, 0])[:3, 3], [0.5, 0, 0], atol=1e-15)


def test_base_may_be_a_frame_fixed_to_the_chain(write):
    """Poses and gravity are seen from the base when it is fixed beside the root."""
    path = write(with_fingers(FRAMES))
    arm = at.load(path, base="base_frame")
    assert np.allclose(arm.gravity, (0, 0, 9.81), atol=1e-14)
    q, T = [0.4, -1.2], np.diag([1.0, -1.0, -1.0, 1.0])
    T[2, 3] = 0.3
    assert np.allclose(at.fk(arm, q), np.linalg.inv(T) @ at.fk(at.load(path), q), atol=1e-15)


def test_base_that_does_not_carry_the_tip_is_refused(write):
    """An error names the joints between when the base is on another branch."""
    path = write(GOOD.replace("</robot>", BRANCH.replace('"fixed"', '"continuous"')))
    with pytest.raises(ArmFileError, match="'camera' does not carry the tip 'hand': the joints s"):
        at.load(path, tip="hand", base="camera")
    with pytest.raises(ArmFileError, match="has no link or frame 'foot'"):
        at.load(path, base="foot")


def test_base_holds_the_joints_below_it(write):
    """A warning names the held joints, and the arm is shorter, when the base moves itself."""
    with pytest.warns(ModelWarning, match="that carry the base 'arm' are held at zero: turn"):
        arm = at.load(write(GOOD), base="arm")
    assert [joint.name for joint in arm.joints] == ["wrist"]


def test_what_is_not_read_is_counted(write):
    """The source "not read" counts elements when an arm has no place for them."""
    mesh = '<visual><geometry><mesh filename="package://a/b.stl"/></geometry></visual></link>'
    text = with_fingers("<transmission/><gazebo/><gazebo/>").replace("</link>", mesh, 1)
    with pytest.warns(ModelWarning, match="mesh files that were not found.*: package://a/b.stl;"):
        arm = at.load(write(text))
    assert dict(arm.sources)["not read"] == "1 <transmission>, 2 <gazebo>"


def test_xacro_file_says_what_to_do(tmp_path):
    """An error names the xacro command when the file has not been expanded."""
    with pytest.raises(ArmFileError, match=r"turn it into URDF first: xacro arm.xacro > arm.urdf"):
        at.load(tmp_path / "arm.xacro")


def test_tip_is_for_files_that_branch():
    """An error says what tip is for when a catalogue name is given with one."""
    with pytest.raises(InputError, match="tip and base are for .urdf and .xml files"):
        at.load("ur5e", tip="tool")


def test_what_is_fixed_aside_still_weighs(write):
    """Mass and centre join the carrying link when a camera is fixed beside the chain."""
    arm = at.load(write(GOOD.replace("</robot>", BRANCH)), tip="hand")
    link = arm.joints[0].link
    assert link.mass == 2.5
    assert np.allclose(np.linalg.norm(link.com), 0.1 * 0.5 / 2.5, rtol=1e-15)
    reduced = 2.0 * 0.5 / 2.5
    assert sum(link.inertia[:3]) == pytest.approx(6 * 0.01 + 2 * reduced * 0.1**2, rel=1e-14)


def test_moving_joint_aside_is_held_and_named(write):
    """A warning names the joints when some move beside the chosen chain."""
    path = write(GOOD.replace("</robot>", BRANCH.replace('"fixed"', '"continuous"')))
    with pytest.warns(ModelWarning, match="beside the chain to 'hand' are held at zero.*: side"):
        arm = at.load(path, tip="hand")
    assert arm.joints[0].link.mass == 2.5


def test_doubtful_inertia_warns(write):
    """A warning names the joint when an inertia violates the triangle inequality."""
    with pytest.warns(ModelWarning, match=r"joint 1 \(turn\).*triangle inequality"):
        at.load(write(GOOD.replace('izz="0.01"', 'izz="0.09"')))


def test_zero_limit_warns(write):
    """A warning, and no limit, when effort or velocity is 0."""
    with pytest.warns(ModelWarning, match="line 7: joint 'turn' has the limit velocity=0"):
        arm = at.load(write(GOOD.replace('velocity="2"', 'velocity="0"')))
    assert arm.joints[0].limits.speed is None


def test_friction_is_read(write):
    """A viscous-coulomb friction at the joint when damping and friction are given."""
    with_friction = GOOD.replace(LIMIT, LIMIT + '<dynamics damping="0.3" friction="1.2"/>')
    friction = at.load(write(with_friction)).joints[0].drive.friction
    assert (friction.model, friction.side) == ("viscous-coulomb", "joint")
    assert dict(friction.parameters) == {"viscous": 0.3, "coulomb": 1.2}


def test_unlimited_joints_are_continuous(write):
    """No limits come back when none were given, on turning and sliding joints."""
    joints = (Joint("turn", a=0.2), Joint("slide", "prismatic", alpha=0.3), Joint("tool_joint"))
    half = Joint("half", limits=Limits(lower=-1.0))
    arm = Arm("free", "standard-dh", (*joints, half))
    text = write_urdf(arm)
    assert 'name="turn" type="continuous"' in text
    assert 'name="tool_joint_" type="fixed"' in text
    back = at.load(write(text))
    assert [joint.limits for joint in back.joints] == [joint.limits for joint in arm.joints]


def test_unknown_friction_model_is_named(write):
    """A comment says that friction was left out when URDF cannot express its model."""
    text = write_urdf(at.load("ur5e-energy"))
    assert text.count("cannot express the friction model power-flow: left out") == 6


def test_every_link_can_be_seen():
    """Every link has a body to draw when any catalogue arm is written."""
    for name in at.arm_names():
        text = write_urdf(at.load(name))
        assert text.count("<visual ") >= len(at.load(name).joints) + 1
