"""Motion of an identification run on an even clock, by the filter of ``recording.motion``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.recording.motion import chosen_cutoff, derivative, filtered_motion, low_pass
from armtwin.spatial import Array

__all__ = ["SmoothedMotion", "bin_means", "chosen_cutoff", "derivative", "low_pass", "motion"]


@dataclass(frozen=True, eq=False)
class SmoothedMotion:
    """Motion on one even clock.

    Attributes:
        q: joint positions (n, dof) [rad | m].
        qd: speeds (n, dof).
        qdd: accelerations (n, dof).
        friction_scale: factors of friction's speed-dependent and dry part (n, dof, 2) where gears
            warm up (``estimation/warm_up``); None stands for ones.
    """

    q: Array
    qd: Array
    qdd: Array
    friction_scale: Array | None = None

    def rows(self, part: slice) -> SmoothedMotion:
        """Return a part of the motion."""
        scale = None if self.friction_scale is None else self.friction_scale[part]
        return SmoothedMotion(self.q[part], self.qd[part], self.qdd[part], scale)

    def scale(self, joint: int) -> Array | None:
        """Return a joint's factors of friction (n, 2), the joint counted from 0."""
        return None if self.friction_scale is None else self.friction_scale[:, joint]

    def averaged(self, width: int) -> SmoothedMotion:
        """Return the means of consecutive bins of ``width`` rows."""
        scale = None if self.friction_scale is None else bin_means(self.friction_scale, width)
        q, qd, qdd = (bin_means(values, width) for values in (self.q, self.qd, self.qdd))
        return SmoothedMotion(q, qd, qdd, scale)


def bin_means(values: Array, width: int) -> Array:
    """Return the means of consecutive bins of ``width`` rows; an incomplete one is left out."""
    count = len(values) // width
    return np.asarray(values[: count * width].reshape(count, width, *values.shape[1:]).mean(axis=1))


def motion(q: Array, rate: float, cutoff: float) -> SmoothedMotion:
    """Return the low-passed positions (n, dof) with their first and second derivatives.

    Args:
        q: (n, dof) [rad | m], evenly sampled.
        rate: samples per second.
        cutoff: of the low-pass filter [Hz].
    """
    found = filtered_motion(q, rate, cutoff)
    return SmoothedMotion(found.q, found.qd, found.qdd)
