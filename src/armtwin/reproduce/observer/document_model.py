"""Dynamics of the momentum-observer document: its constants and its statements on M, C and G."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from armtwin.dynamics import rigid_body as rigid
from armtwin.model.arm import Arm
from armtwin.model.catalogue.catalogue import load
from armtwin.reproduce.constants import constants, half_digit, number_of
from armtwin.reproduce.figure import DocumentResult, Figure, Reproduction
from armtwin.spatial import Array

DOCUMENT = (
    "T. V. M. Hieu, Momentum observer for collision detection of UR10e 6DOF Robot (February 2026)"
)
STATES = 200
"""Random states over which statements are checked."""
SAMPLE_Q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
SAMPLE_QD = np.array([0.6, 0.5, 0.4, 0.3, 0.2, 0.1])
STEP = 1e-3
"""Step of the five-point difference [s]. Larger: truncation, with its fourth power; smaller:
rounding, with its inverse."""

LENGTHS = {
    "d1": ("0.181", "0.181"), "a2": ("-0.6127", "0.613"), "a3": ("-0.5716", "0.572"),
    "d4": ("0.1639", "0.174"), "d5": ("0.1157", "0.120"), "d6": ("0.0922", "0.117"),
}  # fmt: skip
"""Lengths of the mechanism (Table 2) and of the cylinders (Table 4) [m]."""

MASSES = ("7.37", "13.05", "3.99", "2.10", "1.98", "0.62")
OLDER = "the older UR10's value; the other lengths, and Table 4, are the UR10e's"

NOTES = (
    "Table 1 omits the offsets of its own matrices: theta2 = q2 + pi/2 (eq. 11) and theta4 = "
    "q4 - pi/2 (eq. 32)",
    "eq. 45 has the sign of alpha4 reversed against Table 1 and eq. 46; -pi/2 is right",
    "eqs. 50 and 55, row 2, column 5: -c234 s1 must be -s234 s1",
    "eq. 51 drops d6: row 2 is (0, 0, -1, -d6)",
    "eq. 58 repeats link 2's symbols; it means m3, r3, a3",
    "eq. 91: the cosine's numerator is A^2 + a2^2 - a3^2; eqs. 89-97 treat the wrist as spherical, "
    "which the UR's is not",
    "Table 3's centres of links 2 and 3 lie on the far side of their joints; kept as printed",
    "every equation of its Jacobians, M, C and G, corrected as above, is written out by hand in "
    "tests/published/test_observer_model.py and compared with ours for 1,000 states to 1e-10",
)


def reproduce() -> Reproduction:
    """Return the document's constants, and its statements about M, C and G, checked on ours."""
    arm = load("ur10e-observer")
    return Reproduction(
        name="observer-model",
        document=DOCUMENT,
        figures=(*constants(arm, "observer_model.csv"), *_against_datasheets()),
        results=(*statements(arm), *_sample(arm)),
        notes=NOTES,
    )


def _against_datasheets() -> Iterator[Figure]:
    """Yield the printed lengths and masses beside the maker's."""
    newer, older = load("ur10e"), load("ur10")
    for symbol, (printed, cylinder) in LENGTHS.items():
        length, before = (
            number_of(arm.joints[int(symbol[1]) - 1], symbol[0]) for arm in (newer, older)
        )
        erratum = OLDER if symbol in ("d4", "d5", "d6") else ""
        yield _rounded("Table 2", f"{symbol} of the UR10e m", printed, length, erratum)
        if erratum:
            yield _rounded("Table 2", f"{symbol} of the UR10 m", printed, before)
        yield _rounded("Table 4", f"{symbol} of the UR10e m", cylinder, abs(length))
    for joint, printed in enumerate(MASSES, 1):
        mass = number_of(newer.joints[joint - 1], "mass")
        yield _rounded("Table 3", f"mass {joint} of the UR10e kg", printed, mass)


def _rounded(place: str, name: str, printed: str, ours: float, erratum: str = "") -> Figure:
    allowed = half_digit(printed) * (1 + 1e-9)
    return Figure(place, name, float(printed), ours, allowed, erratum, basis="constant")


def statements(arm: Arm) -> Iterator[DocumentResult]:
    """Yield statements on M, C and G with the largest violation over random states."""
    rng = np.random.default_rng(0)
    q, qd, qdd = (rng.uniform(-2, 2, (STATES, arm.dof)) for _ in range(3))
    M, C, g = rigid.mass_matrix(arm, q), rigid.coriolis(arm, q, qd), rigid.gravity(arm, q)
    yield _largest("M is symmetric (eq. 85)", M - M.swapaxes(1, 2), "kg m2", 0.0)
    bad = int((np.linalg.eigvalsh(M) <= 0).sum())
    yield DocumentResult("eigenvalues of M that are not positive (eq. 85)", bad, "", 0.0)
    skew = _rate(lambda h: rigid.mass_matrix(arm, q + h * qd)) - 2 * C
    yield _largest("Mdot - 2 C is skew (below eq. 79)", skew + skew.swapaxes(1, 2), "", 1e-7)
    tau = np.einsum("nij,nj->ni", M, qdd) + np.einsum("nij,nj->ni", C, qd) + g
    ours = rigid.inverse_dynamics(arm, q, qd, qdd)
    yield _largest("M qdd + C qd + G is the torque (eq. 87)", ours - tau, "Nm", 1e-10)
    p = _rate(lambda h: rigid.momentum(arm, q + h * qd + h * h / 2 * qdd, qd + h * qdd).p)
    known = np.einsum("nji,nj->ni", C, qd) - g
    yield _largest("dp/dt is tau - g + C^T qd (eq. 107)", p - tau - known, "Nm", 1e-6)


def _rate(function: Callable[[float], Array]) -> Array:
    """Return the derivative at 0 by a five-point difference."""
    near, far = (function(k * STEP) - function(-k * STEP) for k in (1, 2))
    return np.asarray((8 * near - far) / (12 * STEP))


def _largest(name: str, violation: Array, unit: str, bound: float) -> DocumentResult:
    return DocumentResult(name, float(np.abs(violation).max()), unit, bound)


def _sample(arm: Arm) -> Iterator[DocumentResult]:
    """Yield our M (upper triangle), C qd and G at one state."""
    M = rigid.mass_matrix(arm, SAMPLE_Q)
    turning = rigid.coriolis(arm, SAMPLE_Q, SAMPLE_QD) @ SAMPLE_QD
    g = rigid.gravity(arm, SAMPLE_Q)
    where = "at q = (.1 .2 .3 .4 .5 .6)"
    for i in range(arm.dof):
        for j in range(i, arm.dof):
            yield DocumentResult(f"M{i + 1}{j + 1} {where}", float(M[i, j]), "kg m2")
    for i in range(arm.dof):
        yield DocumentResult(
            f"(C qd){i + 1} {where}, qd = (.6 .5 .4 .3 .2 .1)", float(turning[i]), "Nm"
        )
    for i in range(arm.dof):
        yield DocumentResult(f"G{i + 1} {where}", float(g[i]), "Nm")
