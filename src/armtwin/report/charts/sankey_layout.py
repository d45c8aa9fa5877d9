"""Places of nodes and bands of a Sankey diagram in the unit square, for all that draw it.

A node stands in the column of its longest path from a source. A column is filled downward in the
order of the flows, and begins where the first band that enters it comes from, if there is room.
Heights are proportional to amounts, with one scale for the whole diagram.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from armtwin.errors import InputError
from armtwin.report.diagrams import Sankey

GAP = 0.09
"""Room between two nodes of a column, as a share of the height: two lines of text."""


@dataclass(frozen=True)
class PlacedNode:
    """A node: name, amount, column's ``x``, ``top`` and ``bottom`` (0 to 1, y down), a number."""

    name: str
    amount: float
    x: float
    top: float
    bottom: float
    number: int


@dataclass(frozen=True)
class PlacedBand:
    """A band of one width from (x0, y0) to (x1, y1), its upper corners; its target's number."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float
    number: int


@dataclass(frozen=True)
class SankeyLayout:
    """Nodes and bands of a diagram, and its number of columns."""

    nodes: tuple[PlacedNode, ...]
    bands: tuple[PlacedBand, ...]
    columns: int


def laid_out(diagram: Sankey) -> SankeyLayout:
    """Return where everything of a diagram is drawn.

    Raises:
        InputError: the flows run in a circle.
    """
    names, column = diagram.nodes(), _columns(diagram)
    amounts = dict(zip(names, diagram.amounts().tolist(), strict=True))
    last = max(column.values())
    stacks = [[name for name in names if column[name] == k] for k in range(last + 1)]
    scale = min(
        (1 - GAP * (len(stack) - 1)) / max(sum(amounts[n] for n in stack), 1e-300)
        for stack in stacks
    )
    nodes: dict[str, PlacedNode] = {}
    for k, stack in enumerate(stacks):
        height = scale * sum(amounts[n] for n in stack) + GAP * (len(stack) - 1)
        sources = [flow.source for flow in diagram.flows if flow.target in stack]
        top = min(min((nodes[name].top for name in sources), default=0.0), 1 - height)
        for name in stack:
            bottom = top + scale * amounts[name]
            number = names.index(name)
            nodes[name] = PlacedNode(name, amounts[name], k / max(last, 1), top, bottom, number)
            top = bottom + GAP
    return SankeyLayout(tuple(nodes.values()), _bands(diagram, nodes, scale), last + 1)


def _bands(
    diagram: Sankey, nodes: Mapping[str, PlacedNode], scale: float
) -> tuple[PlacedBand, ...]:
    """Return the bands; those of a node lie below each other in the order of the flows."""
    left = {name: node.top for name, node in nodes.items()}
    entered, found = dict(left), []
    for flow in diagram.flows:
        source, target, width = nodes[flow.source], nodes[flow.target], scale * flow.amount
        start, end = left[flow.source], entered[flow.target]
        found.append(PlacedBand(source.x, start, target.x, end, width, target.number))
        left[flow.source] += width
        entered[flow.target] += width
    return tuple(found)


def _columns(diagram: Sankey) -> dict[str, int]:
    """Return the column of every node: the length of the longest path to it."""
    column = dict.fromkeys(diagram.nodes(), 0)
    for _ in column:
        moved = False
        for flow in diagram.flows:
            if column[flow.target] <= column[flow.source]:
                column[flow.target], moved = column[flow.source] + 1, True
        if not moved:
            return column
    raise InputError(f"diagram {diagram.title!r}: its flows run in a circle")
