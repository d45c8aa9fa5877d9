"""Laws of flexible joints: rigid limit, conserved energy, frequency, and the simulated plant."""

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from synthetic_arms import random_arm

import armtwin as at
from armtwin.errors import InputError, MissingDataError
from armtwin.model.arm import Drive, Joint, Link
from armtwin.model.drive import armature
from armtwin.simulation.integrators import longest_step
from armtwin.simulation.plant import Plant

pytestmark = pytest.mark.usefixtures("numpy_target")

ROTOR, STIFFNESS = 0.4, 900.0


def without_friction(arm):
    """Return the arm with its rotors alone."""
    joints = [
        dataclasses.replace(j, drive=dataclasses.replace(j.drive, friction=None))
        for j in arm.joints
    ]
    return arm.with_(joints=tuple(joints))


def one_joint():
    """Return an arm of one joint about the vertical axis, of inertia 0.25 kg m2 without rotor."""
    link = Link(1.0, (0.0, 0.0, 0.0), (0.05, 0.05, 0.09, 0.0, 0.0, 0.0), 0.05)
    joint = Joint(name="turn", a=0.4, link=link, drive=Drive(1.0, ROTOR))
    return at.Arm(name="one", convention="standard-dh", joints=(joint,))


ARM = without_friction(random_arm(4, rows=3))
ROTORS = np.array([armature(joint.drive) for joint in ARM.driven])
RNG = np.random.default_rng(2)
Q, QD, TAU = RNG.uniform(-1, 1, (3, ARM.dof))


def trajectory(arm, flexibility, start, seconds, tau=0.0):
    """Return q, theta, qd, thetad by DOP853, (steps, 4 dof)."""
    n = arm.dof

    def rates(_, y):
        q, theta, qd, thetad = y.reshape(4, n)
        motor = np.full(n, tau)
        found = at.flexible_dynamics(arm, q, qd, theta, thetad, motor, flexibility=flexibility)
        return np.concatenate([qd, thetad, *found])

    return solve_ivp(rates, (0, seconds), start, method="DOP853", rtol=1e-10, atol=1e-11).y.T


@pytest.mark.parametrize("stiffness", [50.0, 1e4, 1e7])
def test_rigid_when_the_spring_carries_the_links(stiffness):
    """Links and rotors accelerate as the rigid arm when the spring holds what links need."""
    rigid = at.forward_dynamics(ARM, Q, QD, TAU, ignore_limits=True)
    theta = Q + (TAU - ROTORS * rigid) / stiffness
    found = at.flexible_dynamics(ARM, Q, QD, theta, QD, TAU, flexibility=at.Flexibility(stiffness))
    np.testing.assert_allclose(found.qdd, rigid, rtol=0, atol=1e-7 * np.abs(rigid).max())
    np.testing.assert_allclose(found.thetadd, rigid, rtol=0, atol=1e-7 * np.abs(rigid).max())


def test_stiffer_springs_approach_the_rigid_arm():
    """The distance from the rigid motion falls in proportion to 1/k when k grows tenfold."""
    n, seconds = ARM.dof, 0.1

    def rates(_, y):
        return np.concatenate(
            [y[n:], at.forward_dynamics(ARM, y[:n], y[n:], TAU * 0, ignore_limits=True)]
        )

    state = np.concatenate([Q, QD])
    rigid = solve_ivp(rates, (0, seconds), state, method="DOP853", rtol=1e-10, atol=1e-11).y[:n, -1]
    off = []
    for k in (1e4, 1e5):
        qdd = rates(0, state)[n:]
        theta = Q - ROTORS * qdd / k
        end = trajectory(ARM, at.Flexibility(k), np.concatenate([Q, theta, QD, QD]), seconds)[-1]
        off.append(np.abs(end[:n] - rigid).max())
    assert off[1] < off[0] / 5
    assert off[1] < 1e-4


def test_energy_is_conserved_without_damping():
    """Kinetic, potential and spring energy keep their sum when nothing damps; damping lowers it."""
    n = ARM.dof
    start = np.concatenate([Q, Q + 0.02, QD, -QD])

    def total(y):
        q, theta, qd, thetad = y.reshape(4, n)
        links = at.energies(ARM, q, qd, ignore_limits=True)
        kinetic = links.kinetic - qd**2 @ ROTORS / 2 + thetad**2 @ ROTORS / 2
        return kinetic + links.potential + STIFFNESS * ((theta - q) ** 2).sum() / 2

    first = total(start)
    free = total(trajectory(ARM, at.Flexibility(STIFFNESS), start, 0.2)[-1])
    assert abs(free - first) < 1e-7 * abs(first)
    damped = trajectory(ARM, at.Flexibility(STIFFNESS, damping=5.0), start, 0.2)
    assert total(damped[-1]) < first - 0.1


