r"""Blocks of 10 s with the sums from which friction's size in each of them follows.

With the effort's residual e and the speed-dependent and the dry part :math:`f_m, f_d` of the
predicted friction, a block holds the sums over its samples of the products of

.. math:: (f_m, f_d, 1, e)

with Huber weights by what remains of e within the block. In a block's 10 s, temperature and warm-up
are constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from armtwin.identification.data.runs import IdentificationRun, RunBlock
from armtwin.identification.data.smoothing import SmoothedMotion
from armtwin.identification.estimation.normal_equations import HUBER
from armtwin.identification.estimation.prediction import Predictor
from armtwin.identification.variation.sessions import WorkSession
from armtwin.model.drive import MOVING, PARAMETERS, SPEEDS
from armtwin.spatial import Array

BLOCK = 10.0
"""Length of a block [s]."""
PARTS = ("speed-dependent", "dry")
"""Parts of friction, in the order of ``SmoothedMotion.friction_scale``."""


@dataclass(frozen=True, eq=False)
class FrictionBlock:
    """Sums over one block.

    Attributes:
        run: index of the run.
        session: of the run.
        seconds: since the session began, at the block's middle.
        temperature: of the joints (dof,) [degC]; NaN where it is not recorded.
        gram: sums of products of ``(f_m, f_d, 1, e)`` (dof, 4, 4).
    """

    run: int
    session: WorkSession
    seconds: float
    temperature: Array
    gram: Array


def friction_blocks(
    predictor: Predictor,
    runs: Sequence[IdentificationRun],
    at: Sequence[WorkSession],
    vector: Array,
    spread: Array,
) -> list[FrictionBlock]:
    """Return the blocks of some runs; a run's last block may be shorter than the others.

    Args:
        predictor: predictor of the signals.
        runs: the fitted runs.
        at: session of every run.
        vector: the estimate (size,).
        spread: of the residuals (dof,); larger ones are down-weighted.
    """
    found = []
    for number, (run, session) in enumerate(zip(runs, at, strict=True)):
        if run.effort is None:
            continue
        block = run.effort.averaged()
        size = max(1, round(BLOCK * block.rate))
        for part, motion in block.chunks(size):
            seconds = (part.start + len(motion.q) / 2) / block.rate
            found.append(
                FrictionBlock(
                    number, session, session.before + seconds,
                    _temperature(run, seconds, predictor.layout.dof),
                    _sums(predictor, block, part, motion, vector, spread),
                )
            )  # fmt: skip
    return found


def _temperature(run: IdentificationRun, seconds: float, dof: int) -> Array:
    if run.temperature is None:
        return np.full(dof, np.nan)
    inside = np.abs(run.time - seconds) <= BLOCK / 2
    return np.asarray(run.temperature[inside].mean(axis=0))


def _sums(
    predictor: Predictor,
    block: RunBlock,
    part: slice,
    motion: SmoothedMotion,
    vector: Array,
    spread: Array,
) -> Array:
    grams = np.zeros((predictor.layout.dof, 4, 4))
    load = predictor.torques(motion, vector)[1] * predictor.gains(block.kind, vector)
    rest = block.signal[part] - load - vector[predictor.layout.offsets]
    for j, parts in enumerate(_friction_parts(predictor, motion, load, vector)):
        used = block.used[part][:, j]
        e = rest[:, j] - parts.sum(axis=1)
        rows = np.column_stack([parts, np.ones_like(e), e])[used]
        left = rows @ np.append(-regression(rows.T @ rows)[0], 1.0)
        weight = HUBER / np.maximum(np.abs(left) / spread[j], HUBER)
        grams[j] = (rows * weight[:, None]).T @ rows
    return grams


def _friction_parts(
    predictor: Predictor, motion: SmoothedMotion, load: Array, vector: Array
) -> Iterator[Array]:
    """Yield every joint's speed-dependent and dry friction (n, 2), warm-up included."""
    for j, law in enumerate(predictor.layout.laws):
        columns = predictor.friction(j, motion.qd[:, j], load[:, j], vector, motion.scale(j))[2]
        p, names = vector[predictor.layout.friction[j]], PARAMETERS[law]
        moving = [k for k, name in enumerate(names) if name in MOVING and name not in SPEEDS]
        dry = [k for k, name in enumerate(names) if name not in (*MOVING, *SPEEDS)]
        yield np.column_stack([columns[:, part] @ p[part] for part in (moving, dry)])


def regression(gram: Array) -> tuple[Array, Array]:
    """Return the least-squares coefficients of the last column on the others, and the inverse.

    Columns that the data cannot distinguish share their effect (pseudo-inverse).

    Args:
        gram: sums of products (k + 1, k + 1).
    """
    scale = 1 / np.sqrt(np.maximum(np.diag(gram), 1e-300))
    scaled = gram * scale * scale[:, None]
    inverse = np.linalg.pinv(scaled[:-1, :-1], rcond=1e-9, hermitian=True)
    theta = inverse @ scaled[:-1, -1] * scale[:-1] / scale[-1]
    return theta, inverse * scale[:-1] * scale[:-1, None]


def clustered(grams: Array) -> tuple[Array, Array]:
    """Return regression coefficients (k,) and their covariance (k, k) from the blocks' scatter.

    Args:
        grams: sums of products of every block (blocks, k + 1, k + 1).
    """
    theta, inverse = regression(grams.sum(axis=0))
    scores = grams[:, :-1] @ np.append(-theta, 1.0)
    more = len(grams) / max(len(grams) - len(theta), 1)
    return theta, inverse @ (scores.T @ scores) @ inverse * more
