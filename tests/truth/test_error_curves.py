"""Joint error curves in the model, in kinematics, in files and in compiled code."""

import dataclasses

import numpy as np
import pytest

import armtwin as at
from armtwin.compile.kernel import kernel, program_for
from armtwin.compile.native import toolchain
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from armtwin.errors import ArmTwinError, ModelWarning
from armtwin.kinematics.inverse.compiled import closed_call
from armtwin.model.error_curve import ErrorCurve

NOMINAL = at.load("ur10")


def with_curves(arm, seed=0, terms=12, size=2e-4, joints=range(6)):
    """Return the arm with random error curves in some joints."""
    rng = np.random.default_rng(seed)
    rows = list(arm.joints)
    for place in joints:
        a, b = size * rng.normal(size=(2, terms))
        curve = ErrorCurve(tuple(a.tolist()), tuple(b.tolist()))
        rows[place] = dataclasses.replace(rows[place], error_curve=curve)
    return arm.with_(joints=tuple(rows))


def link_angles(arm, q):
    """Return the angles of the links at readings ``q``, term by term."""
    angles = q.copy()
    for i, joint in enumerate(arm.driven):
        if joint.error_curve is not None:
            pairs = zip(joint.error_curve.cosine, joint.error_curve.sine, strict=True)
            for k, (a, b) in enumerate(pairs, 1):
                angles[..., i] += a * np.cos(k * q[..., i]) + b * np.sin(k * q[..., i])
    return angles


ARM = with_curves(NOMINAL)
Q = np.random.default_rng(3).uniform(-3, 3, (200, 6))


def test_poses_are_those_of_the_link_angles():
    """Tool and link poses equal those of the arm without curves at link angles."""
    there = link_angles(ARM, Q)
    assert 1e-4 < np.abs(there - Q).max() < 3e-3
    assert np.abs(at.fk(ARM, Q) - at.fk(NOMINAL, there)).max() < 1e-13
    assert np.abs(at.link_poses(ARM, Q) - at.link_poses(NOMINAL, there)).max() < 1e-13
    assert np.abs(at.fk(ARM, Q[0]) - at.fk(NOMINAL, there[0])).max() < 1e-13


def test_jacobian_has_the_slope_of_the_curves():
    """The Jacobian equals differences of poses when joints have curves."""
    step = 1e-6
    J = at.jacobian(ARM, Q[:5])
    for q, columns in zip(Q[:5], J, strict=True):
        moves = [(at.fk(ARM, q + step * e) - at.fk(ARM, q - step * e))[:3, 3] for e in np.eye(6)]
        assert np.abs(np.stack(moves, axis=1) / (2 * step) - columns[:3]).max() < 1e-8
    assert np.abs(J - at.jacobian(NOMINAL, Q[:5])).max() > 1e-3


def test_curves_add_to_compliance():
    """A joint that bends and errs has both shifts when the arm has masses."""
    joints = [dataclasses.replace(joint, compliance=1e-5) for joint in ARM.joints]
    both = ARM.with_(joints=tuple(joints))
    sag = 1e-5 * at.gravity(NOMINAL, Q, ignore_limits=True)
    expected = at.fk(NOMINAL, link_angles(ARM, Q) - sag)
    assert np.abs(at.fk(both, Q) - expected).max() < 1e-12


def test_inverse_kinematics_reaches_the_pose():
    """Every solution, one or in a batch, reaches the pose when joints have curves."""
    T = at.fk(ARM, Q[:20])
    for q, target in zip(Q[:4], T[:4], strict=True):
        found = at.ik(ARM, target, seed=q)
        assert found.residuals.max() < 1e-9
        assert np.abs(found.q[0] - q).max() < 1e-7
        assert np.abs(at.fk(ARM, found.q) - target).max() < 1e-9
    q, valid = at.ik_batch(ARM, T)
    assert valid.any(axis=1).all()
    again = at.fk(ARM, np.where(valid[..., None], q, 0.0))
    assert np.abs(again - T[:, None])[valid].max() < 1e-9


def test_solutions_are_ordered_after_their_refinement():
    """Solutions are nearest to the seed first when Newton steps change the order of branches."""
    arm = with_curves(NOMINAL, size=1e-3)
    seeds = np.random.default_rng(5).uniform(-3, 3, (300, 6))
    for seed, target in zip(seeds, at.fk(arm, Q[:100].repeat(3, axis=0)), strict=True):
        distance = np.linalg.norm(at.ik(arm, target, seed=seed).q - seed, axis=1)
        assert (np.diff(distance) >= 0).all()
    assert toolchain.find_compiler() is None or closed_call(arm, ignore_limits=False) is not None


