"""``armtwin demo``: the whole thing in a few seconds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armtwin.cli.output import say, say_table

if TYPE_CHECKING:
    from armtwin.model.arm import Arm
    from armtwin.spatial import Array

EXAMPLES = """
armtwin demo
armtwin demo --out somewhere
"""

RADIUS, POINTS = 0.2, 200
START = (0.3, -1.4, 1.8, -1.9, -1.5, 0.0)


def command(
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="Where pictures and tables go.")
    ] = Path("reports"),
) -> None:
    """Show what armtwin does on a UR10e: pose, every inverse solution, a circle, self-checks.

    Exits with 1 when a self-check fails.
    """
    from armtwin.model.catalog import load

    arm = load("ur10e")
    say(f"armtwin demo: {arm.title}, {arm.dof} joints, nominal geometry of the catalogue\n")
    _pose_and_solutions(arm)
    q = _circle(arm)
    passed = _checks(arm)
    out.mkdir(parents=True, exist_ok=True)
    say("\n4. Written")
    for file in (_write_table(arm, q, out), _draw(arm, q, out)):
        say(f"   {file}")
    if not passed:
        raise typer.Exit(1)


def _pose_and_solutions(arm: Arm) -> None:
    from armtwin.kinematics.forward import fk, tool_coordinates
    from armtwin.kinematics.inverse import ik

    where = tool_coordinates(arm, START)
    say(f"1. Joints {START} rad put the tool at")
    say(f"   position {_text(where.position)} m, roll pitch yaw {_text(where.rpy)} rad")
    found = ik(arm, fk(arm, START), seed=START)
    say(f"\n   {len(found.q)} joint vectors reach that pose [rad]:")
    rows = zip(found.q.tolist(), found.residuals.tolist(), strict=True)
    heads = (*(f"q{n}" for n in range(1, arm.dof + 1)), "residual")
    say_table(heads, [(*q, f"{residual:.1e}") for q, residual in rows], indent="   ")


def circle(arm: Arm) -> Array:
    """Return joint vectors (n, dof) that lead the tool once round a circle beside its start."""
    import numpy as np

    from armtwin.kinematics.forward import fk
    from armtwin.kinematics.inverse import ik

    T, q = fk(arm, START), [np.array(START)]
    centre = T[:3, 3] - RADIUS * np.array([1.0, 0.0, 0.0])
    for angle in np.linspace(0, 2 * np.pi, POINTS)[1:]:
        T[:3, 3] = centre + RADIUS * np.array([np.cos(angle), np.sin(angle), 0.0])
        q.append(ik(arm, T, seed=q[-1]).q[0])
    return np.array(q)


def _circle(arm: Arm) -> Array:
    import numpy as np

    start = time.perf_counter()
    q = circle(arm)
    took = time.perf_counter() - start
    step = float(np.abs(np.diff(q, axis=0)).max())
    say(f"\n2. A circle of {RADIUS} m: {len(q)} points, each the solution nearest the last")
    say(
        f"   {took:.2f} s; largest joint step {step:.3f} rad; ends {_gap(q):.1e} rad from its start"
    )
    return q


def _gap(q: Array) -> float:
    return float(abs(q[-1] - q[0]).max())


def _checks(arm: Arm) -> bool:
    from armtwin.reproduce.self_check import self_check

    results = list(self_check(arm))
    say("\n3. Self-checks")
    rows = [
        (r.name, f"{r.value:.1e}", f"{r.bound:.0e}", "ok" if r.holds else "FAILED") for r in results
    ]
    say_table(("law", "largest", "allowed", ""), rows, indent="   ")
    return all(r.holds for r in results)


def _write_table(arm: Arm, q: Array, out: Path) -> Path:
    from armtwin.cli.result_file import ResultFile
    from armtwin.kinematics.forward import tool_coordinates

    where, file = tool_coordinates(arm, q), out / "circle.csv"
    names = [f"q{n}" for n in range(1, arm.dof + 1)]
    with ResultFile(file, force=True) as results:
        results.head([*names, "x", "y", "z", "roll", "pitch", "yaw", "qx", "qy", "qz", "qw"])
        results.rows(q, where.position, where.rpy, where.quaternion)
    return file


def _draw(arm: Arm, q: Array, out: Path) -> Path | str:
    from armtwin.errors import MissingDataError
    from armtwin.kinematics.forward import fk
    from armtwin.report.figures import draw_arm

    try:
        path = fk(arm, q)[:, :3, 3]
        return draw_arm(arm, q[len(q) // 4], out / "circle.png", path=path, title=arm.title)
    except MissingDataError as error:
        return f"no picture: {error}"


def _text(values: Array) -> str:
    return "(" + ", ".join(f"{value:.4f}" for value in values) + ")"
