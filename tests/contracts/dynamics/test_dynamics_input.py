"""Bad input to dynamics is one of our errors and says what is wrong and what to do."""

import dataclasses

import numpy as np
import pytest

import armtwin as at
from armtwin.errors import ArmFileError, InputError, JointLimitError, MissingDataError, ModelWarning
from armtwin.model.arm import Arm, Drive, Friction, Joint, Link

ARM = at.load("ur10e")
ZERO = np.zeros(6)

FILE = """name = "one"
convention = "standard-dh"

[[joints]]
name = "turn"
a = 0.3
[joints.link]
mass = 1.0
com = [0.1, 0.0, 0.0]
[joints.link.inertia]
xx = 0.01
yy = 0.01
zz = 0.01
[joints.drive]
gear = 100.0
[joints.drive.friction]
model = "viscous-coulomb"
viscous = 0.1
coulomb = 0.2
"""


@pytest.fixture
def arm_file(tmp_path):
    """Return a function that writes the file with one text replaced and returns its path."""

    def write(old="", new=""):
        assert old in FILE
        path = tmp_path / "arm.toml"
        path.write_text(FILE.replace(old, new, 1), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ((np.zeros(5), ZERO, ZERO), r"q takes 6 numbers per state, got 5 \(shape \(5,\)\)"),
        ((ZERO, np.zeros((3, 7)), ZERO), r"qd takes 6 numbers per state, got 7"),
        ((ZERO, ZERO, 1.0), r"qdd takes 6 numbers per state, got 1 \(shape \(\)\)"),
        ((ZERO, ZERO, ["a"] * 6), "qdd must be 6 numbers per state"),
        ((ZERO, [np.nan] + [0] * 5, ZERO), "qd holds nan at row 0, joint 1"),
        ((ZERO, np.r_[0, 0, np.inf, 0, 0, 0], ZERO), "qd holds inf at row 0, joint 3"),
        ((np.tile(ZERO, (3, 1)), np.zeros((2, 6)), ZERO), r"do not broadcast: shapes \(3, 6\)"),
        ((np.full(6, np.nan), ZERO, ZERO), "q holds nan at row 0, joint 1; every entry"),
    ],
    ids=["few", "many", "scalar", "text", "nan", "infinite", "batches", "nan-q"],
)
def test_states_that_are_refused(state, message):
    """The message names the input, what it has and what was expected, when a state is wrong."""
    with pytest.raises(InputError, match=message):
        at.inverse_dynamics(ARM, *state)


def test_infinite_speed_in_a_large_batch():
    """The message names row and joint when one of many speeds is infinite."""
    qd = np.zeros((5000, 6))
    qd[4321, 2] = -np.inf
    with pytest.raises(InputError, match="qd holds -inf at row 4321, joint 3"):
        at.inverse_dynamics(ARM, np.zeros((5000, 6)), qd, ZERO)


def test_joint_beyond_its_limit():
    """An error names joint and limits, unless limits are ignored, when q is beyond them."""
    q = np.r_[0, 0, 0, 6.4, 0, 0]
    for one in (q, np.tile(q, (3, 1))):
        with pytest.raises(JointLimitError, match="joint 4 .* is 6.4; its limits are"):
            at.gravity(ARM, one)
        assert np.isfinite(at.gravity(ARM, one, ignore_limits=True)).all()


def test_angles_of_millions_of_radians():
    """An error says so when a joint is rotated beyond the range of the compiled sine."""
    q = np.r_[0, 2e6, 0, 0, 0, 0]
    for one in (q, np.tile(q, (3, 1))):
        with pytest.raises(InputError, match=r"rotates a joint by 2e\+06 rad; sines are exact"):
            at.gravity(ARM, one, ignore_limits=True)
    assert np.isfinite(at.gravity(ARM, q / 2, ignore_limits=True)).all()


def test_wrench_of_another_size():
    """An error names the wrench when it has not six numbers."""
    with pytest.raises(InputError, match="wrench takes 6 numbers per state, got 3"):
        at.wrench_torque(ARM, ZERO, [1, 2, 3])


