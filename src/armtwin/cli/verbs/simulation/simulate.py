"""``armtwin simulate``: an arm under control in MuJoCo, with pushes and sensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armtwin.cli.argument_groups import grouped
from armtwin.cli.options import ArmName, Json, carrying, refuse_existing
from armtwin.cli.results import show_result, show_step, write_reports
from armtwin.cli.verbs.simulation.simulate_arguments import (
    LoopArguments,
    OutputArguments,
    PathArguments,
    PlantArguments,
)
from armtwin.errors import UnstableError

if TYPE_CHECKING:
    from armtwin.model.arm import Arm
    from armtwin.simulation.options import SimulateOptions
    from armtwin.simulation.result import SimulationResult

EXAMPLES = """
armtwin simulate ur10e --path circle --radius 0.2 --period 4 --seconds 12 --out run.parquet
armtwin simulate ur10e --model cylinders --push joint=2,torque=20,start=6,duration=0.5 --report run.html
armtwin simulate ur10e --built 3 --out run.parquet
armtwin simulate ur10e --drives real --model datasheet --noise real --out real_like.parquet
armtwin simulate ur10e --post position=0.45:-0.2:0.4,radius=0.05,height=0.8 --video bump.mp4
armtwin simulate ur5e --path excitation.csv --drives real --noise real --out excited.parquet
armtwin simulate ur5e --path hold --points 0,-1.2,1,-0.5,0.5,0.2 --controller none --seconds 0.5
armtwin simulate ur10e --drives real --stiffness 20000 --joint-damping 10 --seconds 4
armtwin simulate ur5e --path line --start 0.4,-0.2,0.3 --end 0.4,0.3,0.4 --seconds 3
armtwin simulate ur5e --path waypoints --points "0,-1.5,1.5,-1.5,-1.5,0;1,-1,1,-1.5,-1.5,0" --vmax 1
"""  # noqa: E501


@grouped
def command(
    arm: ArmName,
    path: PathArguments,
    plant: PlantArguments,
    loop: LoopArguments,
    output: OutputArguments,
    json: Json = False,
) -> None:
    """Simulate an arm under control along a path in MuJoCo, and record what its sensors measure.

    The recording has origin "simulated" and the true external torques tau_ext1... With --report
    contacts are detected as well, by a detector calibrated on a clean run of the same motion.
    """
    from armtwin.control.controller_models import controller_model
    from armtwin.model.catalogue.catalogue import as_arm
    from armtwin.simulation.result import run_simulation

    refuse_existing(output.files, force=output.force)
    known = as_arm(arm)
    known.require_masses()
    bare = plant.bare(known)
    model = controller_model(bare, loop.model)
    simulated = carrying(bare, plant.payload, plant.com)
    motion = path.motion(simulated, loop.rate)
    options = loop.options(simulated, model, plant)
    try:
        found = run_simulation(
            simulated, motion, arm=known, options=options, estimate_error=loop.error_estimate,
            on_progress=show_step,
        )  # fmt: skip
    except UnstableError as error:
        raise _kept(error, output) from error
    if output.out is not None:
        found.recording.save(output.out, force=output.force)
    if output.reports:
        found = found.detected(model, show_step)
    write_reports(found, output.reports, force=output.force)
    _draw(simulated, found, options, output)
    show_result(found, output.files, json=json)


def _kept(error: UnstableError, output: OutputArguments) -> UnstableError:
    """Return the error, with the recording so far saved where one was requested."""
    if output.out is None or error.recording is None:
        return error
    error.recording.save(output.out, force=output.force)
    return UnstableError(f"{error}; the recording so far is in {output.out}", error.recording)


def _draw(
    arm: Arm, found: SimulationResult, options: SimulateOptions, output: OutputArguments
) -> None:
    from armtwin.simulation.rendering.picture import film, still

    run, posts, force = found.recording, options.posts, output.force
    if output.picture is not None:
        q, path = run.q[len(run) // 2], run.group("target_position")
        still(arm, q, output.picture, path=path, posts=posts, force=force)
    if output.video is not None:
        film(arm, run, output.video, posts=posts, force=force, on_progress=show_step)
