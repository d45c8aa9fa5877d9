"""``armtwin optimize``: the motion that takes the least energy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.energy import Com, IdlePower, Payload, Regen, loaded_arm
from armtwin.cli.excite import Floor, Margin, NoFloor, Obstacles, Out, Script, surroundings
from armtwin.cli.numbers import number_list
from armtwin.cli.options import ArmName, Degrees, Force, Json, Units
from armtwin.cli.output import say, say_json, say_table
from armtwin.cli.validate import refuse_existing
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.energy.comparison import Comparison
    from armtwin.model.arm import Arm
    from armtwin.plan.optimal import Optimum, Task
    from armtwin.plan.pareto import ParetoPoint
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
    rate: Annotated[float, typer.Option(metavar="HZ", help="Samples per second.")] = 500.0,
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
    from armtwin.dynamics.regeneration import regeneration
    from armtwin.energy.comparison import compare
    from armtwin.plan.motion_limits import MotionLimits
    from armtwin.plan.optimal import Task
    from armtwin.plan.optimal_curve import as_points
    from armtwin.plan.optimal_time import Trapezoid

    refuse_existing([path for path in (out, urscript, report) if path], force=force)
    if time is not None and slower is not None:
        raise InputError("--time and --slower exclude each other")
    loaded = loaded_arm(arm, payload, com)
    points = as_points(loaded, _points(loaded, start, to, waypoints, deg))
    around = surroundings(floor, no_floor, obstacles, margin)
    limits = MotionLimits(speed, acceleration, jerk)
    task, plain = Task(loaded, limits, regeneration(regen), around, rate), Trapezoid(vmax, amax)
    best = _best(task, points, plain, time, slower, idle_power, through)
    curve = _curve(task, points, plain, through) if pareto else []
    against = compare(task, points, best, idle=idle_power or 0.0, trapezoid=plain)
    files = _write(task, best, out, urscript, force)
    if report is not None:
        from armtwin.report.optimum import optimum_page
        from armtwin.report.write import write_page

        inputs = [waypoints] if waypoints else []
        page = optimum_page(task, best, against, curve, inputs)
        files.append(write_page(page, report, force=force))
    if json:
        say_json(_plain(task, best, against, curve, files))
    else:
        _print(task, best, against, curve, files)


def _points(
    arm: Arm, start: str | None, to: str | None, waypoints: Path | None, deg: bool
) -> Array:
    import numpy as np

    from armtwin.plan.motion_file import read_points

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


def _best(
    task: Task,
    points: Array,
    trapezoid: Any,
    time: float | None,
    slower: float | None,
    idle: float | None,
    through: bool,
) -> Optimum:
    from armtwin.plan.optimal_time import least_energy
    from armtwin.plan.pareto import best_time

    if time is None and slower is None and idle:
        return best_time(task, points, idle, through=through, trapezoid=trapezoid, told=_tell)
    return least_energy(
        task,
        points,
        time,
        slower=slower or 1.0,
        through=through,
        trapezoid=trapezoid,
        told=_tell,
    )


def _tell(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{text}" if sys.stderr.isatty() else "")
    sys.stderr.flush()


def _curve(task: Task, points: Array, trapezoid: Any, through: bool) -> list[ParetoPoint]:
    from armtwin.plan.pareto import pareto

    found = []
    for point in pareto(task, points, trapezoid=trapezoid, through=through):
        _tell(f"energy against time: {point.slower:g} times the trapezoid's")
        found.append(point)
    return found


def _write(
    task: Task, best: Optimum, out: Path | None, urscript: Path | None, force: bool
) -> list[Path]:
    from armtwin.plan.motion_file import save_motion
    from armtwin.plan.urscript import save_script, servoj_script

    files = []
    if out is not None:
        files.append(save_motion(best.motion, task.arm, out, force=force))
    if urscript is not None:
        text = servoj_script(best.motion, f"least_energy_{task.arm.name}")
        files.append(save_script(text, urscript, force=force))
    return files


def _plain(
    task: Task,
    best: Optimum,
    against: Comparison,
    curve: list[ParetoPoint],
    files: list[Path],
) -> dict[str, Any]:
    from armtwin.energy.ledger import ledger

    rivals = [
        {
            "name": r.name,
            "time": r.seconds if r.motion else None,
            "motors": r.motors if r.motion else None,
            "total": r.total if r.motion else None,
            "saving": against.saving(r) if r.motion else None,
            "missing": r.missing,
        }
        for r in against.rivals
    ]
    points = [
        {"slower": p.slower, "motors": ledger(task.arm, p.motion, rule=task.rule).motors}
        for p in curve
    ]
    return {
        "rule": task.rule.name,
        "time": float(best.seconds.sum()),
        "legs": best.seconds,
        "saving": against.saving(against.optimum),
        "total_saving": against.total_saving(against.optimum),
        "solve_seconds": best.solve_seconds,
        "iterations": best.iterations,
        "rivals": rivals,
        "pareto": points,
        "notes": list(best.motion.notes),
        "files": files,
    }


def _print(
    task: Task,
    best: Optimum,
    against: Comparison,
    curve: list[ParetoPoint],
    files: list[Path],
) -> None:
    from armtwin.energy.ledger import ledger

    _tell("")
    rows = []
    for r in against.rivals:
        numbers = [f"{v:.2f}" if v == v else "-" for v in (r.seconds, r.motors, r.total)]
        saved = f"{100 * against.saving(r):.1f}" if r.motion else "-"
        rows.append((r.name, *numbers, saved, r.missing))
    say(f"{task.arm.name}, rule {task.rule.name}: {task.rule.meaning}\n")
    heads = ("way", "time [s]", "motors [J]", "with idle [J]", "motors saved [%]", "")
    say_table(heads, rows)
    say(f"\nsolved in {best.solve_seconds:.2f} s, {best.iterations} iterations")
    if curve:
        say("\nenergy against time")
        books = [ledger(task.arm, p.motion, rule=task.rule) for p in curve]
        pairs = zip(curve, books, strict=True)
        rows = [(f"{p.slower:g}", f"{b.duration:.3f}", f"{b.motors:.2f}") for p, b in pairs]
        say_table(("slower", "time [s]", "motors [J]"), rows, indent="  ")
    for note in best.motion.notes:
        say(f"note: {note}")
    for file in files:
        say(f"written: {file}")
