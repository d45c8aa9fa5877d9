"""The job "optimize": what ``armtwin optimize`` does."""

from __future__ import annotations

import numpy as np

from armtwin.app.jobs.orders import Optimize
from armtwin.app.jobs.outcome import Outcome, OutcomeTable, facts, files, table
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.energy.optimize import Optimized, optimize
from armtwin.energy.optimum_page import optimum_page
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.motion.motion_file import save_motion
from armtwin.motion.urscript import save_script, servoj_script
from armtwin.report.write import write_page
from armtwin.spatial import Array


def work(request: JobRequest[Optimize]) -> Outcome:
    """Find the motion of least energy; write it, its script and the reports."""
    order, arm = request.order, request.arm()
    done = optimize(
        arm,
        _points(arm, order),
        slower=order.slower,
        through=order.through,
        rule=order.rule,
        idle=order.idle_power or 0.0,
        told=request.tell,
    )
    request.tell("writing the motion")
    named = [("motion.csv", "Motion (CSV)")]
    save_motion(done.motion, arm, request.folder / "motion.csv")
    if arm.dof == 6:
        text = servoj_script(done.motion, f"least_energy_{arm.name}")
        save_script(text, request.folder / "motion.script")
        named.append(("motion.script", "URScript"))
    page = optimum_page(done.task, done.optimum, done.comparison)
    return with_reports(request, _outcome(done, named), lambda path: write_page(page, path))


def _points(arm: Arm, order: Optimize) -> Array:
    for number, q in enumerate(order.points, 1):
        if len(q) != arm.dof:
            raise InputError(f"point {number} has {len(q)} numbers; {arm.name!r} takes {arm.dof}")
    return np.array(order.points)


def _outcome(done: Optimized, named: list[tuple[str, str]]) -> Outcome:
    best = done.optimum
    saved = "nothing to compare with" if done.saving != done.saving else f"{done.saving:.1%}"
    figures = [
        ("Saved against the trapezoid", saved),
        ("Time", f"{float(best.seconds.sum()):.4g} s"),
        ("Motors", f"{done.ledger.motors:.4g} J"),
        ("Rule", f"{done.task.rule.name}: {done.task.rule.meaning}"),
        ("Solved in", f"{best.solve_seconds:.2g} s, {best.iterations} iterations"),
    ]
    return Outcome(
        verdict=f"saves {saved} of the motors' energy against the trapezoid",
        facts=facts(figures),
        tables=(_ways(done),),
        notes=tuple(best.motion.notes),
        files=files(named),
    )


def _ways(done: Optimized) -> OutcomeTable:
    against = done.comparison
    rows = [
        (r.name, r.seconds, r.motors, r.total, 100 * against.saving(r), r.missing)
        for r in against.rivals
    ]
    heads = ("way", "time [s]", "motors [J]", "with idle [J]", "saved [%]", "")
    return table(heads, rows, "Against other ways")
