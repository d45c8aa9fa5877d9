"""Arms that have masses, and states they can be in, for tests of dynamics."""

import numpy as np
from catalogue_arms import REPRESENTATIVE, has_masses
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from synthetic_arms import random_arm

import armtwin as at
from armtwin.model.drive import armature

LAW = settings(max_examples=20, deadline=None, derandomize=True)
SYNTHETIC = {"synthetic-2": 2, "synthetic-5": 5}
"""Arms with sliding and fixed rows, offsets and directions, tilted gravity, rotors."""


CATALOGUE = [name for name in REPRESENTATIVE if has_masses(name)]
ARMS = [*CATALOGUE, *SYNTHETIC]
_MADE = {}


def moving_arm(name):
    """Return a catalogue arm or a synthetic one; one object per name, so that kernels are kept."""
    if name not in SYNTHETIC:
        return at.load(name)
    if name not in _MADE:
        _MADE[name] = random_arm(SYNTHETIC[name])
    return _MADE[name]


def vectors(size, largest):
    """Draw vectors with entries in -largest..largest, zeros and corners included."""
    return arrays(np.float64, size, elements=st.floats(-largest, largest, width=32))


def states(arm):
    """Draw q, qd and qdd of an arm; pass ``ignore_limits`` along with q."""
    return st.tuples(vectors(arm.dof, 6.25), vectors(arm.dof, 3.0), vectors(arm.dof, 10.0))


def many_states(arm, count, seed=0):
    """Return ``count`` random q, qd and qdd within the joints' limits."""
    rng = np.random.default_rng(seed)
    lower, upper = np.maximum(arm.lower, -6.25), np.minimum(arm.upper, 6.25)
    shape = (count, arm.dof)
    return rng.uniform(lower, upper, shape), rng.uniform(-3, 3, shape), rng.uniform(-9, 9, shape)


def rotors(arm):
    """Return the rotor inertias at the joints (dof,)."""
    return np.array([armature(joint.drive) for joint in arm.driven])


def slope(function, x, direction, step=1e-3):
    """Return the derivative of ``function`` along a direction by a five-point difference.

    The error is of fourth order in the step: about 1e-10 of the function's size here.
    """
    far = function(x + 2 * step * direction) - function(x - 2 * step * direction)
    near = function(x + step * direction) - function(x - step * direction)
    return (8 * near - far) / (12 * step)
