"""``armtwin fmu system``: a closed loop of FMUs as one SSP archive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armtwin.cli.options import ArmName, Force, Json
from armtwin.cli.output import say, say_json
from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.fmu.check.masters import SystemRun
    from armtwin.fmu.export.system import System

SETTLED = 0.5
"""From this time [s] on the loop is judged: masters begin with all signals at zero or at rest."""

EXAMPLES = """
armtwin fmu system ur10e --out loop.ssp
armtwin fmu system ur10e --out loop.ssp --run fmpy
armtwin fmu system ur10e --out pushed.ssp --push 2=20 --run ecos
"""


def command(
    arm: ArmName,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="File ending in .ssp.")],
    radius: Annotated[float, typer.Option(help="Radius of the tool's circle [m].")] = 0.2,
    duration: Annotated[float, typer.Option(help="Time of one turn [s].")] = 4.0,
    push: Annotated[
        list[str] | None,
        typer.Option(metavar="JOINT=TORQUE", help="Constant external torque [Nm] on a joint."),
    ] = None,
    platform: Annotated[str, typer.Option(help="host or all.")] = "host",
    master: Annotated[
        str | None, typer.Option("--run", help="Simulate it by this master: fmpy or ecos.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write reference, controller, plant, observer and tool pose as an SSP 1.0 archive.

    The arm follows a circle of its tool under computed torque; the archive has its parameter set.
    """
    from armtwin.fmu.export.system import SystemOptions, export_system
    from armtwin.model.catalogue.catalogue import as_arm

    options = SystemOptions(radius=radius, duration=duration, push=dict(map(_push, push or [])))
    done = export_system(as_arm(arm), out, options=options, platform=platform, force=force)
    facts: dict[str, Any] = {"out": done.path, "arm": done.arm.name, "bytes": done.size}
    if master is not None:
        from armtwin.fmu.check.masters import simulate_system

        stop = duration + SETTLED
        run = simulate_system(out, master=master, stop=stop, step=done.step)
        facts |= judged(done, run)
    say_json(facts) if json else _say(facts)


def _push(text: str) -> tuple[int, float]:
    joint, _, torque = text.partition("=")
    try:
        return int(joint), float(torque)
    except ValueError:
        raise InputError(f"--push {text}: expected JOINT=TORQUE, such as 2=20") from None


def judged(system: System, run: SystemRun) -> dict[str, Any]:
    """Return the largest deviation from the circle and the observer's residuals."""
    import numpy as np

    columns, time = run.signals.columns, run.signals.time
    late = time >= SETTLED
    tool = np.column_stack([columns[f"tool.{axis}"] for axis in "xyz"])
    residuals = [columns[f"observer.r{i}"][late] for i in range(1, system.arm.dof + 1)]
    return {
        "master": run.master,
        "steps": int(time.size),
        "deviation_mm": float(system.circle.deviation(tool)[late].max() * 1e3),
        "residuals": [float(r[-1]) for r in residuals],
        "alarm": bool(columns["observer.alarm"][late].any()),
    }


def _say(facts: dict[str, Any]) -> None:
    say(f"{facts['out']}: closed loop of {facts['arm']}, {facts['bytes'] / 1000:.0f} kB")
    if "master" not in facts:
        return
    say(f"simulated by {facts['master']}: {facts['steps']} steps")
    say(f"largest distance from the circle after {SETTLED:g} s: {facts['deviation_mm']:.3f} mm")
    residuals = ", ".join(f"{r:.2f}" for r in facts["residuals"])
    say(f"observer: alarm {'on' if facts['alarm'] else 'off'}, residuals at the end {residuals} Nm")
