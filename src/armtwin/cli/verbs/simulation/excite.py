"""``armtwin excite``: motions that are informative about an arm's parameters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.argument_groups import grouped
from armtwin.cli.number_command import number_list
from armtwin.cli.options import (
    ArmName,
    Com,
    Floor,
    Force,
    Json,
    Margin,
    NoFloor,
    Obstacles,
    Out,
    Payload,
    Script,
    loaded_arm,
    refuse_existing,
    surroundings,
)
from armtwin.cli.progress_display import reporter
from armtwin.cli.results import show_result

if TYPE_CHECKING:
    from armtwin.motion.excitation.excitation import Excitation
    from armtwin.motion.limits import MotionLimits

EXAMPLES = """
armtwin excite ur5e --out excitation.csv --urscript excitation.script
armtwin excite ur5e --kind waypoints --points 6 --speed 3 --acceleration 6 --out six.csv
armtwin excite ur10e --period 20 --harmonics 6 --floor -0.8 --box -1 -1 0.1 1 1 1.4
"""


@dataclass(frozen=True)
class MotionArguments:
    """Kind and limits of the motion."""

    kind: Annotated[str, typer.Option(help="fourier or waypoints (trapezoids).")] = "fourier"
    period: Annotated[float, typer.Option(metavar="S", help="fourier: time of a period.")] = 10.0
    harmonics: Annotated[int, typer.Option(help="fourier: number of harmonics.")] = 5
    points: Annotated[int, typer.Option(help="waypoints: how many.")] = 6
    speed: Annotated[
        float | None,
        typer.Option(help="Largest joint speed [rad/s]; a slower joint keeps its own limit [3]."),
    ] = None
    acceleration: Annotated[
        float | None, typer.Option(help="Largest acceleration [rad/s2] [6].")
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of the random starts.")] = 0
    rate: Annotated[float, typer.Option(metavar="HZ", help="Samples per second.")] = 500.0


@dataclass(frozen=True)
class SpaceArguments:
    """Obstacles, box and payload."""

    floor: Floor = None
    no_floor: NoFloor = False
    obstacles: Obstacles = None
    margin: Margin = 0.01
    box: Annotated[
        str | None, typer.Option(metavar="X Y Z X Y Z", help="Corners the tool stays within [m].")
    ] = None
    payload: Payload = 0.0
    com: Com = None


@grouped
def command(
    arm: ArmName,
    motion: MotionArguments,
    place: SpaceArguments,
    out: Out = None,
    urscript: Script = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Find a motion that identifies masses, inertias, rotors and friction best.

    It keeps to limits on joints, speed, acceleration and torque, to a box for the tool, and clear
    of itself, the floor and obstacles (links as capsules). It starts and ends at rest.
    """
    from armtwin.motion.excitation.excitation import DEFAULT_LIMITS
    from armtwin.motion.excitation.excite import ExciteOptions, excite
    from armtwin.motion.limits import MotionLimits

    refuse_existing([path for path in (out, urscript) if path], force=force)
    corners: Any = None if place.box is None else number_list(place.box, "--box")
    loaded = loaded_arm(arm, place.payload, place.com)
    limits = MotionLimits.at_most(
        loaded, motion.speed, motion.acceleration, defaults=DEFAULT_LIMITS
    )
    options = ExciteOptions(
        kind=motion.kind,
        period=motion.period,
        harmonics=motion.harmonics,
        points=motion.points,
        limits=limits,
        around=surroundings(place.floor, place.no_floor, place.obstacles, place.margin),
        box=None if corners is None else (corners[:3], corners[3:]),
        rate=motion.rate,
        seed=motion.seed,
    )
    found = excite(loaded, options=options, on_progress=reporter("excite"))
    show_result(found, _write(found, limits, out, urscript, force), json=json)


def _write(
    found: Excitation, limits: MotionLimits, out: Path | None, urscript: Path | None, force: bool
) -> list[Path]:
    from armtwin.motion.motion_file import save_motion
    from armtwin.motion.urscript import movej_script, save_script, servoj_script

    arm, files = found.arm, []
    if out is not None:
        files.append(save_motion(found.motion, arm, out, force=force))
    if urscript is not None:
        name = f"excite_{arm.name}"
        if found.points is None:
            text = servoj_script(found.motion, name)
        else:
            speed, acceleration, _ = limits.values(arm)
            text = movej_script(found.points, float(speed[0]), float(acceleration[0]), name)
        files.append(save_script(text, urscript, force=force))
    return files
