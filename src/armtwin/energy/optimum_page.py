"""The page of a motion of least energy: savings, compared motions, energy against time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from armtwin.energy.flows import energy_flows
from armtwin.energy.ledger import ledger
from armtwin.energy.ledger_page import ledger_table, power_charts
from armtwin.energy.savings import Savings
from armtwin.motion.optimal.pareto import ParetoPoint
from armtwin.motion.optimal.solve import Optimum, Task
from armtwin.report.inputs import fingerprint
from armtwin.report.numbers import rounded
from armtwin.report.page import Chart, Curve, Page, Panel, Part, Section, Table, Text

if TYPE_CHECKING:
    from armtwin.energy.optimize import OptimizedMotion


def optimum_page(found: OptimizedMotion) -> Page:
    """Return a motion of least energy as a page."""
    task, best, against = found.task, found.optimum, found.comparison
    sections = [
        Section("Comparison", tuple(_comparison(task, against))),
        Section("The motion", (_motion(best),)),
        Section(
            "Where its energy goes",
            (
                energy_flows(found.ledger),
                ledger_table(found.ledger),
                *power_charts(task.arm, found.ledger),
            ),
        ),
    ]
    if found.curve:
        heads = ("slower", "time [s]", "motors [J]")
        table = Table(heads, tuple(found.curve_energies()))
        chart = _curve(task, against, found.curve)
        sections.insert(1, Section("Energy against time", (table, chart)))
    if best.motion.notes:
        notes = tuple(Text(note, "note") for note in best.motion.notes)
        sections.append(Section("Processing notes", notes))
    return Page(
        title=f"Least energy of {task.arm.name}",
        subtitle=best.motion.name,
        facts=tuple(_facts(found)),
        sections=tuple(sections),
        inputs=tuple(fingerprint(file) for file in found.inputs),
        settings=tuple(_settings(task)),
        finding=_finding(found),
    )


def _finding(found: OptimizedMotion) -> str:
    """Return the savings against the trapezoid of the same duration."""
    motors = rounded(found.comparison.optimum.motors, 3)
    if found.saving != found.saving:
        return f"The motors take {motors} J on this motion; there is nothing to compare it with."
    less = "less" if found.saving >= 0 else "more"
    return (
        f"The motors take {motors} J on this motion, {abs(found.saving):.0%} {less} than on the "
        "trapezoid."
    )


def _facts(found: OptimizedMotion) -> Iterator[tuple[str, str]]:
    task, best, against = found.task, found.optimum, found.comparison
    optimum = against.optimum
    yield "Energy of the motors", f"{optimum.motors:.4g} J in {optimum.seconds:.4g} s"
    saved = found.saving
    text = f"{saved:.1%} of the motors' energy" if saved == saved else "nothing to compare with"
    yield "Saved against the trapezoid", text
    if optimum.ledger is not None and optimum.ledger.idle > 0:
        yield "With idle power", f"{against.total_saving(optimum):.1%} of all"
    yield "Rule", f"{task.rule.name}: {task.rule.meaning}"
    yield "Solved in", f"{best.solve_seconds:.2g} s, {best.iterations} iterations"
    if found.replay is not None:
        spent, excess = found.replay.spent.motors, found.replay.excess
        yield "Simulated in MuJoCo", f"{spent:.4g} J, {100 * excess:+.2f} %"


def _settings(task: Task) -> Iterator[tuple[str, str]]:
    names = ("speed", "acceleration", "jerk")
    for name, values in zip(names, task.limits.values(task.arm), strict=True):
        yield f"{name} limits", ", ".join(f"{value:g}" for value in values)
    yield "arm fingerprint", task.arm.fingerprint


def _comparison(task: Task, against: Savings) -> Iterator[Part]:
    rows, lines = [], []
    for one in against.motions:
        saved = None if one.motion is None else 100 * against.saving(one)
        rows.append((one.name, one.seconds, one.motors, one.total, saved, one.missing))
        if one.motion is not None and one.ledger is not None:
            lines.append(Curve(one.name, one.motion.time, one.ledger.supply))
    heads = ("motion", "time [s]", "motors [J]", "with idle [J]", "motors saved [%]", "")
    yield Table(heads, tuple(rows), f"Rule for regenerated power: {task.rule.name}")
    yield Chart("Power of the supply", "time [s]", (Panel("[W]", tuple(lines)),))


def _curve(task: Task, against: Savings, curve: Sequence[ParetoPoint]) -> Chart:
    idle = 0.0 if against.optimum.ledger is None else against.optimum.ledger.idle
    books = [ledger(task.arm, point.motion, rule=task.rule, idle=idle) for point in curve]
    x = np.array([book.duration for book in books])
    lines = [Curve("least energy, motors", x, np.array([book.motors for book in books]))]
    if idle:
        totals = np.array([book.total for book in books])
        lines.append(Curve("with idle power", x, totals, "dashes"))
    for one in against.motions[:-1]:
        if one.motion is not None:
            lines.append(Curve(one.name, [one.seconds], [one.motors], "points"))
    return Chart("Energy against time", "time [s]", (Panel("[J]", tuple(lines)),))


def _motion(best: Optimum) -> Chart:
    time = best.motion.time
    panels = tuple(
        Panel(label, tuple(Curve(f"joint {k + 1}", time, v) for k, v in enumerate(values.T)))
        for label, values in (
            ("position [rad]", best.motion.q),
            ("speed [rad/s]", best.motion.qd),
            ("acceleration [rad/s2]", best.motion.qdd),
        )
    )
    return Chart("Joints", "time [s]", panels)
