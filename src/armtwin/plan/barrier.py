r"""A cost that grows without bound towards limits, and stays finite beyond them.

.. math:: \beta(z) = -\log z \;\; (z > \delta), \qquad
          \tfrac12 \left( \left(\tfrac{z - 2 \delta}{\delta}\right)^2 - 1 \right) - \log \delta
          \;\; (z \le \delta)

twice differentiable, so that a gradient method may start anywhere.
"""

from __future__ import annotations

import numpy as np

from armtwin.spatial import Array

EDGE = 0.02


def barrier(room: Array) -> tuple[float, Array]:
    """Return the sum of the cost over rooms that are left (1 far from the limit), and its slope."""
    near = room <= EDGE
    z = np.maximum(room, EDGE)
    beyond = (room - 2 * EDGE) / EDGE
    value = np.where(near, 0.5 * (beyond**2 - 1) - np.log(EDGE), -np.log(z))
    slope = np.where(near, beyond / EDGE, -1 / z)
    return float(value.sum()), slope
