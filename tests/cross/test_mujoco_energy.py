"""Motions of least energy led along by MuJoCo: they spend what was promised."""

import dataclasses

import numpy as np
import pytest
from energy_arms import ARM, AROUND, free_moves

import armtwin as at
from armtwin.compile.kernel import run
from armtwin.dynamics.regeneration import RULES
from armtwin.energy.mujoco_replay import replay
from armtwin.equations.drives import energy as energy_equations
from armtwin.errors import MissingDataError
from armtwin.model.arm import Friction
from armtwin.motion.limits import MotionLimits
from armtwin.motion.optimal.leg_times import least_energy
from armtwin.motion.optimal.solve import Task


def with_plain_friction(arm):
    """Return the arm with one Coulomb level whichever way power flows, the mean of both."""
    joints = []
    for joint in arm.joints:
        p = dict(joint.drive.friction.parameters)
        level = (p["coulomb_direct"] + p["coulomb_reverse"]) / 2
        numbers = (("viscous", p["viscous"]), ("coulomb", level))
        law = Friction("viscous-coulomb", numbers, "motor")
        drive = dataclasses.replace(joint.drive, friction=law)
        joints.append(dataclasses.replace(joint, drive=drive))
    return arm.with_(name="ur5e-plain", joints=tuple(joints))


@pytest.mark.parametrize("friction", ["plain", "power-flow"])
@pytest.mark.parametrize("number", range(3))
def test_replay_spends_what_was_promised(number, friction):
    """The plant spends within 3 % of the promise when it is led along an optimum."""
    arm = with_plain_friction(ARM) if friction == "plain" else ARM
    task = Task(arm, MotionLimits(np.pi, 15.0), RULES["lossy-shared-bus"], AROUND)
    best = least_energy(task, free_moves(3, seed=5)[number], slower=(1.0, 1.25, 1.5)[number])
    replayed = replay(arm, best.motion, rule=task.rule)
    assert abs(replayed.excess) < 0.03
    assert np.abs(replayed.recording.q - best.motion.q).max() < 5e-3


def test_load_and_friction_make_the_motors_torque():
    """The load with its friction adds up to the motor's torque when states are random."""
    rng = np.random.default_rng(0)
    qd, tau = rng.uniform(-3, 3, (500, 6)), rng.uniform(-1, 1, (500, 6)) * [90, 90, 60, 20, 20, 20]
    load = run(ARM, energy_equations.link_load, qd, tau)[0]
    settled = load != 0
    total = load + at.friction(ARM, qd, load)
    np.testing.assert_allclose(total[settled], tau[settled], atol=1e-9)
    assert settled.mean() > 0.9


def test_replay_needs_torque_constants():
    """A replay is refused when the arm's currents cannot be known."""
    joints = tuple(
        dataclasses.replace(j, drive=dataclasses.replace(j.drive, torque_constant=None))
        for j in ARM.joints
    )
    motion = least_energy(Task(ARM), [np.zeros(6) - 0.5, np.zeros(6) - 0.8]).motion
    with pytest.raises(MissingDataError, match="torque constants"):
        replay(ARM.with_(name="no constants", joints=joints), motion)
