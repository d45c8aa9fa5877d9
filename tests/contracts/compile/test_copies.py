"""Arms and recordings are values: they can be copied, pickled and sent to another process."""

import copy
import dataclasses
import functools
import gc
import multiprocessing
import pickle
import weakref
from collections import OrderedDict

import numpy as np
import pytest

import armtwin as at
from armtwin.compile import kernel
from armtwin.compile.derived import BY_ARM, derived
from armtwin.equations.dynamics import rigid_body as rigid_body_equations
from armtwin.equations.kinematics import tool_pose as tool_pose_equations
from armtwin.recording.recording import Recording

Q = np.array([0.3, -1.1, 0.7, -0.2, 0.9, 0.4])
WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "deep copy": copy.deepcopy}


def used_arm():
    """Return an arm after its kernels and its derived numbers were needed."""
    arm = at.load("ur5e").with_()
    at.fk(arm, Q)
    at.gravity(arm, np.tile(Q, (20, 1)))
    assert arm.fingerprint
    assert derived(arm)
    return arm


def recording():
    """Return a recording with a column of its own unit, notes and NaN."""
    data = {"q1": np.arange(5.0), "gripper": np.array([1.0, np.nan, 3.0, 4.0, 5.0])}
    return Recording(np.arange(5) * 0.1, data, {"gripper": "N"}, "ur5e", "test", ("note",))


def gravity_of(arm):
    """Return the torques of gravity; runs in another process."""
    return at.gravity(arm, Q)


def ends(recorded):
    """Return the last row's time and a column's unit; runs in another process."""
    return recorded.time[-1], recorded.units["gripper"]


@pytest.mark.parametrize("way", WAYS)
def test_used_arm_is_copied(way):
    """An equal arm that computes the same, with read-only limits, when a used one is copied."""
    arm = used_arm()
    twin = WAYS[way](arm)
    assert twin == arm and twin is not arm
    assert twin.fingerprint == arm.fingerprint
    np.testing.assert_array_equal(at.gravity(twin, Q), at.gravity(arm, Q))
    assert not twin.lower.flags.writeable


@pytest.mark.parametrize("way", WAYS)
def test_recording_is_copied(way):
    """The same columns, units and notes, still locked, when a recording is copied."""
    ours = recording()
    twin = WAYS[way](ours)
    np.testing.assert_array_equal(twin.time, ours.time)
    for name in ours.columns:
        np.testing.assert_array_equal(twin[name], ours[name])
        assert not twin[name].flags.writeable
    assert dict(twin.units) == dict(ours.units)
    assert (twin.arm, twin.origin, twin.notes, twin.timed) == ("ur5e", "test", ("note",), True)
    with pytest.raises(TypeError):
        twin.data["q2"] = twin.time


def test_recording_without_a_clock_is_copied():
    """A copy is without a clock too when the recording has none."""
    ours = Recording(np.arange(3.0), {"q1": np.ones(3)}, timed=False)
    assert not copy.deepcopy(ours).timed
    assert not pickle.loads(pickle.dumps(ours)).timed


def test_arm_and_recording_are_sent_to_a_process():
    """A spawned process computes the same when it is sent a used arm and a recording."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        torques = pool.apply(gravity_of, (used_arm(),))
        assert pool.apply(ends, (recording(),)) == (0.4, "N")
    np.testing.assert_allclose(torques, gravity_of(used_arm()), rtol=0, atol=1e-12)


def test_kernels_go_with_their_arm():
    """Nothing derived from an arm is left when the arm is gone."""
    arm = used_arm()
    place, gone = id(arm), weakref.ref(arm)
    assert place in BY_ARM
    del arm
    gc.collect()
    assert gone() is None
    assert place not in BY_ARM


def test_arms_of_equal_numbers_share_a_kernel():
    """One kernel serves when arms have the same numbers, another when a limit or number differs."""
    arm = at.load("ur5e").with_()
    of = functools.partial(kernel.kernel, equation=rigid_body_equations.gravity)
    assert of(arm) is of(arm.with_(name="another")) is of(at.load("ur5e").with_())
    first, *others = arm.joints
    wide = dataclasses.replace(first, limits=dataclasses.replace(first.limits, upper=9.0))
    assert of(arm.with_(joints=(wide, *others))) is not of(arm)
    assert of(arm.with_(gravity=(0.0, 0.0, -1.62))) is not of(arm)


def test_shared_kernels_are_bounded(monkeypatch):
    """The kernel used last stays and the oldest goes when there are more than are kept."""
    monkeypatch.setattr(kernel, "_RECENT", OrderedDict())
    monkeypatch.setattr(kernel, "MAX_RECENT", 2)
    kept = [at.load("ur5e").with_() for _ in range(2)]
    for equation in (rigid_body_equations.gravity, tool_pose_equations.tool_pose):
        kernel.kernel(kept[0], equation)
    kernel.kernel(kept[1], rigid_body_equations.gravity)
    kernel.kernel(kept[0], tool_pose_equations.jacobian)
    assert [key[0].__name__ for key in kernel._RECENT] == ["gravity", "jacobian"]
