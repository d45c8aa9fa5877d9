r"""Covariance of fitted parameters, and errors of predictions on data left out of the fit.

The covariance is the robust "sandwich"

.. math:: C = A^{-1} B A^{-1}, \quad A = J^T W J + S^{-2}, \quad
          B = \sum_b s_b s_b^T + S^{-2}, \quad s_b = \sum_{i \in b} J_i^T W_i e_i

over blocks ``b`` of rows: it holds for any distribution of the errors and for any dependence
inside a block.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armtwin.calibration.data.measurements import Rows
from armtwin.spatial import Array


def sandwich(J: Array, e: Array, block: Rows, tolerances: Array) -> Array:
    """Return the covariance (k, k) of the parameters.

    Args:
        J: weighted derivatives (n, m, k).
        e: weighted errors (n, m): at the solution, or those of left-out blocks, which make the
            estimate larger where few rows carry a parameter (the jackknife, "CR3").
        block: (n,) number of the block of each row.
        tolerances: the prior's standard deviations (k,), infinite where there is none.
    """
    scores = block_sums(np.einsum("nmk,nm->nk", J, e), block)
    count = len(scores)
    flat = J.reshape(-1, J.shape[2])
    information = flat.T @ flat + np.diag(tolerances**-2.0)
    small_sample = np.sqrt(count / max(count - 1, 1))
    root = np.hstack([small_sample * scores.T, np.diag(1 / tolerances)])
    scale = np.sqrt(np.diag(information))  # units differ by 1e6
    X = np.linalg.solve(information / np.outer(scale, scale), root / scale[:, None])
    X /= scale[:, None]
    return np.asarray(X @ X.T)  # a product with itself: no rounding makes a variance negative


def block_sums(rows: Array, block: Rows) -> Array:
    """Return the sums of rows (n, k) over their blocks, (blocks, k)."""
    numbers, place = np.unique(block, return_inverse=True)
    sums = np.zeros((numbers.size, *rows.shape[1:]))
    np.add.at(sums, place, rows)
    return sums


def half_widths(covariance: Array, degrees: int, level: float = 0.95) -> Array:
    """Return the half widths (k,) of confidence intervals, by Student's t.

    Args:
        covariance: of the parameters (k, k).
        degrees: degrees of freedom.
        level: coverage of the intervals.
    """
    from scipy.special import stdtrit

    quantile = float(stdtrit(max(degrees, 1), 0.5 + level / 2))
    return quantile * np.sqrt(np.clip(np.diag(covariance), 0.0, None))


def left_out_errors(J: Array, e: Array, weights: Array, tolerances: Array, block: Rows) -> Array:
    r"""Return the errors (n, m) of every block predicted by a fit to all other blocks.

    For an almost linear problem no fit need be repeated; with ``A`` and ``s`` as above,

    .. math:: x_{-b} - x = (A - A_b)^{-1} s_b, \qquad e_i^{-b} = e_i + J_i (x_{-b} - x)

    For blocks with fewer numbers than parameters, the same with a small matrix:

    .. math:: e^{-b} = W^{-1} (I - W J A^{-1} J^T W)^{-1} W e

    Args:
        J: derivatives (n, m, k), not weighted.
        e: errors at the solution (n, m), not weighted.
        weights: of the errors (n, m).
        tolerances: the prior's standard deviations (k,).
        block: (n,) number of the block of each row.
    """
    Jw, ew = J * weights[:, :, None], e * weights
    flat = Jw.reshape(e.size, J.shape[2])
    A = flat.T @ flat + np.diag(tolerances**-2.0)
    scale = 1 / np.sqrt(np.diag(A))
    both = np.outer(scale, scale)
    through = (flat @ (np.linalg.inv(A * both) * both)).reshape(Jw.shape)
    found = np.empty_like(e)
    for rows in _equal_blocks(block, MAX_NUMBERS // max(A.size, 1)):
        numbers = rows.shape[1] * e.shape[1]
        own = Jw[rows].reshape(len(rows), numbers, len(A))
        across = own.transpose(0, 2, 1)
        right = ew[rows].reshape(len(rows), numbers, 1)
        if numbers <= len(A):
            share = through[rows].reshape(own.shape) @ across
            new = np.linalg.solve(np.eye(numbers) - share, right)
            found[rows] = new.reshape(*rows.shape, -1) / weights[rows]
        else:
            rest = (A - across @ own) * both
            shift = scale[:, None] * np.linalg.solve(rest, scale[:, None] * (across @ right))
            found[rows] = e[rows] + (J[rows] @ shift[:, None])[..., 0]
    return found


MAX_NUMBERS = 1_000_000
"""Numbers of the matrices that are solved in one call, to bound the memory."""


def _equal_blocks(block: Rows, most: int) -> Iterator[Rows]:
    """Yield the rows of blocks of equal size (blocks, size), at most ``most`` blocks at a time."""
    place, counts = np.unique(block, return_inverse=True, return_counts=True)[1:]
    order, starts = np.argsort(place, kind="stable"), np.cumsum(counts) - counts
    for size in np.unique(counts):
        first = starts[counts == size]
        for chunk in np.array_split(first, -(-len(first) // max(most, 1))):
            yield order[chunk[:, None] + np.arange(size)]