CALLS = {
    "inverse_dynamics": lambda arm: at.inverse_dynamics(arm, ZERO, ZERO, ZERO),
    "mass_matrix": lambda arm: at.mass_matrix(arm, ZERO),
    "wrench_torque": lambda arm: at.wrench_torque(arm, ZERO, ZERO),
    "link_parameters": lambda arm: at.link_parameters(arm),
    "friction": lambda arm: at.friction(arm, ZERO),
    "motor_current": lambda arm: at.motor_current(arm, ZERO),
    "fk": lambda arm: at.fk(arm, ZERO),
    "link_poses": lambda arm: at.link_poses(arm, ZERO),
    "manipulability": lambda arm: at.manipulability(arm, ZERO),
    "ik": lambda arm: at.ik(arm, at.fk("ur5e-energy", ZERO)).q,
    "ik_batch": lambda arm: at.ik_batch(arm, at.fk("ur5e-energy", ZERO))[0],
    "with_payload": lambda arm: at.gravity(at.with_payload(arm, 2.0), ZERO),
    "mounted": lambda arm: at.gravity(at.with_mounting(arm, roll=1.0), ZERO),
    "convert": lambda arm: at.gravity(at.convert(arm, "screws"), ZERO),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_name_or_file_in_place_of_an_arm(call, tmp_path):
    """The arm's own result when its name or its file is given; an error for any other type."""
    arm = at.load("ur5e-energy")
    expected = call(arm)
    assert np.array_equal(call("ur5e-energy"), expected, equal_nan=True)
    assert np.array_equal(call(at.export(arm, tmp_path / "a.toml")), expected, equal_nan=True)
    for wrong in (5, None, {"name": "ur10e"}):
        with pytest.raises(InputError, match="expected an Arm, a catalogue name or a file, got"):
            call(wrong)


@pytest.mark.parametrize("name", ["desktop5", "ur3e-screws", "ur10e-report"])
def test_arm_without_masses(name):
    """The error lists every missing number by joint when an arm has no masses."""
    arm = at.load(name)
    q = np.zeros(arm.dof)
    first = arm.driven[0].name
    expected = rf"arm '{name}' lacks numbers that dynamics needs: {first}.mass, {first}.com, "
    for ask in (at.gravity, at.mass_matrix):
        with pytest.raises(MissingDataError, match=expected):
            ask(arm, q)
    with pytest.raises(MissingDataError, match="add them under .joints.link. in its TOML file"):
        at.link_parameters(arm)


def test_arm_with_one_number_missing():
    """The error names that number alone when everything else is there."""
    joints = list(ARM.joints)
    joints[2] = dataclasses.replace(joints[2], link=dataclasses.replace(joints[2].link, com=None))
    with pytest.raises(MissingDataError, match="dynamics needs: elbow_joint.com; add"):
        at.gravity(ARM.with_(joints=tuple(joints)), ZERO)


def test_regressor_needs_no_masses():
    """The regressor is there when masses are what is looked for."""
    arm = at.load("desktop5")
    q = np.zeros(arm.dof)
    assert at.regressor(arm, q, q, q).shape == (arm.dof, 10 * len(arm.joints))


def test_arm_without_drives():
    """An error names the joint and shows where to look when a drive's numbers are missing."""
    for ask in (at.friction, at.motor_current, at.electric_power):
        with pytest.raises(MissingDataError, match=r"shoulder_pan_joint lacks .*ur5e-energy"):
            ask(ARM, ZERO)
    bare = at.load("ur5e-energy")
    drive = dataclasses.replace(bare.joints[4].drive, torque_constant=None, motor_constant=None)
    joints = list(bare.joints)
    joints[4] = dataclasses.replace(joints[4], drive=drive)
    arm = bare.with_(joints=tuple(joints))
    with pytest.raises(MissingDataError, match="wrist_2_joint lacks torque_constant"):
        at.motor_current(arm, ZERO)
    with pytest.raises(MissingDataError, match="wrist_2_joint has neither drive.motor_constant"):
        at.electric_power(arm, ZERO)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mass = 1.0", "mass = -1.0", r"joint 1 \(turn\): mass is -1 kg; a mass cannot"),
        ("xx = 0.01", "xx = -0.01", "negative principal moment -0.01"),
        ("gear = 100.0", "gear = 0.0", "drive.gear is 0; it must be positive"),
        ("gear = 100.0", "motor_inertia = -1e-5", "drive.motor_inertia is -1e-05; not negative"),
        ('"viscous-coulomb"', '"coulom"', "unknown friction model 'coulom'; known: "),
        ("coulomb = 0.2", "", "takes viscous, coulomb and optionally smooth.*; missing: coulomb"),
        ("coulomb = 0.2", "coulomb = 0.2\nstatic = 1.0", "unknown: static"),
        ("coulomb = 0.2", "coulomb = -0.2", "friction coulomb is -0.2; it must be positive"),
        ("coulomb = 0.2", "coulomb = 0.2\nsmoothing = 0.0", "friction smoothing is 0"),
        ("coulomb = 0.2", "coulomb = nan", "line 19: .*coulomb"),
    ],
)  # fmt: skip
def test_numbers_that_no_arm_has(arm_file, old, new, message):
    """The file is refused with joint, number and reason when a number is impossible."""
    with pytest.raises(ArmFileError, match=message):
        at.load(arm_file(old, new))


