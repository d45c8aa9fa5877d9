"""Presliding friction: laws of the Maxwell-slip elements, and planted elements found again."""

import dataclasses

import numpy as np
import pytest

import armtwin as at
from armtwin.compile.kernel import kernel
from armtwin.equations.drives import presliding as equations
from armtwin.errors import ArmFileError
from armtwin.identification.data.runs import RunBlock
from armtwin.identification.data.smoothing import SmoothedMotion
from armtwin.identification.estimation.presliding import (
    fit_presliding,
    predicted_with_presliding,
    slip_shares,
)
from armtwin.identification.estimation.problem import file_vector
from armtwin.identification.options import IdentifyOptions
from armtwin.model.formats.toml import write_toml

ONE = np.array([(1e-3, 2.0)])


def test_a_standing_joint_holds():
    """The share of friction stays exactly as it is when a joint has come to rest."""
    q = np.concatenate([np.linspace(0, 4e-4, 20), np.full(500, 4e-4)])[:, None]
    share = slip_shares(q, ONE)[:, 0, 0]
    assert 0.3 < share[20] < 0.9
    assert (share[20:] == share[20]).all()


def test_steps_do_not_matter():
    """The same share results when a displacement is divided into other steps."""
    path = np.array([0.0, 7e-4, -2e-4, 5e-4])
    coarse = slip_shares(path[:, None], ONE)[-1, 0, 0]
    fine = np.concatenate([np.linspace(a, b, 37) for a, b in zip(path[:-1], path[1:], strict=True)])
    assert abs(slip_shares(fine[:, None], ONE)[-1, 0, 0] - coarse) < 1e-12


def test_friction_is_full_beyond_presliding():
    """All elements slip when a joint has moved twice the displacement after a reversal."""
    q = np.concatenate([np.linspace(0, 0.01, 50), np.linspace(0.01, 0.0078, 50)])[:, None]
    share = slip_shares(q, ONE)[:, 0, 0]
    assert share[49] == 1.0
    assert share[99] == -1.0


def test_a_cycle_dissipates():
    """Work over a closed cycle is positive when a joint swings within its presliding."""
    q = 4e-4 * np.sin(np.linspace(0, 6 * np.pi, 3001))
    share = slip_shares(q[:, None], ONE)[:, 0, 0]
    last = slice(2000, 3001)
    work = np.sum((share[last][1:] + share[last][:-1]) / 2 * np.diff(q[last]))
    assert work > 1e-5


def test_the_kernel_is_the_formula():
    """The compiled step equals clipped springs in NumPy when elements stick and slip."""
    rng = np.random.default_rng(0)
    z, dq = rng.uniform(-1, 1, (200, 6)), rng.normal(0, 5e-4, (200, 1))
    after, share = kernel(None, equations.step)(
        z, dq, np.full((200, 1), 1e-3), np.full((200, 1), 2)
    )
    distances = 1e-3 * (np.arange(1, 7) / 6) ** 2
    assert np.allclose(after, np.clip(z + dq / distances, -1, 1), atol=1e-12)
    assert np.allclose(share.ravel(), after.mean(axis=1), atol=1e-12)


@pytest.fixture(scope="module")
def planted():
    """Return predictor, vector and a stop-and-go run whose joints 1 to 3 have presliding."""
    arm = at.load("ur5e-energy")
    predictor, vector = file_vector(arm, IdentifyOptions())
    t, rate = np.arange(6000) / 125.0, 125.0
    gate = np.clip(np.sin(2 * np.pi * t / 8.0) * 3, -1, 1)[:, None]
    speed = 0.3 * gate * np.cos(np.outer(t, 0.9 + 0.2 * np.arange(6)))
    qd = np.where((t % 8 > 3.5)[:, None] & (t % 8 < 5.5)[:, None], 0.0, speed)
    q = np.cumsum(qd, axis=0) / rate
    motion = SmoothedMotion(q, qd, np.gradient(qd, 1 / rate, axis=0))
    used = np.abs(qd) > 0.02
    block = RunBlock("tau", motion, np.zeros_like(q), used, rate)
    nothing = fit_none(6)
    truth = [
        dataclasses.replace(one, distance=4e-3 if j < 3 else None, exponent=2.0)
        for j, one in enumerate(nothing)
    ]
    clean = predicted_with_presliding(predictor, block, vector, truth)
    noise = np.random.default_rng(1).normal(0, 0.3, clean.shape)
    return predictor, vector, dataclasses.replace(block, signal=clean + noise)


def fit_none(dof):
    """Return joints without presliding."""
    from armtwin.identification.estimation.presliding import Presliding

    return [Presliding(j + 1, None, 1.0, 0.0, 0.0, 0.0, 0.0) for j in range(dof)]


def test_planted_presliding_is_found(planted):
    """The planted displacement is found, at its joints alone, when the arm stops and goes."""
    predictor, vector, block = planted
    found = fit_presliding(predictor, [block], vector, 5)
    assert [one.distance for one in found[:3]] == [4e-3] * 3
    assert all(one.after < 0.7 * one.before for one in found[:3])
    assert all(one.moving_after <= 1.001 * one.moving_before for one in found[:3])
    assert all(one.distance is None for one in found[3:])


def test_arm_files_keep_it(tmp_path):
    """Presliding is the same when an arm is written and loaded, and refused when it is zero."""
    arm = at.load("ur5e-energy")

    def with_distance(distance):
        drive = arm.joints[0].drive
        numbers = (*drive.friction.parameters, ("presliding", distance), ("yield_exponent", 2.0))
        friction = dataclasses.replace(drive.friction, parameters=numbers)
        joint = dataclasses.replace(
            arm.joints[0], drive=dataclasses.replace(drive, friction=friction)
        )
        return write_toml(arm.with_(joints=(joint, *arm.joints[1:])))

    (tmp_path / "arm.toml").write_text(with_distance(0.2))
    loaded = dict(at.load(tmp_path / "arm.toml").joints[0].drive.friction.parameters)
    assert loaded["presliding"] == 0.2
    (tmp_path / "zero.toml").write_text(with_distance(0.0))
    with pytest.raises(ArmFileError, match="presliding"):
        at.load(tmp_path / "zero.toml")
