"""``armtwin demo``: the whole thing in half a minute."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.output import say, say_table
from armtwin.cli.progress import show_step

if TYPE_CHECKING:
    from armtwin.demo.story import Story
    from armtwin.model.arm import Arm
    from armtwin.recording.recording import Recording

EXAMPLES = """
armtwin demo
armtwin demo --out somewhere
"""

START = (0.3, -1.4, 1.8, -1.9, -1.5, 0.0)


def command(
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where reports and files go.")
    ] = Path("reports"),
) -> None:
    """Lead a UR10e round a circle, push it, feel it, prove its twin, and report.

    Exits with 1 when anything does not go as it should.
    """
    from armtwin.demo import story
    from armtwin.model.catalogue.catalogue import load

    arm = load("ur10e")
    say(f"armtwin demo: {arm.title}, {arm.dof} joints\n")
    _pose_and_solutions(arm)
    out.mkdir(parents=True, exist_ok=True)
    plant = story.built(arm)
    say(f"\n2. An arm with friction, noise and small errors of build follows a circle of "
        f"{story.RADIUS} m\n   and is pushed with {story.PUSH.torque:g} Nm on joint "
        f"{story.PUSH.joint} at {story.PUSH.start:g} s")  # fmt: skip
    run = _run(plant, pushed=True)
    clean = _run(plant, pushed=False)
    show_step("learning, feeling, comparing, building an FMU")
    told = story.finish(arm, plant, run, clean, out / "UR10e_FK.fmu")
    show_step("")
    _tell(told)
    passed = _checks(arm)
    say("\n5. Written")
    for file in _write(told, out):
        say(f"   {file}")
    if told.failures or not passed:
        say(f"\nFAILED: {'; '.join(told.failures) or 'a self-check'}")
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
    from armtwin.cli.progress import progress
    from armtwin.demo import story

    staged = story.staged(plant, (story.PUSH,) if pushed else (), seed=0 if pushed else 1)
    begin = time.perf_counter()
    for _ in progress(staged.parts(), "simulating"):
        pass
    took = time.perf_counter() - begin
    run = staged.recording()
    name = "the pushed run" if pushed else "an undisturbed run to learn from"
    say(f"   {name}: {len(run)} rows at {run.rate:g} Hz, {run.duration / took:.0f} x real time")
    return run


def _tell(told: Story) -> None:
    from armtwin.demo.story_page import facts

    say("\n3. What came of it")
    say_table(("what", "found"), list(facts(told)), indent="   ")


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


def _write(told: Story, out: Path) -> list[Path]:
    """Write recording, reports and picture beside the FMU; return all of them."""
    from armtwin.demo.story_page import page
    from armtwin.kinematics.forward import fk
    from armtwin.report.charts.arm_pictures import draw_arm
    from armtwin.report.write import write_page

    told.run.save(out / "demo.parquet", force=True)
    made = page(told)
    for name in ("demo.html", "demo.pdf"):
        show_step(f"writing {name}")
        write_page(made, out / name, force=True)
    show_step("")
    q = told.run.q
    path = fk(told.arm, q, ignore_limits=True)[:, :3, 3]
    picture = draw_arm(told.arm, q[len(q) // 4], out / "demo.png", path=path, title=told.arm.title)
    return [*(out / f"demo.{kind}" for kind in ("html", "pdf", "parquet")), picture, told.fmu.path]
