"""Motion of an identification run on an even clock, by the filter of ``recording.motion``."""

from __future__ import annotations

from dataclasses import dataclass

from armtwin.recording.motion import chosen_cutoff, derivative, filtered_motion, low_pass
from armtwin.spatial import Array

__all__ = ["SmoothedMotion", "chosen_cutoff", "derivative", "low_pass", "motion"]


@dataclass(frozen=True)
class SmoothedMotion:
    """Positions, speeds and accelerations (n, dof) of one even clock."""

    q: Array
    qd: Array
    qdd: Array


def motion(q: Array, rate: float, cutoff: float) -> SmoothedMotion:
    """Return the low-passed positions (n, dof) with their first and second derivatives.

    Args:
        q: (n, dof) [rad | m], evenly sampled.
        rate: samples per second.
        cutoff: of the low-pass filter [Hz].
    """
    found = filtered_motion(q, rate, cutoff)
    return SmoothedMotion(found.q, found.qd, found.qdd)
