"""``armtwin excite``: motions that tell the most about an arm's parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.numbers import number_list
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
from armtwin.cli.output import say, say_json, say_table

if TYPE_CHECKING:
    from armtwin.model.arm import Arm
    from armtwin.motion.excitation.excitation import Excitation
    from armtwin.motion.limits import MotionLimits

EXAMPLES = """
armtwin excite ur5e --out excitation.csv --urscript excitation.script
armtwin excite ur5e --kind waypoints --points 6 --speed 3 --acceleration 6 --out six.csv
armtwin excite ur10e --period 20 --harmonics 6 --floor -0.8 --box -1 -1 0.1 1 1 1.4
"""


def command(
    arm: ArmName,
    kind: Annotated[str, typer.Option(help="fourier or waypoints (trapezoids).")] = "fourier",
    period: Annotated[float, typer.Option(metavar="S", help="fourier: time of a period.")] = 10.0,
    harmonics: Annotated[int, typer.Option(help="fourier: number of harmonics.")] = 5,
    points: Annotated[int, typer.Option(help="waypoints: how many.")] = 6,
    speed: Annotated[
        float, typer.Option(help="Largest joint speed [rad/s]; a slower joint keeps its own limit.")
    ] = 3.0,
    acceleration: Annotated[
        float, typer.Option(help="Largest acceleration [rad/s2]; likewise.")
    ] = 6.0,
    floor: Floor = None,
    no_floor: NoFloor = False,
    obstacles: Obstacles = None,
    margin: Margin = 0.01,
    box: Annotated[
        str | None, typer.Option(metavar="X Y Z X Y Z", help="Corners the tool stays within [m].")
    ] = None,
    payload: Payload = 0.0,
    com: Com = None,
    seed: Annotated[int, typer.Option(help="Of the random starts.")] = 0,
    rate: Annotated[float, typer.Option(metavar="HZ", help="Samples per second.")] = 500.0,
    out: Out = None,
    urscript: Script = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Find a motion that tells the most about masses, inertias, rotors and friction.

    It keeps to limits on joints, speed, acceleration and torque, to a box for the tool, and clear
    of itself, the floor and obstacles (links as capsules). It starts and ends at rest.
    """
    from armtwin.motion.excitation.excite import excite
    from armtwin.motion.limits import MotionLimits

    refuse_existing([path for path in (out, urscript) if path], force=force)
    corners = None if box is None else number_list(box, "--box")
    loaded = loaded_arm(arm, payload, com)
    limits = MotionLimits.at_most(loaded, speed, acceleration)
    found = excite(
        loaded,
        kind,
        period=period,
        harmonics=harmonics,
        points=points,
        limits=limits,
        around=surroundings(floor, no_floor, obstacles, margin),
        box=None if corners is None else (corners[:3], corners[3:]),
        rate=rate,
        seed=seed,
    )
    files = _write(loaded, limits, found, out, urscript, force)
    say_json(_plain(found, files)) if json else _print(found, files)


def _write(
    arm: Arm,
    limits: MotionLimits,
    found: Excitation,
    out: Path | None,
    urscript: Path | None,
    force: bool,
) -> list[Path]:
    from armtwin.motion.motion_file import save_motion
    from armtwin.motion.urscript import movej_script, save_script, servoj_script

    files = []
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


def _plain(found: Excitation, files: list[Path]) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "motion": found.motion.name,
        "duration": found.motion.duration,
        "rank": found.rank,
        "information": found.amount,
        "random_information": found.random,
        "deviation_against_random": found.deviation,
        "condition": found.condition,
        "clearance": found.clearance,
        "points": found.points,
        "notes": list(found.motion.notes),
        "files": files,
    }


def _print(found: Excitation, files: list[Path]) -> None:
    import numpy as np

    motion = found.motion
    say(f"{motion.name}: {motion.duration:.3f} s, {len(motion)} samples")
    say(f"tells {found.rank} combinations of parameters, condition number {found.condition:.1f}")
    say(
        f"standard deviations of estimates: {found.deviation:.2f} of a random motion's within the "
        "same limits (geometric mean, per sample)"
    )
    say(f"keeps {found.clearance:.3f} m clear\n")
    rows = [
        (f"q{k + 1}", *[f"{v:.3f}" for v in (q.min(), q.max(), qd.max(), qdd.max())])
        for k, (q, qd, qdd) in enumerate(
            zip(motion.q.T, np.abs(motion.qd).T, np.abs(motion.qdd).T, strict=True)
        )
    ]
    say_table(("joint", "lowest", "highest", "top speed", "top acceleration"), rows)
    for note in motion.notes:
        say(f"note: {note}")
    for file in files:
        say(f"written: {file}")
