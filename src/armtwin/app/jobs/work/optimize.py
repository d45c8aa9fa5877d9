"""The job "optimize": what ``armtwin optimize`` does."""

from __future__ import annotations

import numpy as np

from armtwin.app.jobs.orders import Optimize
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.reports import with_reports
from armtwin.app.jobs.work.request import JobRequest
from armtwin.energy.optimize import OptimizeOptions, optimize
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.motion.motion_file import save_motion
from armtwin.motion.urscript import save_script, servoj_script
from armtwin.spatial import Array
from armtwin.viewer.playback import Playback
from armtwin.viewer.results.played import PLAIN_MOTION, side_by_side


def work(request: JobRequest[Optimize]) -> Outcome:
    """Find the motion of least energy; write it, its script and the reports."""
    order, arm = request.order, request.arm()
    options = OptimizeOptions(
        seconds=order.seconds,
        slower=order.slower,
        through=order.through,
        rule=order.rule,
        idle=order.idle_power or 0.0,
        pareto=order.pareto,
    )
    done = optimize(arm, _points(arm, order), options=options, on_progress=request.on_progress)
    request.report_step("writing the motion")
    named = [("motion.csv", "Motion (CSV)")]
    save_motion(done.motion, arm, request.folder / "motion.csv")
    if arm.dof == 6:
        text = servoj_script(done.motion, f"least_energy_{arm.name}")
        save_script(text, request.folder / "motion.script")
        named.append(("motion.script", "URScript"))
    plain = done.comparison.trapezoid.motion
    if plain is not None:
        run = side_by_side(arm, done.motion, plain)
        Playback.write(request.folder, arm, run).noted(ghost_name=PLAIN_MOTION)
    return with_reports(request, done, named)


def _points(arm: Arm, order: Optimize) -> Array:
    for number, q in enumerate(order.points, 1):
        if len(q) != arm.dof:
            raise InputError(f"point {number} has {len(q)} numbers; {arm.name!r} takes {arm.dof}")
    return np.array(order.points)
