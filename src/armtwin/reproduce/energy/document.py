"""The UR5e's electro-mechanical document end to end: identify, predict currents, count energy."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from armtwin.energy.ledger import Ledger, ledger
from armtwin.identification.identify import identify
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.result.fit import Fit
from armtwin.model.arm import Arm
from armtwin.reproduce.energy.energy_tables import (
    errors,
    planted,
    rules,
    table_iv,
    table_vi,
    table_viii,
)
from armtwin.reproduce.energy.test_trajectories import (
    TrajectoryTrial,
    loaded_arm,
    manufacturer_arm,
    trial,
    true_arm,
    without_drives,
)
from armtwin.reproduce.figure import Reproduction

LAW = "power-flow"

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
class EnergyReproduction:
    """Data and results of the reproduction.

    Attributes:
        trials: tests A and B of the arm alone.
        fit: identified from A, tested on B.
        torques: rotors from torques of a controller with the maker's links.
        loaded: the same as ``fit`` with a known payload.
        books: ledgers of A and B with the planted truth, rule ideal.
        predicted: the ledger of B by the arm that was identified from A.
        reproduction: the printed figures beside ours.
    """

    trials: tuple[TrajectoryTrial, TrajectoryTrial]
    fit: Fit
    torques: Fit
    loaded: Fit
    books: tuple[Ledger, Ledger]
    predicted: Ledger
    reproduction: Reproduction


def make_energy(
    out: Path | None = None, *, force: bool = False
) -> tuple[EnergyReproduction, dict[str, Path]]:
    """Return the whole reproduction, and its report where a folder is given."""
    truth, maker, carrying = true_arm(), manufacturer_arm(), loaded_arm()
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
    made = EnergyReproduction(*parts, _reproduction(*parts))
    return made, {} if out is None else _written(made, out, force)


def _written(made: EnergyReproduction, out: Path, force: bool) -> dict[str, Path]:
    from armtwin.report.write import write_page
    from armtwin.reproduce.energy.energy_page import document_page

    page = document_page(made)
    return {"report": write_page(page, out / "energy.html", force=force)}


def _identified(
    arm: Arm, tests: tuple[TrajectoryTrial, TrajectoryTrial], unknown: tuple[str, ...] | None = None
) -> Fit:
    """Identify from test A in the document's stages, and test on B."""
    drives = [joint.drive for joint in arm.driven if joint.drive is not None]
    runs = [test.recording for test in tests]
    if unknown is not None:
        runs = [
            run.select("q", "target_q", "target_qd", "target_qdd", "target_tau") for run in runs
        ]
    method = "staged" if unknown is None else unknown
    options = IdentifyOptions(method=method, friction=LAW, gear=drives[0].gear)
    return identify(without_drives(arm), [runs[0]], test=[runs[1]], options=options)


def with_motors(arm: Arm, source: Arm) -> Arm:
    """Return an identified arm with motor constants that currents cannot identify."""
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
    tests: tuple[TrajectoryTrial, TrajectoryTrial],
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
        figures=(*table_iv(fit), *table_vi(fit, loaded)),
        results=(
            *errors("Table V", torques, "target", "energy_torques.csv", "torque"),
            *errors("Table VII", fit, "current", "energy_runs.csv", "current"),
            *table_viii(books),
            *planted(fit, loaded, predicted, books[1]),
            *rules(tests),
        ),
        notes=NOTES,
    )
