"""The Hessian of a sum over points of a spline, assembled from Hessians at single points."""

from __future__ import annotations

from typing import Any

import numpy as np

from armtwin.equations.symbolic import ca
from armtwin.spatial import Array


def leg_hessian(H: Any, B: list[Array], T: Any, n: int) -> Any:
    r"""Return the upper triangle of :math:`\sum_k \Phi_k^T H_k \Phi_k`.

    :math:`\Phi_k` maps control points to ``(q, qd, qdd)`` at point k, the rows of
    ``B[order] / T^order`` times the identity over the joints. So block (i, j) of the result is

    .. math:: \sum_{ab} T^{-a-b} \sum_k B_a[k, i] B_b[k, j] H_k^{ab}

    Args:
        H: Hessians at the points side by side (3 n, 3 n points).
        B: values, first and second derivatives of the free splines at the points (points, free).
        T: time of the leg [s].
        n: number of joints.
    """
    points, free = B[0].shape
    total: Any = 0
    for a in range(3):
        for b in range(3):
            blocks = [
                ca.vec(H[a * n : (a + 1) * n, (3 * k + b) * n : (3 * k + b + 1) * n])
                for k in range(points)
            ]
            products = np.einsum("ki,kj->kji", B[a], B[b]).reshape(points, free * free)
            part = ca.horzcat(*blocks) @ ca.sparsify(ca.DM(products))
            total = total + part / T ** (a + b)
    return _arranged(total, B, n)


def _arranged(total: Any, B: list[Array], n: int) -> Any:
    """Return entry (r + n s, i + free j) of ``total`` at row ``i n + r``, column ``j n + s``."""
    free = B[0].shape[1]
    meet = (np.abs(B[0]).T @ np.abs(B[0])) > 0
    full = np.kron(meet, np.ones((n, n)))
    pattern = ca.sparsify(ca.DM(np.triu(full))).sparsity()
    rows, columns = (np.array(x) for x in pattern.get_triplet())
    i, r, j, s = rows // n, rows % n, columns // n, columns % n
    places = (r + n * s) + n * n * (i + free * j)
    return ca.MX(pattern, ca.vec(ca.densify(total))[places.tolist()])
