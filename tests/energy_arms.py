"""Arms with motors and motions for tests of energy and of motions of least energy."""

import numpy as np

import armtwin as at
from armtwin.model.arm import Arm, Drive, Friction, Joint, Limits, Link
from armtwin.motion.clearance.clearance import Environment, is_free
from armtwin.motion.motion import Motion

ARM = at.load("ur5e-energy")
AROUND = Environment()


def free_moves(count, seed=1, spread=2.6):
    """Return random pairs of postures (2, 6) of the UR5e with a clear straight way between."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        pair = rng.uniform(-spread, spread, (2, 6))
        if is_free(ARM, np.linspace(*pair, 25), AROUND).all():
            found.append(pair)
    return found


def smooth_motion(arm, seed, seconds=1.5, rate=2000.0):
    """Return a random quintic from rest to rest within half a turn."""
    rng = np.random.default_rng(seed)
    start, end = rng.uniform(-1.5, 1.5, (2, arm.dof))
    return quintic_motion(start, end, seconds, rate)


def quintic_motion(start, end, seconds, rate=2000.0):
    """Return the quintic from rest to rest between two postures."""
    t = np.linspace(0, seconds, round(seconds * rate) + 1)
    x, way = t / seconds, np.asarray(end) - start
    s = x**3 * (10 - 15 * x + 6 * x**2)
    ds, dds = 30 * x**2 * (1 - x) ** 2 / seconds, 60 * x * (1 - x) * (1 - 2 * x) / seconds**2
    return Motion(t, start + np.outer(s, way), np.outer(ds, way), np.outer(dds, way), "quintic")


def still(q, seconds=1.0):
    """Return a motion that stays in one posture."""
    t = np.linspace(0, seconds, 101)
    zero = np.zeros((101, len(q)))
    return Motion(t, zero + q, zero, zero, "still")


def wheel(*, mass=2.0, friction=0.0, effort=50.0, **drive):
    """Return an arm of one joint that turns about the vertical: inertia, one motor, no gravity.

    Its inertia about the joint is ``mass * 0.1`` kg m2.
    """
    size = mass * 0.01
    link = Link(mass, (0.0, 0.0, 0.0), (size, size, size, 0.0, 0.0, 0.0), 0.05)
    numbers = {"gear": 10.0, "torque_constant": 0.1, "motor_constant": 0.05, **drive}
    law = Friction("viscous-coulomb", (("viscous", 0.0), ("coulomb", friction)), "motor")
    joint = Joint(
        "wheel", a=0.3, limits=Limits(-7, 7, 20.0, None, effort), link=link,
        drive=Drive(friction=law, **numbers),
    )  # fmt: skip
    return Arm("wheel", "standard-dh", (joint,))