def test_inertia_against_the_triangle_inequality(arm_file):
    """A warning names the joint and the moments when no rigid body has such an inertia."""
    with pytest.warns(ModelWarning, match=r"turn.*0.01, 0.01, 0.05 kg m2 violate the triangle"):
        arm = at.load(arm_file("zz = 0.01", "zz = 0.05"))
    assert at.mass_matrix(arm, [0.0])[0, 0] > 0


@pytest.mark.parametrize(
    "body",
    [
        {"mass": np.nan},
        {"mass": 1.0, "com": (0, 0)},
        {"mass": 1.0, "com": (0, np.inf, 0)},
        {"mass": 1.0, "inertia": (1, 2, 3)},
    ],
)
def test_payload_that_is_no_body(body):
    """An error says what a payload is when its numbers are not."""
    with pytest.raises(InputError, match="a payload is a mass, a centre of 3 numbers and 6"):
        at.with_payload(ARM, **body)


def test_payload_of_negative_mass():
    """A payload is refused when its mass is negative, however little."""
    with pytest.raises(InputError, match="payload's mass is -0.01 kg; a mass cannot be negative"):
        at.with_payload(ARM, -0.01)


def test_arm_of_one_joint_keeps_its_dimensions():
    """Results have a dimension per joint when there is only one joint."""
    link = Link(1.0, (0.1, 0.0, 0.0), (0.01, 0.01, 0.01, 0, 0, 0))
    friction = Friction("viscous-coulomb", (("coulomb", 1.0), ("viscous", 0.1)))
    drive = Drive(gear=10.0, torque_constant=0.1, motor_constant=0.1, friction=friction)
    arm = Arm("one", "standard-dh", (Joint("turn", a=0.3, link=link, drive=drive),))
    for q in (np.zeros(1), np.zeros((4, 1))):
        lead = q.shape[:-1]
        assert at.mass_matrix(arm, q).shape == at.coriolis(arm, q, q).shape == (*lead, 1, 1)
        assert at.inverse_dynamics(arm, q, q, q).shape == (*lead, 1)
        assert at.forward_dynamics(arm, q, q, q).shape == at.gravity(arm, q).shape == (*lead, 1)
        assert at.momentum(arm, q, q).p.shape == at.momentum(arm, q, q).beta.shape == (*lead, 1)
        assert at.regressor(arm, q, q, q).shape == (*lead, 1, 10)
        assert at.jacobian(arm, q).shape == (*lead, 6, 1)
        assert at.energies(arm, q, q).kinetic.shape == lead
        for ask in (at.friction, at.motor_current, at.electric_power):
            assert ask(arm, q, q).shape == (*lead, 1)
