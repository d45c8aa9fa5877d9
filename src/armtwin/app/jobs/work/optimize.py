"""The job "optimize": what ``armtwin optimize`` does."""

from __future__ import annotations

import numpy as np

from armtwin.app.jobs.job_parameters import OptimizeJob
from armtwin.app.jobs.outcome import Outcome
from armtwin.app.jobs.work.context import JobContext
from armtwin.app.jobs.work.reports import with_reports
from armtwin.energy.optimize import optimize
from armtwin.errors import InputError
from armtwin.model.arm import Arm
from armtwin.motion.motion_file import save_motion
from armtwin.motion.urscript import save_script, servoj_script
from armtwin.spatial import Array
from armtwin.viewer.playback import Playback
from armtwin.viewer.results.played import PLAIN_MOTION, side_by_side


def work(job: JobContext[OptimizeJob]) -> Outcome:
    """Find the motion of least energy; write it, its script and the reports."""
    parameters, arm = job.parameters, job.arm()
    done = optimize(
        arm,
        _points(arm, parameters),
        options=parameters.options,
        on_progress=job.on_progress,
    )
    job.report_step("writing the motion")
    named = [("motion.csv", "Motion (CSV)")]
    save_motion(done.motion, arm, job.folder / "motion.csv")
    if arm.dof == 6:
        text = servoj_script(done.motion, f"least_energy_{arm.name}")
        save_script(text, job.folder / "motion.script")
        named.append(("motion.script", "URScript"))
    plain = done.comparison.trapezoid.motion
    if plain is not None:
        run = side_by_side(arm, done.motion, plain)
        Playback.write(job.folder, arm, run).noted(ghost_name=PLAIN_MOTION)
    return with_reports(job, done, named)


def _points(arm: Arm, parameters: OptimizeJob) -> Array:
    for number, q in enumerate(parameters.points, 1):
        if len(q) != arm.dof:
            raise InputError(f"point {number} has {len(q)} numbers; {arm.name!r} takes {arm.dof}")
    return np.array(parameters.points)
