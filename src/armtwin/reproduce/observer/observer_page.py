"""The report beside the momentum-observer document: its Figures 3 to 5 and one table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from armtwin.detection.page import truth
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
from armtwin.reproduce.observer.cases import Case, J

if TYPE_CHECKING:
    from armtwin.reproduce.observer.figures import ObserverReproduction

HEADS = (
    "model", "joints RMS [mrad]", "tool RMS [mm]", "20 Nm read as [Nm]", "at rest RMS [Nm]",
    "at rest max [Nm]", "delay, first order [ms]", "delay, default [ms]",
)  # fmt: skip


def document_page(made: ObserverReproduction) -> Page:
    """Return the reproduction as a page."""
    done = made.reproduction
    text = "the push is read as printed and every bound holds"
    return Page(
        title="Momentum observer of the UR10e, reproduced",
        subtitle=done.document,
        verdict=Verdict(done.passed, text if done.passed else "a figure is off or a bound broken"),
        sections=(
            Section("Right and wrong models", (_table(made), *[Text(n) for n in done.notes])),
            Section("Joint space (Figure 3)", tuple(_joints(made))),
            Section("The tool's path (Figure 4)", tuple(_paths(made))),
            Section("The observer (Figure 5)", tuple(_residuals(made))),
        ),
    )


def row(case: Case) -> tuple[str | float | None, ...]:
    """Return a case's numbers under ``HEADS``; None for a delay without an alarm."""
    delays = [None if d != d else 1e3 * d for d in (case.first_order_delay, case.default_delay)]
    return (
        case.name, 1e3 * case.joint_error, 1e3 * case.tool_error, case.reading, *case.at_rest,
        *delays,
    )  # fmt: skip


def _table(made: ObserverReproduction) -> Table:
    return Table(HEADS, tuple(row(case) for case in made.cases), "Tracking and residuals")


def _joints(made: ObserverReproduction) -> Iterator[Part]:
    for case in made.cases:
        run, shades = case.run, truth(case.run)
        panels = tuple(
            Panel(
                f"q{j} [rad]",
                (
                    Curve("wanted", run.time, run[f"target_q{j}"], "dashes"),
                    Curve("real", run.time, run[f"q{j}"]),
                ),
                shades,
            )
            for j in range(1, run.dof + 1)
        )
        yield Chart(f"Joints, {case.name}", "time [s]", panels)


def _paths(made: ObserverReproduction) -> Iterator[Part]:
    for case in made.cases:
        yield Paths(f"Tool, {case.name}", "m", (("wanted", case.wanted), ("real", case.tool)))


def _residuals(made: ObserverReproduction) -> Iterator[Part]:
    for case in made.cases:
        time, ends, level = case.run.time, case.run.time[[0, -1]], case.level[J]
        limits = [Curve("threshold", ends, [s * level] * 2, "dashes", 6) for s in (1, -1)]
        first = Panel(
            "r2 [Nm]",
            (
                Curve("residual", time, case.residual[:, J]),
                Curve("true", time, case.run[f"tau_ext{J + 1}"], "dashes"),
                *limits,
            ),
            truth(case.run),
        )
        score = Panel(
            "score [1]",
            (
                Curve("score", case.found.time, case.found.score),
                Curve("threshold", ends, [1.0, 1.0], "dashes", 6),
            ),
            truth(case.run),
        )
        yield Chart(
            f"First-order residual of joint 2 and the detector's score, {case.name}",
            "time [s]",
            (first, score),
        )
