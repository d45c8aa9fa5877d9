"""``armtwin optimize``: the motion that takes the least energy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.numbers import number_list
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
    loaded_arm,
    refuse_existing,
    surroundings,
)
from armtwin.cli.output import say_json
from armtwin.cli.verbs.simulate.optimize_result import plain, print_all
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.energy.optimize import Optimized
    from armtwin.energy.replay import Replay
    from armtwin.model.arm import Arm
    from armtwin.motion.optimal.leg_times import Trapezoid
    from armtwin.motion.optimal.pareto import ParetoPoint
    from armtwin.spatial import Array

EXAMPLES = """
armtwin optimize ur5e-energy --from 0 -1.5 1 -0.5 1 0 --to 1.5 -1 0.5 -1 -1 1
armtwin optimize ur5e-energy --from 0 -90 60 0 90 0 --to 90 -60 30 -60 -60 0 --deg --slower 1.25
armtwin optimize ur5e-energy --waypoints six.csv --through --out plan.csv --urscript plan.script
armtwin optimize ur5e-energy --waypoints six.csv --idle-power 100 --pareto --report plan.html
"""


def command(
    arm: ArmName,
    start: Annotated[str | None, typer.Option("--from", metavar="Q...", help="From here,")] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="Q...", help="to here.")] = None,
    waypoints: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Or through these, a joint vector a line.")
    ] = None,
    time: Annotated[float | None, typer.Option(metavar="S", help="Total time.")] = None,
    slower: Annotated[
        float | None, typer.Option(metavar="X", help="Time against the trapezoid's, such as 1.25.")
    ] = None,
    idle_power: IdlePower = None,
    regen: Regen = "lossy-shared-bus",
    through: Annotated[
        bool, typer.Option("--through", help="Pass waypoints without stopping.")
    ] = False,
    speed: Annotated[
        float | None, typer.Option(help="Largest speed [rad/s]; the arm's if not given.")
    ] = None,
    acceleration: Annotated[
        float | None, typer.Option(help="Largest acceleration [rad/s2]; the arm's, or 15.")
    ] = None,
    jerk: Annotated[float | None, typer.Option(help="Largest jerk [rad/s3].")] = None,
    vmax: Annotated[float, typer.Option(help="Speed of the trapezoid to compare with.")] = 3.0,
    amax: Annotated[float, typer.Option(help="Acceleration of that trapezoid.")] = 6.0,
    floor: Floor = None,
    no_floor: NoFloor = False,
    obstacles: Obstacles = None,
    margin: Margin = 0.01,
    payload: Payload = 0.0,
    com: Com = None,
    pareto: Annotated[
        bool, typer.Option("--pareto", help="Energy for 1 to 2.5 times the trapezoid's time.")
    ] = False,
    replay: Annotated[
        bool, typer.Option("--replay", help="Lead the MuJoCo plant along and count again.")
    ] = False,
    out: Out = None,
    urscript: Script = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report (.html, .pdf).")
    ] = None,
    deg: Degrees = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Find the motion of least energy within limits, and what it saves.

    Without --time and --slower it takes as long as the trapezoid; with --idle-power and neither of
    them its time is free and chosen so that motors and idle power together cost least.
    """
    from armtwin.energy.optimize import optimize
    from armtwin.motion.limits import MotionLimits
    from armtwin.motion.optimal.leg_times import Trapezoid

    refuse_existing([path for path in (out, urscript, report) if path], force=force)
    if time is not None and slower is not None:
        raise InputError("--time and --slower exclude each other")
    loaded = loaded_arm(arm, payload, com)
    done = optimize(
        loaded,
        _points(loaded, start, to, waypoints, deg),
        time,
        slower=slower,
        through=through,
        limits=MotionLimits(speed, acceleration, jerk),
        rule=regen,
        idle=idle_power or 0.0,
        around=surroundings(floor, no_floor, obstacles, margin),
        trapezoid=Trapezoid(vmax, amax),
        told=_tell,
    )
    curve = _curve(done, Trapezoid(vmax, amax), through) if pareto else []
    run = _replay(done) if replay else None
    files = _write(done, out, urscript, force)
    if report is not None:
        from armtwin.energy.optimum_page import optimum_page
        from armtwin.report.write import write_page

        inputs = [waypoints] if waypoints else []
        page = optimum_page(done.task, done.optimum, done.comparison, curve, inputs)
        files.append(write_page(page, report, force=force))
    _tell("")
    if json:
        say_json(plain(done, curve, run, files))
    else:
        print_all(done, curve, run, files)


def _points(
    arm: Arm, start: str | None, to: str | None, waypoints: Path | None, deg: bool
) -> Array:
    import numpy as np

    from armtwin.motion.motion_file import read_points

    if waypoints is not None:
        if start or to:
            raise InputError("give --from and --to, or --waypoints, not both")
        return read_points(waypoints, arm, degrees=deg)
    if not (start and to):
        raise InputError("give --from Q and --to Q, or --waypoints FILE")
    ends = [number_list(text, name) for text, name in ((start, "--from"), (to, "--to"))]
    for name, values in zip(("--from", "--to"), ends, strict=True):
        if len(values) != arm.dof:
            raise InputError(f"{name} takes {arm.dof} numbers, one a joint; got {len(values)}")
    return np.array(ends) * Units(deg).joints(arm)


def _tell(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}" if sys.stderr.isatty() else "")
    sys.stderr.flush()


def _curve(done: Optimized, trapezoid: Trapezoid, through: bool) -> list[ParetoPoint]:
    from armtwin.motion.optimal.pareto import pareto

    found = []
    for point in pareto(done.task, done.points, trapezoid=trapezoid, through=through):
        _tell(f"energy against time: {point.slower:g} times the trapezoid's")
        found.append(point)
    return found


def _replay(done: Optimized) -> Replay:
    from armtwin.energy.replay import replay

    return replay(done.task.arm, done.motion, rule=done.task.rule)


def _write(done: Optimized, out: Path | None, urscript: Path | None, force: bool) -> list[Path]:
    from armtwin.motion.motion_file import save_motion
    from armtwin.motion.urscript import save_script, servoj_script

    files, arm = [], done.task.arm
    if out is not None:
        files.append(save_motion(done.motion, arm, out, force=force))
    if urscript is not None:
        text = servoj_script(done.motion, f"least_energy_{arm.name}")
        files.append(save_script(text, urscript, force=force))
    return files
