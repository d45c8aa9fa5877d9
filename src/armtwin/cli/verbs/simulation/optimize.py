"""``armtwin optimize``: the motion that takes the least energy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.argument_groups import grouped
from armtwin.cli.number_command import number_list
from armtwin.cli.options import (
    ArmName,
    Com,
    Degrees,
    Floor,
    Force,
    IdlePower,
    Json,
    Margin,
    NoFloor,
    Obstacles,
    Out,
    Payload,
    Regen,
    Script,
    Units,
    ViewFile,
    loaded_arm,
    refuse_existing,
    surroundings,
)
from armtwin.cli.results import show_result, show_step, write_reports, write_view
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.energy.optimize import OptimizedMotion, OptimizeOptions
    from armtwin.model.arm import Arm
    from armtwin.spatial import Array

EXAMPLES = """
armtwin optimize ur5e-energy --from 0 -1.5 1 -0.5 1 0 --to 1.5 -1 0.5 -1 -1 1
armtwin optimize ur5e-energy --from 0 -90 60 0 90 0 --to 90 -60 30 -60 -60 0 --deg --slower 1.25
armtwin optimize ur5e-energy --waypoints six.csv --through --out plan.csv --urscript plan.script
armtwin optimize ur5e-energy --waypoints six.csv --idle-power 100 --pareto --report plan.html
armtwin optimize ur5e-energy --waypoints six.csv --report plan.html --view plan_view.html
"""


@dataclass(frozen=True)
class PointArguments:
    """Joint vectors to pass."""

    start: Annotated[
        str | None, typer.Option("--from", metavar="Q...", help="Joint vector to start from.")
    ] = None
    to: Annotated[
        str | None, typer.Option("--to", metavar="Q...", help="Joint vector to end at.")
    ] = None
    waypoints: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Or pass the joint vectors of this file, one per line."),
    ] = None
    deg: Degrees = False

    def read(self, arm: Arm) -> Array:
        """Return the joint vectors (k, dof)."""
        import numpy as np

        from armtwin.motion.motion_file import read_points

        if self.waypoints is not None:
            if self.start or self.to:
                raise InputError("give --from and --to, or --waypoints, not both")
            return read_points(self.waypoints, arm, degrees=self.deg)
        if not (self.start and self.to):
            raise InputError("give --from Q and --to Q, or --waypoints FILE")
        named = {"--from": self.start, "--to": self.to}
        ends = {name: number_list(text, name) for name, text in named.items()}
        for name, values in ends.items():
            if len(values) != arm.dof:
                raise InputError(f"{name} takes {arm.dof} numbers, one a joint; got {len(values)}")
        return np.array(list(ends.values())) * Units(self.deg).joints(arm)


@dataclass(frozen=True)
class GoalArguments:
    """Time, rule, limits and comparison."""

    time: Annotated[float | None, typer.Option(metavar="S", help="Total time [s].")] = None
    slower: Annotated[
        float | None,
        typer.Option(
            metavar="X", help="Total time as a multiple of the trapezoid's, such as 1.25."
        ),
    ] = None
    idle_power: IdlePower = None
    regen: Regen = "lossy-shared-bus"
    through: Annotated[bool, typer.Option("--through", help="Pass waypoints without stopping.")] = (
        False
    )
    speed: Annotated[
        float | None, typer.Option(help="Largest speed [rad/s]; the arm's if not given.")
    ] = None
    acceleration: Annotated[
        float | None, typer.Option(help="Largest acceleration [rad/s2]; the arm's, or 15.")
    ] = None
    jerk: Annotated[float | None, typer.Option(help="Largest jerk [rad/s3].")] = None
    vmax: Annotated[float, typer.Option(help="Speed of the trapezoid to compare with.")] = 3.0
    amax: Annotated[float, typer.Option(help="Acceleration of that trapezoid.")] = 6.0
    pareto: Annotated[
        bool, typer.Option("--pareto", help="Energy for 1 to 2.5 times the trapezoid's time.")
    ] = False
    replay: Annotated[
        bool,
        typer.Option(
            "--replay", help="Simulate the motion in MuJoCo and compute its energy again."
        ),
    ] = False


@dataclass(frozen=True)
class PlaceArguments:
    """Obstacles and payload."""

    floor: Floor = None
    no_floor: NoFloor = False
    obstacles: Obstacles = None
    margin: Margin = 0.01
    payload: Payload = 0.0
    com: Com = None


@dataclass(frozen=True)
class PlanOutput:
    """Files to write."""

    out: Out = None
    urscript: Script = None
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report (.html, .pdf).")
    ] = None
    view: ViewFile = None
    force: Force = False


@grouped
def command(
    arm: ArmName,
    points: PointArguments,
    goal: GoalArguments,
    place: PlaceArguments,
    output: PlanOutput,
    json: Json = False,
) -> None:
    """Find the motion of least energy within limits, and the energy that it saves.

    Without --time and --slower it takes as long as the trapezoid; with --idle-power and neither of
    them its time is free and minimises motor and idle energy together.
    """
    from armtwin.energy.optimize import optimize

    given = (output.out, output.urscript, output.report, output.view)
    written = [path for path in given if path]
    refuse_existing(written, force=output.force)
    loaded = loaded_arm(arm, place.payload, place.com)
    q = points.read(loaded)
    options = _options(points, goal, place)
    found = optimize(loaded, q, options=options, on_progress=show_step)
    _write(found, output)
    write_view(found, output.view, force=output.force)
    reports = [output.report] if output.report else []
    write_reports(found, reports, force=output.force, view=output.view)
    show_result(found, written, json=json)


def _options(points: PointArguments, goal: GoalArguments, place: PlaceArguments) -> OptimizeOptions:
    from armtwin.energy.optimize import OptimizeOptions
    from armtwin.motion.limits import MotionLimits
    from armtwin.motion.optimal.leg_times import Trapezoid

    return OptimizeOptions(
        seconds=goal.time,
        slower=goal.slower,
        through=goal.through,
        limits=MotionLimits(goal.speed, goal.acceleration, goal.jerk),
        rule=goal.regen,
        idle=goal.idle_power or 0.0,
        around=surroundings(place.floor, place.no_floor, place.obstacles, place.margin),
        trapezoid=Trapezoid(goal.vmax, goal.amax),
        pareto=goal.pareto,
        replay=goal.replay,
        inputs=(points.waypoints,) if points.waypoints else (),
    )


def _write(found: OptimizedMotion, output: PlanOutput) -> None:
    from armtwin.motion.motion_file import save_motion
    from armtwin.motion.urscript import save_script, servoj_script

    if output.out is not None:
        save_motion(found.motion, found.task.arm, output.out, force=output.force)
    if output.urscript is not None:
        text = servoj_script(found.motion, f"least_energy_{found.task.arm.name}")
        save_script(text, output.urscript, force=output.force)
