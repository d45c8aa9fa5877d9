"""The UR5e's electro-mechanical document end to end: identify, predict currents, count energy."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from armtwin.energy.ledger import Ledger, ledger
from armtwin.identify.accuracy import Accuracy
from armtwin.identify.fit import Fit
from armtwin.identify.identification import identify
from armtwin.identify.settings import Settings
from armtwin.model.arm import Arm
from armtwin.reproduce.constants import half_digit
from armtwin.reproduce.energy_trials import (
    Trial,
    loaded_arm,
    makers_arm,
    trial,
    true_arm,
    without_drives,
)
from armtwin.reproduce.figure import Figure, Reproduction, Result, table

LAW = "power-flow"
NUMBERS = ("viscous", "coulomb_direct", "coulomb_reverse", "torque_constant")
ALL_AT_ONCE = 1.6
"""From a 95 % interval to one of 99.8 %, so that two dozen of them hold at the same time."""
HELD_OUT = 0.003
"""Largest relative error of energy on the test that was not fitted to."""
NEAR = {1: 0.01, 2: 0.01, 3: 0.01, 4: 0.01, 5: 0.015, 6: 0.01}
"""Allowed relative error of 1/kt after a single cycle with a known payload."""

NOTES = (
    "agrees: Tables IV and VI are planted as truth and recovered from simulated test A",
    "cannot agree: Tables V, VII and VIII hold for trajectories that the document does not print "
    "and recordings that are not public; ours stand beside them in kind, on six random waypoints "
    "each, with noise and gear ripple as large as in real UR logs",
    "Table V in kind: the controller's torques with the maker's link inertias, fitted with the "
    "document's cylinders; the document's larger errors at joints 1 and 2 would need links that "
    "differ more than these two published sets do",
    "Table VI, joint 6: without a payload the torque that passes its gear is almost nothing but "
    "rotor inertia, and the sign that eqs. 12 and 13 rest on drowns in noise; kt of joint 6 is "
    "then off by several per cent, outside its interval. The document's value cannot be better "
    "founded; a known payload beside the axis settles it",
    "Table VIII counts eq. 23 in all four quadrants, rule 'ideal': braking returns 112 % of the "
    "shaft's work. The other rules stand below",
)


@dataclass(frozen=True, eq=False)
class Made:
    """Everything that the reproduction rests on.

    Attributes:
        trials: tests A and B of the arm alone.
        fit: identified from A, tested on B.
        torques: rotors from torques of a controller with the maker's links.
        loaded: the same as ``fit`` with a known payload.
        books: ledgers of A and B with the planted truth, rule ideal.
        predicted: the ledger of B by the arm that was identified from A.
        reproduction: the printed figures beside ours.
    """

    trials: tuple[Trial, Trial]
    fit: Fit
    torques: Fit
    loaded: Fit
    books: tuple[Ledger, Ledger]
    predicted: Ledger
    reproduction: Reproduction


def make_energy(out: Path | None = None, *, force: bool = False) -> tuple[Made, dict[str, Path]]:
    """Return the whole reproduction, and its report where a folder is given."""
    truth, maker, carrying = true_arm(), makers_arm(), loaded_arm()
    tests = trial("A", truth), trial("B", truth)
    fit = _identified(truth, tests)
    torques = _identified(truth, (trial("A", truth, maker), trial("B", truth, maker)), ("rotors",))
    loaded = _identified(carrying, (trial("A", carrying), trial("B", carrying)))
    books = (
        ledger(truth, tests[0].motion, rule="ideal"),
        ledger(truth, tests[1].motion, rule="ideal"),
    )
    predicted = ledger(with_motors(fit.arm, truth), tests[1].motion, rule="ideal")
    parts = tests, fit, torques, loaded, books, predicted
    made = Made(*parts, _reproduction(*parts))
    return made, {} if out is None else _written(made, out, force)


def _written(made: Made, out: Path, force: bool) -> dict[str, Path]:
    from armtwin.report.write import write_page
    from armtwin.reproduce.energy_page import document_page

    page = document_page(made)
    return {"report": write_page(page, out / "energy.html", force=force)}


def _identified(
    arm: Arm, tests: tuple[Trial, Trial], unknown: tuple[str, ...] | None = None
) -> Fit:
    """Return what test A tells, staged as in the document, proved on test B."""
    drives = [joint.drive for joint in arm.driven if joint.drive is not None]
    settings = Settings(friction=LAW, gear=drives[0].gear)
    runs = [test.recording for test in tests]
    if unknown is not None:
        runs = [
            run.select("q", "target_q", "target_qd", "target_qdd", "target_tau") for run in runs
        ]
    method = "staged" if unknown is None else unknown
    return identify(without_drives(arm), [runs[0]], [runs[1]], method=method, settings=settings)


def with_motors(arm: Arm, source: Arm) -> Arm:
    """Return an identified arm with the motor constants that currents cannot tell."""
    joints = []
    for mine, theirs in zip(arm.joints, source.joints, strict=True):
        assert mine.drive is not None and theirs.drive is not None
        drive = dataclasses.replace(
            mine.drive,
            motor_constant=theirs.drive.motor_constant,
            back_emf_ratio=theirs.drive.back_emf_ratio,
        )
        joints.append(dataclasses.replace(mine, drive=drive))
    return arm.with_(joints=tuple(joints))


def _reproduction(
    tests: tuple[Trial, Trial],
    fit: Fit,
    torques: Fit,
    loaded: Fit,
    books: tuple[Ledger, Ledger],
    predicted: Ledger,
) -> Reproduction:
    return Reproduction(
        name="energy",
        document="E. Clochiatti, L. Scalera, P. Boscariol, A. Gasparetto, Electro-mechanical "
        "modeling and identification of the UR5 e-series robot, Robotica 42 (2024)",
        figures=(*_table_iv(fit), *_table_vi(fit, loaded)),
        results=(
            *_errors("Table V", torques, "target", "energy_torques.csv", "torque"),
            *_errors("Table VII", fit, "current", "energy_runs.csv", "current"),
            *_table_viii(books),
            *_truth(fit, loaded, predicted, books[1]),
            *_rules(tests),
        ),
        notes=NOTES,
    )


def printed_constants() -> dict[tuple[str, int], tuple[float, float]]:
    """Return Tables IV and VI: value and half of its last digit, by name and joint."""
    return {
        (row["name"], int(row["joint"])): (float(row["printed"]), half_digit(row["printed"]))
        for row in table("energy_model.csv")
        if row["place"] in ("Table IV", "Table VI")
    }


def _table_iv(fit: Fit) -> Iterator[Figure]:
    printed = printed_constants()
    for joint in range(1, 7):
        value, digit = printed["motor_inertia", joint]
        reducer = printed["reducer_inertia", joint][0]
        found = fit.estimate(f"rotor_inertia{joint}")
        half = (found.high - found.low) / 2
        name = f"motor inertia of joint {joint} kg m2"
        yield Figure("Table IV", name, value, found.value - reducer, digit + half)


def _table_vi(fit: Fit, loaded: Fit) -> Iterator[Figure]:
    """Yield friction and torque constants; joint 6 from the test with a payload."""
    printed = printed_constants()
    for joint in range(1, 7):
        source = loaded if joint == 6 else fit
        for name in NUMBERS:
            value, digit = printed[name, joint]
            found = source.estimate(f"{name}{joint}")
            reach = ALL_AT_ONCE * (found.high - found.low) / 2
            label = f"{name.replace('_', ' ')} of joint {joint}" + (
                ", with a known payload" if joint == 6 else ""
            )
            yield Figure("Table VI", label, value, float(found.value), digit + float(reach))


def _errors(place: str, fit: Fit, kind: str, file: str, name: str) -> Iterator[Result]:
    unit = "Nm" if kind == "target" else "A"
    printed = {(int(row["joint"]), row["test"]): row for row in table(file)}
    for part, test in (("train", "A"), ("test", "B")):
        for row in fit.accuracy:
            if row.part == part and row.kind == kind:
                theirs = printed[row.joint, test]
                rms = float(theirs[f"{name}_rms_{unit}"])
                label = f"{place}, test {test}, joint {row.joint}"
                yield Result(f"{label}: RMS error (document {rms:g})", raw_rms(fit, row), unit)
                r2 = f"{label}: R2 (document {float(theirs['r2']):g})"
                yield Result(r2, float(row.raw_r2), "")


def raw_rms(fit: Fit, row: Accuracy) -> float:
    """Return the RMS error of a joint's unfiltered signal over moving samples."""
    chosen = [s for s in fit.signals if s.part == row.part and s.kind == row.kind]
    k = row.joint - 1
    errors = [(s.measured - s.predicted)[:, k][s.used[:, k]] for s in chosen]
    return float(np.sqrt((np.concatenate(errors) ** 2).mean()))


