"""Reports in a real browser: drawn without errors, quick to zoom, all samples within reach."""

import numpy as np
import pytest
from browsers import browser_context, chromium, needs_browser
from measured_runs import run_of

import armtwin as at

ROWS = 29_051
ZOOM = """
async () => {
  const place = document.querySelectorAll(".plot")[1];
  const start = performance.now();
  await Plotly.relayout(place, {"xaxis.range": [10.0, 11.0]});
  await new Promise((done) => setTimeout(done, 0));
  const x = place.data[0].x;
  return {ms: performance.now() - start, count: x.length, low: x[0], high: x[x.length - 1]};
}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report of a run of 29,051 rows."""
    arm = at.load("ur10e")
    check = at.validate(arm, run_of(arm, rows=ROWS, step=0.002, noise=1e-4))
    return check.report(tmp_path_factory.mktemp("report") / "report.html")


@needs_browser
def test_report_is_drawn_and_zoomed(report):
    """Plots appear without an error and show every sample when one second is zoomed into."""
    size, faults = {"width": 1200, "height": 1400}, []
    with chromium() as browser, browser_context(browser, viewport=size) as context:
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(report.as_uri())
        page.wait_for_selector(".plot .main-svg")
        page.locator(".plot").nth(1).scroll_into_view_if_needed()
        page.locator(".plot").nth(1).locator(".main-svg").first.wait_for()
        whole = page.evaluate("() => document.querySelectorAll('.plot')[0].data[0].x.length")
        zoomed = page.evaluate(ZOOM)
    assert faults == []
    assert whole <= 3000
    assert zoomed["count"] == pytest.approx(501, abs=3)
    assert zoomed["low"] == pytest.approx(10.0, abs=0.01)
    assert zoomed["high"] == pytest.approx(11.0, abs=0.01)
    assert np.isfinite(zoomed["ms"])
