"""Which chain of a file is the arm: in the name of the file, and chains that are refused."""

import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import armtwin as at
from armtwin import spatial
from armtwin.app.control.choose_robot import choose_robot
from armtwin.errors import InputError, ModelWarning
from armtwin.model.arm import Mimic

GOOD = """<robot name="pair">
  <link name="base"/> <link name="arm"/> <link name="hand"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/></joint>
  <joint name="wrist" type="continuous"><parent link="arm"/><child link="hand"/>
    <origin xyz="0.5 0 0" rpy="0 0 0"/></joint>
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


def finger(name, parent, side, extra):
    """Return a sliding finger on a link."""
    return (
        f'<joint name="{name}" type="prismatic"><parent link="{parent}"/>'
        f'<child link="{name}_link"/><axis xyz="0 {side} 0"/>'
        f'<limit lower="-1" upper="1" effort="10" velocity="2"/>{extra}</joint>'
        f'<link name="{name}_link"/>'
    )


def with_parts(*more):
    """Return an arm whose hand carries parts."""
    return GOOD.replace("</robot>", "".join(more) + "</robot>")


LEFT = finger("left", "hand", 1, "")


def test_mimic_of_its_own_chain(write, tmp_path):
    """Kinematics agree with the file when a joint follows another one, and what breaks it refuses.

    The coupling is kept in every format; the joint keeps its entry of q, as in Pinocchio.
    """
    mimic = '<mimic joint="left" multiplier="2" offset="0.1"/>'
    path = write(with_parts(LEFT, finger("right", "left_link", -1, mimic)))
    with pytest.warns(ModelWarning, match="right = 0.1 \\+ 2 left"):
        arm = at.load(path, tip="right_link")
    assert arm.driven[-1].mimic == Mimic("left", 2.0, 0.1)
    model = pin.buildModelFromUrdf(str(path))
    data, q = model.createData(), np.array([0.3, 0.2, 0.01, 0.12])
    turn, wrist, *fingers = q
    pin.framesForwardKinematics(model, data, np.array([turn, *spatial.cos_sin(wrist), *fingers]))
    expected = data.oMf[model.getFrameId("right_link")].homogeneous
    assert np.allclose(at.fk(arm, q, ignore_limits=True), expected, atol=1e-12)
    for refuse in (at.ik, at.ik_one, at.ik_batch):
        with pytest.raises(InputError, match="right = 2 left"):
            refuse(arm, expected)
    with pytest.raises(InputError, match="simulation of arm"):
        at.simulate(arm, at.Circle(seconds=1))
    for suffix in ("toml", "urdf", "xml"):
        copy = tmp_path / f"copy.{suffix}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            at.export(arm, copy)
            assert at.load(copy).driven[-1].mimic == arm.driven[-1].mimic
    with pytest.warns(ModelWarning) as caught:
        assert at.load(path, tip="left_link").dof == 3
    assert any("right = 0.1 + 2 left" in str(one.message) for one in caught)


def test_chain_within_the_name_of_the_file(write):
    """The same arm as with ``tip`` and ``base`` when they are written behind the file's name."""
    path = write(with_parts(LEFT))
    with pytest.warns(ModelWarning, match="held at zero"):
        expected = at.load(path, tip="left_link", base="arm")
        for name in (f"{path}#tip=left_link,base=arm", Path(f"{path}#base=arm,tip=left_link")):
            assert at.load(name) == expected
            assert np.array_equal(at.fk(name, [0.1, 0.2]), at.fk(expected, [0.1, 0.2]))


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("tool", "'tool' is neither tip=LINK nor base=LINK"),
        ("tip=", "'tip=' is neither tip=LINK nor base=LINK"),
        ("tip=hand,tip=arm", "tip is given twice, as 'hand' and 'arm'"),
        ("tip=hand,end=arm", "'end=arm' is neither"),
        ("tip=head", "head"),
    ],
)
def test_impossible_chain_within_the_name(write, choice, message):
    """An error says what is wrong when the part behind # does not name a chain."""
    with pytest.raises(at.ArmTwinError, match=message):
        at.load(f"{write(GOOD)}#{choice}")


def test_file_with_a_hash_in_its_name(tmp_path):
    """The file is read when its own name contains #."""
    path = tmp_path / "arm#2.urdf"
    path.write_text(GOOD)
    assert at.load(path).dof == 2


def test_chain_of_the_arm_of_the_app(write):
    """The app shows the chain that is written behind the file's name."""
    path = write(with_parts(LEFT))
    with pytest.warns(ModelWarning, match="held at zero"):
        assert choose_robot(f"{path}#tip=hand").arm.dof == 2