def _table_viii(books: tuple[Ledger, Ledger]) -> Iterator[Result]:
    printed = {(int(row["joint"]), row["test"]): row for row in table("energy_runs.csv")}
    for test, book in zip("AB", books, strict=True):
        shaft = book.links + book.friction
        for joint in range(1, 7):
            row, label = printed[joint, test], f"Table VIII, test {test}, joint {joint}"
            for what, value in (("mechanical", shaft), ("electrical", book.net)):
                name = f"{label}: {what} energy (document {float(row[f'{what}_J']):g})"
                yield Result(name, float(value[joint - 1]), "J")
        total = {"A": (711.3, 845.1, 84.17), "B": (675.6, 805.9, 83.83)}[test]
        label = f"Table VIII, test {test}, overall"
        yield Result(f"{label}: mechanical energy (document {total[0]:g})", float(shaft.sum()), "J")
        yield Result(f"{label}: electrical energy (document {total[1]:g})", book.motors, "J")
        yield Result(f"{label}: efficiency (document {total[2]:g})", 100 * book.efficiency, "%")
        yield Result(f"{label}: time of the cycle", book.duration, "s")


def _truth(fit: Fit, loaded: Fit, predicted: Ledger, true: Ledger) -> Iterator[Result]:
    printed = printed_constants()
    for joint in range(1, 7):
        found, value = loaded.estimate(f"torque_constant{joint}"), printed["torque_constant", joint]
        error = abs(value[0] / float(found.value) - 1)
        name = f"1/kt of joint {joint} from one cycle with a known payload: relative error"
        yield Result(name, error, "", NEAR[joint])
    bare = float(fit.estimate("torque_constant6").value)
    error = abs(printed["torque_constant", 6][0] / bare - 1)
    yield Result("1/kt of joint 6 without a payload: relative error", error, "")
    error = abs(predicted.motors / true.motors - 1)
    yield Result("energy of test B predicted from test A: relative error", error, "", HELD_OUT)
    yield Result(
        "largest imbalance of the ledgers", max(predicted.balance, true.balance), "J", 1e-9
    )


def _rules(tests: tuple[Trial, Trial]) -> Iterator[Result]:
    arm = true_arm()
    for test in tests:
        for rule in ("ideal", "lossy", "shared-bus", "brake"):
            cost = ledger(arm, test.motion, rule=rule).motors
            yield Result(f"test {test.name}: energy under rule {rule}", cost, "J")