def test_frequency_of_one_joint():
    """``theta - q`` obeys ``x'' = -k (1/J + 1/B) x`` when one joint turns without gravity."""
    arm, J = one_joint(), 0.25
    found = at.flexible_dynamics(
        arm, [0.3], [0.0], [0.31], [0.0], [0.0], flexibility=at.Flexibility(STIFFNESS)
    )
    squared = STIFFNESS * (1 / J + 1 / ROTOR)
    assert (found.thetadd - found.qdd)[0] == pytest.approx(-squared * 0.01, rel=1e-10)


def test_simulated_joint_swings_with_that_frequency():
    """Zero crossings of ``theta - q`` in MuJoCo are half a period apart when one joint swings."""
    flexibility = at.Flexibility(STIFFNESS)
    plant = Plant(one_joint(), 2e-4, integrator="rk4", flexibility=flexibility)
    plant.reset(np.array([0.3]), np.zeros(1))
    plant.motor_q[0] += 0.01
    stretch = []
    for _ in range(2500):
        plant.advance(np.zeros(1), (), 1)
        stretch.append(plant.motor_q[0] - plant.q[0])
    x = np.array(stretch)
    k = np.flatnonzero(np.sign(x[1:]) != np.sign(x[:-1]))
    crossings = 2e-4 * (k + x[k] / (x[k] - x[k + 1]))
    period = 2 * (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    expected = np.sqrt(STIFFNESS * (1 / 0.25 + 1 / ROTOR))
    assert 2 * np.pi / period == pytest.approx(expected, rel=1e-5)


def test_simulated_plant_is_the_equation():
    """MuJoCo and DOP853 of the equation agree to 1e-8 rad when a flexible arm falls."""
    flexibility = at.Flexibility(2000.0, damping=4.0)
    plant = Plant(ARM, 1e-4, integrator="rk4", flexibility=flexibility)
    plant.reset(Q, QD)
    start = np.concatenate([plant.q, plant.motor_q, plant.qd, plant.motor_qd])
    plant.advance(np.zeros(ARM.dof), (), 1000)
    end = trajectory(ARM, flexibility, start, 0.1)[-1]
    np.testing.assert_allclose(
        np.concatenate([plant.q, plant.motor_q]), end[: 2 * ARM.dof], atol=1e-8
    )


def test_stiffness_from_the_arm_file():
    """Stiffness is the inverse of the compliance when none is given; rigid arms are refused."""
    joint = dataclasses.replace(one_joint().joints[0], compliance=1e-4)
    soft = one_joint().with_(joints=(joint,))
    np.testing.assert_allclose(at.Flexibility().of(soft)[0], [1e4])
    with pytest.raises(MissingDataError, match="no compliance for turn; give stiffness="):
        at.Flexibility().of(one_joint())


@pytest.mark.parametrize(
    "given",
    [
        {"stiffness": -1.0},
        {"stiffness": (1.0, 2.0)},
        {"stiffness": 9.0, "damping": -1.0},
        {"stiffness": 9.0, "encoder": "tool"},
    ],
)
def test_springs_that_are_refused(given):
    """An error says what is wrong when numbers are negative, too many, or the encoder unknown."""
    with pytest.raises(InputError):
        at.Flexibility(**given).of(one_joint())


def test_arm_without_rotors_is_refused():
    """The error names the joints when an arm without rotor inertia is to have springs."""
    with pytest.raises(MissingDataError, match="no rotor inertia for shoulder_pan_joint"):
        at.simulate("ur10e", at.Circle(seconds=1.0), flexibility=at.Flexibility(1e4))


def test_step_follows_the_spring():
    """A step is shorter for a stiff spring, and one that a spring cannot bear is refused."""
    q = np.zeros((1, 1))
    stiff, soft = at.Flexibility(1e6), at.Flexibility(10.0)
    assert longest_step(one_joint(), q, "rk4", stiff, None) < 1e-4
    assert longest_step(one_joint(), q, "rk4", soft, None) == 1e-3
    with pytest.raises(InputError, match="too long for a spring of 2550 rad/s"):
        longest_step(one_joint(), q, "rk4", stiff, 1e-3)
