"""The numbers of the drives: one rule for missing effort limits and unknown torque constants."""

import dataclasses

import numpy as np

import armtwin as at
from armtwin.model.arm import Drive, Limits
from armtwin.model.drive import TYPICAL_EFFORT, effort_limits, torque_per_ampere, typical_efforts

ARM = at.load("ur5e-energy")


def changed(index, **changes):
    """Return the arm with one joint's fields replaced."""
    joints = list(ARM.joints)
    joints[index] = dataclasses.replace(joints[index], **changes)
    return ARM.with_(joints=tuple(joints))


def test_missing_effort_limit():
    """Infinity to clip with, the median of the other limits to scale with, when one is missing."""
    known = effort_limits(ARM)
    arm = changed(2, limits=Limits())
    assert effort_limits(arm)[2] == np.inf
    assert typical_efforts(arm)[2] == np.median(np.delete(known, 2))
    np.testing.assert_array_equal(np.delete(typical_efforts(arm), 2), np.delete(known, 2))


def test_no_effort_limits():
    """The typical effort for every joint when the arm file gives no effort limit."""
    bare = [dataclasses.replace(joint, limits=Limits()) for joint in ARM.joints]
    assert (typical_efforts(ARM.with_(joints=tuple(bare))) == TYPICAL_EFFORT).all()


def test_torque_per_ampere():
    """The torque that one ampere of the drive equations gives when friction is left out."""
    joints = [
        dataclasses.replace(joint, drive=dataclasses.replace(joint.drive, friction=None))
        for joint in ARM.joints
    ]
    still, tau = np.zeros(ARM.dof), np.arange(1.0, ARM.dof + 1)
    current = at.motor_current(ARM.with_(joints=tuple(joints)), still, tau)
    np.testing.assert_allclose(current * torque_per_ampere(ARM), tau)


def test_unknown_torque_constant():
    """NaN for the joints without a drive or a torque constant."""
    for drive in (None, Drive(gear=100.0)):
        assert np.isnan(torque_per_ampere(changed(4, drive=drive))).tolist() == [False] * 4 + [
            True,
            False,
        ]
