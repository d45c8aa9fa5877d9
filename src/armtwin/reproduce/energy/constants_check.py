"""The UR5e's electro-mechanical model: its constants, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.dynamics import drives
from armtwin.dynamics import rigid_body as rigid
from armtwin.model.arm import Arm, Drive
from armtwin.model.catalogue.catalogue import load
from armtwin.model.drive import armature
from armtwin.reproduce.constants import constants
from armtwin.reproduce.figure import DocumentResult, Figure, Reproduction, table

LARGE, SMALL = slice(0, 3), slice(3, 6)
ERRATA = {
    ("Table III", 5, "inertia zz"): "no body has it beside xx = yy = 0.0012; link 4's 0.0009 shows "
    "a lost zero",
}
SUM_ERRATUM = "the six joints of the same column add up to this"
CURRENT_ERRATUM = "Table VII has 0.119 to 0.188 A"
COUNT_ERRATUM = "eq. 18 has four coefficients a joint"

NOTES = (
    "Table II's centres of mass are the maker's, in the distal DH frame of each link",
    "the reducers' inertia is printed in Nm (section 3.2); it is in kg m2",
    "eq. 16 is missing: it defines the reverse-flow speed as eq. 15 does the direct one; eq. 17 "
    "drops the superscript rev in its last tanh",
    "eq. 23 with kb/kt = 1/0.89 in all four quadrants returns more power than it brakes; a rule "
    "for regeneration has to be chosen where energy is counted",
    "Tables V to VIII are measured on trajectories that the document does not print: only what "
    "follows from the printed numbers is recomputed",
)


def reproduce() -> Reproduction:
    """Return the document's constants and sums beside ours (arm ``ur5e-energy``)."""
    arm = load("ur5e-energy")
    motors = [joint.drive for joint in arm.driven if joint.drive is not None]
    return Reproduction(
        name="energy-model",
        document="E. Clochiatti, L. Scalera, P. Boscariol, A. Gasparetto, Electro-mechanical "
        "modeling and identification of the UR5 e-series robot, Robotica 42 (2024)",
        figures=(
            *constants(arm, "energy_model.csv", ERRATA),
            *_means(motors),
            *_counts(arm),
            *_runs(),
        ),
        results=(*_derived(arm, motors), *_friction(arm), *_capacity()),
        notes=NOTES,
    )


def _means(motors: list[Drive]) -> Iterator[Figure]:
    """Yield the mean constants of section 5; the document cuts or rounds them."""
    kt = np.array([m.torque_constant for m in motors], float)
    inertia = np.array([m.motor_inertia for m in motors])
    place = "section 5"
    yield Figure(place, "mean torque constant, joints 1-3 Nm/A", 0.1061, kt[LARGE].mean(), 1e-4)
    yield Figure(place, "mean torque constant, joints 4-6 Nm/A", 0.0768, kt[SMALL].mean(), 1e-4)
    large, small = inertia[LARGE].mean(), inertia[SMALL].mean()
    yield Figure(place, "mean motor inertia, joints 1-3 kg m2", 6.4013e-5, large, 1e-9)
    yield Figure(place, "mean motor inertia, joints 4-6 kg m2", 1.2032e-5, small, 1e-9)


def _counts(arm: Arm) -> Iterator[Figure]:
    inertial = len(rigid.link_parameters(arm)) + 2 * arm.dof
    yield Figure("section 3.1", "inertial parameters of links, motors, reducers", 72, inertial, 0)
    yield Figure("below eq. 18", "coefficients of Table VI", 30, 4 * arm.dof, 0, COUNT_ERRATUM)


def _runs() -> Iterator[Figure]:
    """Yield what the text and the totals say of Tables VII and VIII."""
    rows = list(table("energy_runs.csv"))

    def column(name: str, joints: slice = slice(0, 6), test: str = "AB") -> list[float]:
        chosen = range(1, 7)[joints]
        return [float(r[name]) for r in rows if int(r["joint"]) in chosen and r["test"] in test]

    rms = "current_rms_A"
    yield Figure(
        "section 4", "largest RMS current error, joints 1-3 A",
        0.020, max(column(rms, LARGE)), 5e-4, CURRENT_ERRATUM,
    )  # fmt: skip
    largest = max(column(rms, SMALL))
    yield Figure("section 4", "largest RMS current error, joints 4-6 A", 0.066, largest, 5e-4)
    yield Figure("section 4", "lowest R2 of the currents", 0.985, min(column("r2")), 5e-4)
    totals = {"A": (711.3, 845.1, 84.17), "B": (675.6, 805.9, 83.83)}
    for test, (mechanical, electrical, efficiency) in totals.items():
        where = f"Table VIII, test {test}"
        shaft, drawn = (
            sum(column(f"{kind}_J", test=test)) for kind in ("mechanical", "electrical")
        )
        yield Figure(where, "mechanical energy, overall J", mechanical, shaft, 0.35)
        yield Figure(where, "electrical energy, overall J", electrical, drawn, 0.35, SUM_ERRATUM)
        ratio = 100 * mechanical / electrical
        yield Figure(where, "efficiency of the printed totals %", efficiency, ratio, 0.01)


def _derived(arm: Arm, motors: list[Drive]) -> Iterator[DocumentResult]:
    """Yield reflected inertias, the holding torque and what braking returns."""
    for number, motor in enumerate(motors, 1):
        yield DocumentResult(
            f"rotor inertia at joint {number}, (Jm + Jr) 100^2", armature(motor), "kg m2"
        )
    hold = abs(float(rigid.gravity(arm, np.zeros(arm.dof))[1]))
    yield DocumentResult("gravity torque of joint 2 at q = 0", hold, "Nm")
    what = "its distance from 59.8 Nm (15.2 Nm with centres of mass read in other frames)"
    yield DocumentResult(what, abs(hold - 59.8), "Nm", 0.05)
    yield DocumentResult(
        "power returned by eq. 23 per watt braked, kb/kt", 1 / motors[0].back_emf_ratio, ""
    )


def _friction(arm: Arm) -> Iterator[DocumentResult]:
    """Yield friction at the joints at 1 rad/s, driving and driven."""
    speed, load = np.ones(arm.dof), np.ones(arm.dof)
    for case, sign in (("the motor drives", 1.0), ("the load drives", -1.0)):
        values = drives.friction(arm, speed, sign * load)
        for number, value in enumerate(values.tolist(), 1):
            yield DocumentResult(f"friction at joint {number} at 1 rad/s, {case}", value, "Nm")


def _capacity() -> Iterator[DocumentResult]:
    for joints, motor, rated in (("1-3", 1.54, 150), ("4-6", 0.27, 28)):
        name = f"100 x the catalogue motor's torque, joints {joints} (rated {rated} Nm)"
        yield DocumentResult(name, 100 * motor, "Nm")
