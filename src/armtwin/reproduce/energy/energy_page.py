"""The report that stands beside the UR5e's electro-mechanical document: its tables and figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from armtwin.energy.ledger_page import power_charts
from armtwin.identification.result.fit import Fit
from armtwin.kinematics.forward import fk, jacobian
from armtwin.report.charts.boxes import box_chart
from armtwin.report.page import (
    Chart,
    Curve,
    Page,
    Panel,
    Part,
    Paths,
    Section,
    Table,
    Text,
    Verdict,
)
from armtwin.reproduce.figure import table

if TYPE_CHECKING:
    from armtwin.reproduce.energy.document import EnergyReproduction

PARTS = (("train", "A"), ("test", "B"))


def document_page(made: EnergyReproduction) -> Page:
    """Return the reproduction as a page: Tables IV to VIII, Figures 2 to 4 and 8 to 15 in kind."""
    done = made.reproduction
    off = done.count("off")
    text = f"{done.count('agrees')} printed constants recovered, {off} off; every bound holds"
    return Page(
        title="Electro-mechanical model of the UR5e, reproduced",
        subtitle=done.document,
        verdict=Verdict(done.passed, text if done.passed else f"{off} figures are off"),
        sections=(
            Section("What agrees, and what cannot", tuple(Text(note) for note in done.notes)),
            Section("The trajectories (Figures 2 to 4)", tuple(_trajectories(made))),
            Section("Motor inertias and friction (Tables IV and VI)", (_constants(made),)),
            Section("Torques (Table V, Figures 8 to 10)", tuple(_signals(made.torques, "target"))),
            Section("Currents (Table VII, Figures 11 to 13)", tuple(_signals(made.fit, "current"))),
            Section("Energy (Table VIII, Figures 14 and 15)", tuple(_energy(made))),
        ),
    )


def _trajectories(made: EnergyReproduction) -> Iterator[Part]:
    paths = []
    arm = made.fit.before
    for trial in made.trials:
        motion = trial.motion
        panels = [
            Panel(label, tuple(Curve(f"joint {k + 1}", motion.time, v) for k, v in enumerate(x.T)))
            for label, x in (
                ("position [rad]", motion.q),
                ("speed [rad/s]", motion.qd),
                ("acceleration [rad/s2]", motion.qdd),
            )
        ]
        tool = fk(arm, motion.q)[:, :3, 3]
        twist = np.einsum("nij,nj->ni", jacobian(arm, motion.q), motion.qd)
        speed = np.linalg.norm(twist[:, :3], axis=1)
        panels.append(Panel("tool speed [m/s]", (Curve("tool", motion.time, speed),)))
        yield Chart(f"Test trajectory {trial.name}", "time [s]", tuple(panels))
        paths.append((f"test {trial.name}", tool))
    yield Paths("Paths of the tool", "m", tuple(paths))


def _constants(made: EnergyReproduction) -> Table:
    rows = [
        (f.place, f.name, f.printed, f.ours, f.allowed, f.verdict)
        for f in made.reproduction.figures
    ]
    marks = tuple(
        (k, "good" if f.verdict == "agrees" else "bad")
        for k, f in enumerate(made.reproduction.figures)
    )
    heads = ("where", "number", "document (planted)", "ours (identified)", "interval and digit", "")
    return Table(heads, tuple(rows), "Identified from simulated test A", marks)


def _signals(fit: Fit, kind: str) -> Iterator[Part]:
    """Yield measured and modelled signals of both tests, their errors and box plots."""
    place = "Table V" if kind == "target" else "Table VII"
    yield _accuracy(fit, kind, place)
    for part, test in PARTS:
        for signal in fit.signals:
            if signal.part != part or signal.kind != kind:
                continue
            panels = tuple(
                Panel(
                    f"joint {k + 1} [{signal.unit}]",
                    (
                        Curve("measured", signal.time, signal.measured[:, k]),
                        Curve("model", signal.time, signal.predicted[:, k], "dashes"),
                    ),
                )
                for k in range(signal.measured.shape[1])
            )
            yield Chart(f"Test {test}", "time [s]", panels)
            errors = (signal.measured - signal.predicted).T
            moving = [e[used] for e, used in zip(errors, signal.used.T, strict=True)]
            yield box_chart(f"Errors of test {test}", signal.unit, moving)


def _accuracy(fit: Fit, kind: str, place: str) -> Table:
    from armtwin.reproduce.energy.energy_tables import raw_rms

    file, name, unit = (
        ("energy_torques.csv", "torque", "Nm")
        if kind == "target"
        else ("energy_runs.csv", "current", "A")
    )
    printed = {(int(row["joint"]), row["test"]): row for row in table(file)}
    rows = []
    for part, test in PARTS:
        for row in fit.accuracy:
            if row.part == part and row.kind == kind:
                theirs = printed[row.joint, test]
                numbers = [float(theirs[f"{name}_{k}_{unit}"]) for k in ("mean", "max", "rms")]
                numbers.append(float(theirs["r2"]))
                ours = (row.mean, row.largest, raw_rms(fit, row), row.raw_r2)
                rows.append(
                    (test, row.joint, *[v for p in zip(numbers, ours, strict=True) for v in p])
                )
    columns = [f"{n} [{unit}]" for n in ("mean", "max", "RMS")] + ["R2"]
    heads = ("test", "joint", *[f"{c} {who}" for c in columns for who in ("document", "ours")])
    return Table(heads, tuple(rows), f"{place}: other trajectories, comparable in kind only")


def _energy(made: EnergyReproduction) -> Iterator[Part]:
    printed = {(int(row["joint"]), row["test"]): row for row in table("energy_runs.csv")}
    rows = []
    for test, book in zip("AB", made.books, strict=True):
        shaft = book.links + book.friction
        for joint in range(1, 7):
            row = printed[joint, test]
            theirs = float(row["mechanical_J"]), float(row["electrical_J"])
            rows.append((test, joint, theirs[0], shaft[joint - 1], theirs[1], book.net[joint - 1]))
    heads = ("test", "joint", "shaft [J] document", "ours", "electrical [J] document", "ours")
    yield Table(heads, tuple(rows), "Table VIII: other trajectories, comparable in kind only")
    for test, book in zip("AB", made.books, strict=True):
        power, _ = power_charts(made.fit.before, book)
        yield Chart(f"Test {test}: power and energy", power.x_label, power.panels)
