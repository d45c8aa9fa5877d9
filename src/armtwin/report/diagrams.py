"""Parts of a page for results as pictures: intervals of parameters, and flows of a quantity.

Both are data, as the parts of ``report.page`` are; ``charts`` draws them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armtwin.errors import InputError
from armtwin.report.numbers import rounded
from armtwin.spatial import Array

MARGIN = 0.08
"""Room beside the outermost number of a panel, as a share of its width."""
BALANCED = 1e-6
"""Largest difference between what enters and leaves a node, as a share of the largest flow."""


@dataclass(frozen=True)
class Interval:
    """One row of a forest plot.

    Attributes:
        name: such as ``joint 2``.
        value: the estimate.
        low: lower end of its interval; NaN without one, ``-inf`` where it is open.
        high: upper end; NaN without one, ``inf`` where it is open.
        reference: value to compare with, such as the catalogue's; None without one.
        is_weak: the data hardly determine it; drawn hollow.
    """

    name: str
    value: float
    low: float
    high: float
    reference: float | None = None
    is_weak: bool = False

    def words(self) -> str:
        """Return estimate and interval as text: ``0.62 (0.5 to 0.7)``."""
        if np.isnan([self.low, self.high]).any():
            return rounded(self.value, 3)
        ends = [rounded(x, 3) if np.isfinite(x) else "open" for x in (self.low, self.high)]
        return f"{rounded(self.value, 3)} ({' to '.join(ends)})"


@dataclass(frozen=True)
class ForestPanel:
    """Intervals of one kind of parameter, in one unit."""

    label: str
    rows: tuple[Interval, ...]

    def limits(self) -> tuple[float, float]:
        """Return the ends of the axis: around every finite number of the rows."""
        numbers = [x for row in self.rows for x in (row.value, row.low, row.high, row.reference)]
        finite = np.array([x for x in numbers if x is not None and np.isfinite(x)])
        if not finite.size:
            raise InputError(f"forest plot {self.label!r} has no finite value")
        low, high = float(finite.min()), float(finite.max())
        room = MARGIN * (high - low) or 0.1 * abs(high) or 1.0
        return low - room, high + room

    def drawn(self) -> list[tuple[float, float] | None]:
        """Return the ends of every interval as drawn; None without one, open ends at the edge."""
        edges = self.limits()
        ends: list[tuple[float, float] | None] = []
        for row in self.rows:
            if np.isnan([row.low, row.high]).any():
                ends.append(None)
            else:
                ends.append((max(row.low, edges[0]), min(row.high, edges[1])))
        return ends


@dataclass(frozen=True)
class Forest:
    """A forest plot: estimates with their intervals beside reference values, a panel a kind."""

    title: str
    panels: tuple[ForestPanel, ...]
    reference: str = "arm file"
    caption: str = ""


@dataclass(frozen=True)
class Flow:
    """An amount, 0 or more, that goes from one named node to another."""

    source: str
    target: str
    amount: float


@dataclass(frozen=True)
class Sankey:
    """Flows of a quantity as bands whose width is their amount.

    Raises:
        InputError: a negative amount, or a node that passes on another amount than it gets.
    """

    title: str
    unit: str
    flows: tuple[Flow, ...]
    caption: str = ""

    def __post_init__(self) -> None:
        """Refuse flows that do not balance."""
        if not self.flows:
            raise InputError(f"diagram {self.title!r} has no flow")
        bad = [flow for flow in self.flows if not flow.amount >= 0]
        if bad:
            raise InputError(f"diagram {self.title!r}: {bad[0]} is no amount of 0 or more")
        largest = max(flow.amount for flow in self.flows)
        for node in self.nodes():
            enters, leaves = self.through(node)
            both = any(f.target == node for f in self.flows) and any(
                f.source == node for f in self.flows
            )
            if both and abs(enters - leaves) > BALANCED * max(largest, 1e-300):
                raise InputError(
                    f"diagram {self.title!r}: {enters:.6g} {self.unit} enter {node!r} and "
                    f"{leaves:.6g} leave it; they must be equal"
                )

    def nodes(self) -> tuple[str, ...]:
        """Return the names of all nodes, in the order of the flows."""
        return tuple(dict.fromkeys(n for flow in self.flows for n in (flow.source, flow.target)))

    def through(self, node: str) -> tuple[float, float]:
        """Return what enters and what leaves a node."""
        enters = sum(flow.amount for flow in self.flows if flow.target == node)
        leaves = sum(flow.amount for flow in self.flows if flow.source == node)
        return enters, leaves

    def amounts(self) -> Array:
        """Return the amount of every node: the larger of what enters and leaves it."""
        return np.array([max(self.through(node)) for node in self.nodes()])
