"""Forest plots and Sankey diagrams: what they promise, and that every renderer shows them."""

import json
import re

import numpy as np
import pytest

from armtwin.errors import InputError
from armtwin.report.charts.sankey_layout import laid_out
from armtwin.report.charts.thinning import fair_share
from armtwin.report.diagrams import Flow, Forest, ForestPanel, Interval, Sankey
from armtwin.report.page import Page, Section
from armtwin.report.renderers.html import fragment, html
from armtwin.report.renderers.pdf import pdf
from armtwin.report.renderers.text import text

ROWS = (
    Interval("joint 1", 2.0, 1.5, 2.5, 1.0),
    Interval("joint 2", 3.0, 2.0, np.inf, None, is_weak=True),
    Interval("joint 3", 1.2, np.nan, np.nan, 1.1),
)
FOREST = Forest("Estimates <b>", (ForestPanel("friction [Nm]", ROWS),), caption="all & more")
FLOWS = (
    Flow("supply", "motors", 8.0),
    Flow("supply", "idle", 2.0),
    Flow("motors", "friction", 5.0),
    Flow("motors", "regenerated", 3.0),
    Flow("regenerated", "brake", 3.0),
)
SANKEY = Sankey("Where it went", "J", FLOWS)


def test_axis_holds_every_finite_number():
    """Open ends are drawn to the axis's edge, and no interval is drawn, when there is none."""
    panel = FOREST.panels[0]
    low, high = panel.limits()
    assert low < 1.0 and high > 3.0
    first, open_one, none = panel.drawn()
    assert first == (1.5, 2.5) and open_one == (2.0, high) and none is None
    assert [row.words() for row in ROWS] == ["2 (1.5 to 2.5)", "3 (2 to open)", "1.2"]


def test_flows_must_balance():
    """A diagram is refused when a node passes on another amount than it gets."""
    with pytest.raises(InputError, match=r"10 J enter 'motors' and 9 leave"):
        Sankey("x", "J", (Flow("supply", "motors", 10.0), Flow("motors", "heat", 9.0)))
    with pytest.raises(InputError, match="no amount of 0 or more"):
        Sankey("x", "J", (Flow("a", "b", -1.0),))
    with pytest.raises(InputError, match="no flow"):
        Sankey("x", "J", ())


def test_bands_fill_their_nodes():
    """Heights keep one scale, nodes do not overlap and bands end in them when it is laid out."""
    layout = laid_out(SANKEY)
    nodes = {node.name: node for node in layout.nodes}
    scale = {(n.bottom - n.top) / n.amount for n in layout.nodes}
    assert max(scale) - min(scale) < 1e-12 and layout.columns == 4
    assert [nodes[n].x for n in ("supply", "motors", "regenerated", "brake")] == [
        0,
        1 / 3,
        2 / 3,
        1,
    ]
    for x in {node.x for node in layout.nodes}:
        column = sorted((n for n in layout.nodes if n.x == x), key=lambda n: n.top)
        assert all(a.bottom < b.top for a, b in zip(column, column[1:], strict=False))
        assert column[0].top >= 0 and column[-1].bottom <= 1 + 1e-12
    for name in ("friction", "brake", "motors"):
        entering = [b for b, flow in zip(layout.bands, FLOWS, strict=True) if flow.target == name]
        assert sum(b.width for b in entering) == pytest.approx(nodes[name].bottom - nodes[name].top)
        assert min(b.y1 for b in entering) == pytest.approx(nodes[name].top)


def test_circle_is_refused():
    """Flows that run in a circle are refused when they are laid out."""
    with pytest.raises(InputError, match="in a circle"):
        laid_out(Sankey("x", "J", (Flow("a", "b", 1.0), Flow("b", "a", 1.0))))


def test_every_renderer_shows_them():
    """HTML, PDF and notebooks hold both figures and the finding when a page has them."""
    page = Page("T", sections=(Section("S", (FOREST, SANKEY)),), finding="It is a <UR5>.")
    whole = html(page).decode()
    data = re.search(r'id="plots">(.*?)</script>', whole, re.DOTALL)[1].replace("<\\/", "</")
    kinds = [[t["type"] for t in p["traces"]] for p in json.loads(data)["plots"]]
    assert kinds == [["scatter"] * 3, ["sankey"]]
    shown = fragment(page)
    assert shown.count("data:image/svg+xml") == 2 and "<script" not in shown
    for rendered in (whole, shown):
        assert "It is a &lt;UR5&gt;." in rendered
        assert "Estimates &lt;b&gt;" in rendered and "all &amp; more" in rendered
    assert pdf(page).startswith(b"%PDF-")
    assert "It is a <UR5>." in text(page)


def test_short_lines_leave_room_to_long_ones():
    """All points fit and short lines stay whole when lines share a budget."""
    assert fair_share([10, 20, 30], 60) is None
    assert fair_share([], 10) is None
    most = fair_share([10, 1000, 5000], 610)
    assert most == 300
    assert sum(min(n, most) for n in (10, 1000, 5000)) <= 610
