"""``armtwin demo``: simulation, contact detection, validation and an FMU in one run."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.output import say, say_table
from armtwin.cli.progress_display import show_step

if TYPE_CHECKING:
    from armtwin.demo.scenario import DemoResult
    from armtwin.model.arm import Arm
    from armtwin.recording.recording import Recording

EXAMPLES = """
armtwin demo
armtwin demo --out somewhere
"""

START = (0.3, -1.4, 1.8, -1.9, -1.5, 0.0)
"""Joints of a UR arm with a bent elbow [rad]: inside the limits and far from singularities."""


def command(
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Folder of reports and files.")
    ] = Path("reports"),
) -> None:
    """Simulate a pushed UR10e, detect the push, validate the twin, and write a report.

    Exits with 1 when the push is not detected, the twin is not valid, or a self-check fails.
    """
    from armtwin.demo import scenario
    from armtwin.model.catalogue.catalogue import load

    arm = load("ur10e")
    say(f"armtwin demo: {arm.title}, {arm.dof} joints\n")
    _pose_and_solutions(arm)
    out.mkdir(parents=True, exist_ok=True)
    plant = scenario.built(arm)
    say(f"\n2. An arm with friction, noise and small geometric errors follows a circle of "
        f"{scenario.RADIUS} m\n   and is pushed with {scenario.PUSH.torque:g} Nm on joint "
        f"{scenario.PUSH.joint} at {scenario.PUSH.start:g} s")  # fmt: skip
    run = _run(plant, pushed=True)
    clean = _run(plant, pushed=False)
    show_step("detecting, validating, building an FMU")
    result = scenario.finish(arm, plant, run, clean, out / "UR10e_FK.fmu")
    show_step("")
    _print(result)
    passed = _checks(arm)
    say("\n5. Written")
    for file in _write(result, out):
        say(f"   {file}")
    if result.failures or not passed:
        say(f"\nFAILED: {'; '.join(result.failures) or 'a self-check'}")
        raise typer.Exit(1)
    say(f"\nThe report: {(out / 'demo.html').resolve()}")


def _pose_and_solutions(arm: Arm) -> None:
    from armtwin.kinematics.forward import fk, tool_coordinates
    from armtwin.kinematics.inverse.ik import ik

    where = tool_coordinates(arm, START)
    say(f"1. Joints {START} rad put the tool at")
    position, rpy = (", ".join(f"{v:.4f}" for v in x) for x in (where.position, where.rpy))
    say(f"   ({position}) m, roll pitch yaw ({rpy}) rad")
    found = ik(arm, fk(arm, START), seed=START)
    say(f"   {len(found.q)} joint vectors reach that pose, each within {found.residuals.max():.0e}")


def _run(plant: Arm, *, pushed: bool) -> Recording:
    from armtwin.cli.progress_display import progress
    from armtwin.demo import scenario

    staged = scenario.staged(plant, (scenario.PUSH,) if pushed else (), seed=0 if pushed else 1)
    begin = time.perf_counter()
    for _ in progress(staged.parts(), "simulating"):
        pass
    took = time.perf_counter() - begin
    run = staged.recording()
    name = "the pushed run" if pushed else "an undisturbed run to learn from"
    say(f"   {name}: {len(run)} rows at {run.rate:g} Hz, {run.duration / took:.0f} x real time")
    return run


def _print(result: DemoResult) -> None:
    from armtwin.demo.demo_page import facts

    say("\n3. Results")
    say_table(("what", "result"), list(facts(result)), indent="   ")


def _checks(arm: Arm) -> bool:
    from armtwin.demo.self_check import self_check

    show_step("checking laws and the documents' figures")
    results = list(self_check(arm))
    show_step("")
    say("\n4. Self-checks")
    rows = [
        (r.name, f"{r.value:.1e}", f"{r.bound:.0e}", "ok" if r.holds else "FAILED") for r in results
    ]
    say_table(("law", "largest", "allowed", ""), rows, indent="   ")
    return all(r.holds for r in results)


def _write(result: DemoResult, out: Path) -> list[Path]:
    """Write recording, reports and picture beside the FMU; return the paths of all files."""
    from armtwin.demo.demo_page import page
    from armtwin.kinematics.forward import fk
    from armtwin.report.charts.arm_pictures import draw_arm
    from armtwin.report.write import write_page

    result.run.save(out / "demo.parquet", force=True)
    view = _view(result, out / "demo_view.html")
    made = dataclasses.replace(page(result), view=view.name if view else "")
    for name in ("demo.html", "demo.pdf"):
        show_step(f"writing {name}")
        write_page(made, out / name, force=True)
    show_step("")
    q = result.run.q
    path = fk(result.arm, q, ignore_limits=True)[:, :3, 3]
    picture = draw_arm(
        result.arm, q[len(q) // 4], out / "demo.png", path=path, title=result.arm.title
    )
    return [
        *(out / f"demo.{kind}" for kind in ("html", "pdf", "parquet")),
        *([view] if view else []),
        picture,
        result.fmu.path,
    ]


def _view(result: DemoResult, path: Path) -> Path | None:
    """Write the interactive page; None, with the reason on the terminal, where that is impossible.

    Its packages and the built front end are not part of every installation.
    """
    from armtwin.errors import MissingDataError, NotBuiltError
    from armtwin.viewer.view import view_check

    show_step(f"writing {path.name}")
    try:
        return view_check(result.check, contacts=result.detection).save(path, force=True)
    except (MissingDataError, NotBuiltError) as error:
        show_step("")
        say(f"   no interactive page: {error}")
        return None
