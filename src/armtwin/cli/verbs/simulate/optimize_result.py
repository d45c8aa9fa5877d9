"""What ``armtwin optimize`` found, for programs and for people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from armtwin.cli.output import known, say, say_table

if TYPE_CHECKING:
    from armtwin.energy.optimize import Optimized
    from armtwin.energy.replay import Replay
    from armtwin.motion.optimal.pareto import ParetoPoint


def plain(
    done: Optimized, curve: list[ParetoPoint], run: Replay | None, files: list[Path]
) -> dict[str, Any]:
    """Return everything as data."""
    from armtwin.energy.ledger import ledger

    task, best, against = done.task, done.optimum, done.comparison
    rivals = [
        {
            "name": r.name,
            "time": known(r.seconds),
            "motors": known(r.motors),
            "total": known(r.total),
            "saving": known(against.saving(r)),
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
        "saving": known(against.saving(against.optimum)),
        "total_saving": known(against.total_saving(against.optimum)),
        "solve_seconds": best.solve_seconds,
        "iterations": best.iterations,
        "rivals": rivals,
        "pareto": points,
        "replay": None if run is None else {"motors": run.spent.motors, "excess": run.excess},
        "notes": list(best.motion.notes),
        "files": files,
    }


def print_all(
    done: Optimized, curve: list[ParetoPoint], run: Replay | None, files: list[Path]
) -> None:
    """Print the rivals, the curve, the replay and the files."""
    from armtwin.energy.ledger import ledger

    task, best, against = done.task, done.optimum, done.comparison
    rows = []
    for r in against.rivals:
        numbers = [f"{v:.2f}" if v == v else "-" for v in (r.seconds, r.motors, r.total)]
        part = known(against.saving(r))
        saved = "-" if part is None else f"{100 * part:.1f}"
        rows.append((r.name, *numbers, saved, r.missing))
    say(f"{task.arm.name}, rule {task.rule.name}: {task.rule.meaning}\n")
    heads = ("way", "time [s]", "motors [J]", "with idle [J]", "motors saved [%]", "")
    say_table(heads, rows)
    say(f"\nsolved in {best.solve_seconds:.2f} s, {best.iterations} iterations")
    if run is not None:
        say(f"replayed in MuJoCo: {run.spent.motors:.2f} J, {100 * run.excess:+.2f} %")
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
