"""The tables of the electro-mechanical document, printed and ours."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.energy.ledger import Ledger, ledger
from armtwin.identification.result.accuracy import Accuracy
from armtwin.identification.result.fit import Fit
from armtwin.reproduce.constants import half_digit
from armtwin.reproduce.energy.test_trajectories import TrajectoryTrial, true_arm
from armtwin.reproduce.figure import DocumentResult, Figure, table

NUMBERS = ("viscous", "coulomb_direct", "coulomb_reverse", "torque_constant")
ALL_AT_ONCE = 1.6
"""From a 95 % interval to one of 99.8 %, so that two dozen of them hold at the same time."""
HELD_OUT = 0.003
"""Largest relative error of energy on the test that was not fitted to."""
NEAR = {1: 0.01, 2: 0.01, 3: 0.01, 4: 0.01, 5: 0.015, 6: 0.01}
"""Allowed relative error of 1/kt after a single cycle with a known payload."""


def printed_constants() -> dict[tuple[str, int], tuple[float, float]]:
    """Return Tables IV and VI: value and half of its last digit, by name and joint."""
    return {
        (row["name"], int(row["joint"])): (float(row["printed"]), half_digit(row["printed"]))
        for row in table("energy_model.csv")
        if row["place"] in ("Table IV", "Table VI")
    }


def table_iv(fit: Fit) -> Iterator[Figure]:
    """Yield the rotors' inertias beside Table IV."""
    printed = printed_constants()
    for joint in range(1, 7):
        value, digit = printed["motor_inertia", joint]
        reducer = printed["reducer_inertia", joint][0]
        found = fit.estimate(f"rotor_inertia{joint}")
        half = (found.high - found.low) / 2
        name = f"motor inertia of joint {joint} kg m2"
        ours = found.value - reducer
        yield Figure("Table IV", name, value, ours, digit + half, basis="simulated")


def table_vi(fit: Fit, loaded: Fit) -> Iterator[Figure]:
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
            ours, allowed = float(found.value), digit + float(reach)
            yield Figure("Table VI", label, value, ours, allowed, basis="simulated")


def errors(place: str, fit: Fit, kind: str, file: str, name: str) -> Iterator[DocumentResult]:
    """Yield the errors of a signal beside those of a table in the document.

    Args:
        place: the table in the document.
        fit: the identification.
        kind: of the fit's signal: target (torque) or current.
        file: bundled CSV file with the document's errors.
        name: of the signal in that file's columns.
    """
    unit = "Nm" if kind == "target" else "A"
    printed = {(int(row["joint"]), row["test"]): row for row in table(file)}
    for part, test in (("train", "A"), ("test", "B")):
        for row in fit.accuracy:
            if row.part == part and row.kind == kind:
                theirs = printed[row.joint, test]
                rms = float(theirs[f"{name}_rms_{unit}"])
                label = f"{place}, test {test}, joint {row.joint}"
                yield DocumentResult(
                    f"{label}: RMS error (document {rms:g})", raw_rms(fit, row), unit
                )
                r2 = f"{label}: R2 (document {float(theirs['r2']):g})"
                yield DocumentResult(r2, float(row.raw_r2), "")


def raw_rms(fit: Fit, row: Accuracy) -> float:
    """Return the RMS error of a joint's unfiltered signal over moving samples."""
    chosen = [s for s in fit.signals if s.part == row.part and s.kind == row.kind]
    k = row.joint - 1
    errors = [(s.measured - s.predicted)[:, k][s.used[:, k]] for s in chosen]
    return float(np.sqrt((np.concatenate(errors) ** 2).mean()))


def table_viii(books: tuple[Ledger, Ledger]) -> Iterator[DocumentResult]:
    """Yield energies and efficiencies of both tests beside Table VIII."""
    printed = {(int(row["joint"]), row["test"]): row for row in table("energy_runs.csv")}
    for test, book in zip("AB", books, strict=True):
        shaft = book.links + book.friction
        for joint in range(1, 7):
            row, label = printed[joint, test], f"Table VIII, test {test}, joint {joint}"
            for what, value in (("mechanical", shaft), ("electrical", book.net)):
                name = f"{label}: {what} energy (document {float(row[f'{what}_J']):g})"
                yield DocumentResult(name, float(value[joint - 1]), "J")
        total = {"A": (711.3, 845.1, 84.17), "B": (675.6, 805.9, 83.83)}[test]
        label = f"Table VIII, test {test}, overall"
        yield DocumentResult(
            f"{label}: mechanical energy (document {total[0]:g})", float(shaft.sum()), "J"
        )
        yield DocumentResult(
            f"{label}: electrical energy (document {total[1]:g})", book.motors, "J"
        )
        yield DocumentResult(
            f"{label}: efficiency (document {total[2]:g})", 100 * book.efficiency, "%"
        )
        yield DocumentResult(f"{label}: time of the cycle", book.duration, "s")


def planted(fit: Fit, loaded: Fit, predicted: Ledger, true: Ledger) -> Iterator[DocumentResult]:
    """Yield the errors of the estimates and of the predicted energy against the planted truth.

    Args:
        fit: identification without payload.
        loaded: identification with payload.
        predicted: energy ledger of the identified arm.
        true: energy ledger of the true arm.
    """
    printed = printed_constants()
    for joint in range(1, 7):
        found, value = loaded.estimate(f"torque_constant{joint}"), printed["torque_constant", joint]
        error = abs(value[0] / float(found.value) - 1)
        name = f"1/kt of joint {joint} from one cycle with a known payload: relative error"
        yield DocumentResult(name, error, "", NEAR[joint])
    bare = float(fit.estimate("torque_constant6").value)
    error = abs(printed["torque_constant", 6][0] / bare - 1)
    yield DocumentResult("1/kt of joint 6 without a payload: relative error", error, "")
    error = abs(predicted.motors / true.motors - 1)
    yield DocumentResult(
        "energy of test B predicted from test A: relative error", error, "", HELD_OUT
    )
    yield DocumentResult(
        "largest imbalance of the ledgers", max(predicted.balance, true.balance), "J", 1e-9
    )


def rules(tests: tuple[TrajectoryTrial, TrajectoryTrial]) -> Iterator[DocumentResult]:
    """Yield the energy of both tests under every rule for generated power."""
    arm = true_arm()
    for test in tests:
        for rule in ("ideal", "lossy", "shared-bus", "brake"):
            cost = ledger(arm, test.motion, rule=rule).motors
            yield DocumentResult(f"test {test.name}: energy under rule {rule}", cost, "J")