def test_code_without_curves_is_unchanged():
    """The program and fingerprint do not depend on curves when an arm has none."""
    bare = NOMINAL.with_(joints=tuple(dataclasses.replace(j, error_curve=None) for j in ARM.joints))
    programs = [program_for(arm, tool_pose_equations.tool_pose) for arm in (NOMINAL, bare, ARM)]
    assert programs[0].steps == programs[1].steps
    assert len(programs[2].steps) > len(programs[0].steps)
    assert bare.fingerprint == NOMINAL.fingerprint != ARM.fingerprint


def test_fmu_and_c_agree(tmp_path):
    """C and an FMU return the poses of the NumPy target when joints have curves."""
    from armtwin.compile.targets.numpy import batch_function
    from armtwin.fmu.check.trial import trial_inputs
    from armtwin.fmu.check.truth import expected
    from armtwin.fmu.export.export import export_fmu
    from armtwin.fmu.run.run import run_fmu

    arm = with_curves(NOMINAL, terms=3)
    program = kernel(arm, tool_pose_equations.tool_pose).program
    T = np.empty((len(Q), 16))
    batch_function(program)([Q], [T])
    assert np.abs(at.fk(arm, Q) - T.reshape(-1, 4, 4)).max() < 1e-14
    inputs = trial_inputs(arm, "fk", 50)
    run = run_fmu(export_fmu(arm, tmp_path / "fk.fmu", model="fk").path, inputs)
    truth = expected(arm, "fk", inputs)
    assert max(np.abs(run.signals.columns[k] - v).max() for k, v in truth.items()) < 1e-12
    other = expected(NOMINAL, "fk", inputs)
    assert max(np.abs(truth[k] - v).max() for k, v in other.items()) > 1e-5


def test_file_holds_the_curves(tmp_path):
    """The arm is the same to the last bit when written as TOML and read again."""
    joints = list(ARM.joints)
    joints[2] = dataclasses.replace(joints[2], error_curve=None)
    curve = dataclasses.replace(joints[0].error_curve, visited=((-1.5, 0.25), (1.0, 2.0)))
    joints[0] = dataclasses.replace(joints[0], error_curve=curve)
    arm = ARM.with_(joints=tuple(joints))
    assert at.load(at.export(arm, tmp_path / "arm.toml")) == arm
    for name in ("arm.urdf", "arm.xml"):
        with pytest.warns(ModelWarning, match="joint error curves"):
            at.export(arm, tmp_path / name)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sine = [", "sine = [0.0, ", "as many of each"),
        ("cosine = [", "cosine = [nan, ", "finite"),
        ("visited = [[-1.5", "visited = [[-7.5", "between -pi and pi"),
        ("cosine = [", "cosines = [", "cosine"),
    ],
)
def test_bad_curves_are_refused(tmp_path, old, new, message):
    """The file is refused with a reason when a curve in it is not one."""
    curve = ErrorCurve((1e-4, 2e-4), (0.0, 1e-4), ((-1.5, 0.25),))
    joints = (dataclasses.replace(NOMINAL.joints[0], error_curve=curve), *NOMINAL.joints[1:])
    path = at.export(NOMINAL.with_(joints=joints), tmp_path / "arm.toml")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(f"\n{old}", f"\n{new}", 1))
    with pytest.raises(ArmTwinError, match=message):
        at.load(path)


def test_other_conventions_keep_the_curves():
    """The poses are the same when an arm with curves is converted."""
    for convention in ("modified-dh", "screws"):
        assert np.abs(at.fk(at.convert(ARM, convention), Q) - at.fk(ARM, Q)).max() < 1e-12


def test_virtual_robot_does_not_know_its_errors(numpy_target):
    """The controller reports the pose of its readings when the arm's tool is elsewhere."""
    robot = at.virtual_robot(ARM, start=Q[0])
    body = robot.controller.body
    there = at.fk(NOMINAL, link_angles(ARM, body.q[None])[0])
    assert np.abs(body.tool_pose() - there).max() < 1e-12
    reported = at.fk(robot.controller.arm, body.q)
    assert np.abs(reported - at.fk(NOMINAL, body.q)).max() < 1e-12
    assert np.linalg.norm((reported - body.tool_pose())[:3, 3]) > 1e-5
