"""Findings of a check, and the comparison of an FMU's outputs with others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from armtwin.fmu.run.run import FmuRun
from armtwin.report.numbers import counted
from armtwin.spatial import Array

SAME = 1e-12
"""Difference, relative, up to which outputs of the same equations agree: rounding."""
SAME_AFTER_SOLVING = 1e-6
"""The same for plants, whose states carry the errors of a solver from step to step."""
SAME_OVER_STIFF_FRICTION = 5e-4
"""Ten times the tolerance of a step of the plants' solver over stiff friction."""
Outcome = Literal["passed", "failed", "not run"]


@dataclass(frozen=True)
class Finding:
    """One check: its subject, its outcome and details."""

    what: str
    outcome: Outcome
    detail: str


def compared(
    what: str,
    done: FmuRun,
    other: Mapping[str, Array],
    bound: float,
    rounded: Mapping[str, Array] | None = None,
) -> Finding:
    """Compare sample by sample, relative to the larger of 1 and the signal's size.

    Args:
        what: the check's name.
        done: our run.
        other: outputs to compare with, by name.
        bound: largest difference allowed.
        rounded: differences that rounding alone may make, per output and row; None for none.
    """
    shared = [name for name in done.signals.columns if name in other]
    if not shared:
        return Finding(what, "failed", "no output in common")
    worst, where, amplified = 0.0, shared[0], 0
    for name in shared:
        mine, theirs = done.signals.columns[name], np.asarray(other[name], np.float64)
        known = np.isfinite(theirs)
        scale = max(1.0, float(np.abs(theirs[known]).max(initial=0)))
        off = np.abs(mine - theirs) / scale
        more = np.zeros_like(off) if rounded is None else rounded[name] / scale
        excused = (off > bound) & (off <= more)
        amplified += int((excused & known).sum())
        largest = float(off[known & ~excused].max(initial=0))
        if not largest <= worst:
            worst, where = largest, name
    detail = f"largest difference {worst:.1e} ({where}), allowed {bound:.0e}, {len(shared)} outputs"
    if amplified:
        detail += f"; {counted(amplified, 'sample')} more, where rounding is amplified"
    return Finding(what, "passed" if worst <= bound else "failed", detail)
