"""axe-core over results, reports, dialogs and the page for a missing token, light and dark."""

import numpy as np
import pytest
from e2e.accessibility import CONTRAST, add_axe, faults
from e2e.app_running import PHONE, needs_browser, open_page, running_app

from armtwin.app.jobs.outcome import Outcome, outcome_of
from armtwin.report.diagrams import Flow, Forest, ForestPanel, Interval, Sankey
from armtwin.report.page import (
    Bars,
    Chart,
    Curve,
    Facts,
    Histogram,
    Map,
    MapView,
    Page,
    Panel,
    Paths,
    Section,
    Shade,
    Table,
    Text,
    Verdict,
)
from armtwin.report.write import write_page
from armtwin.viewer.results.page_data import OutcomeTable

pytestmark = needs_browser
KINDS = {"/check": "validate", "/identify": "identify", "/energy": "energy", "/fmu": "fmu"}


def everything():
    """Return a page with every kind of part that results have."""
    x = np.linspace(0.0, 2.0, 50)
    curves = (Curve("recorded", x, np.sin(x)), Curve("twin", x, np.cos(x), "dashes"))
    rows = (Interval("joint 1", 2.0, 1.5, 2.5, 1.0), Interval("joint 2", 3.0, 2.0, 4.0, None, True))
    flows = (Flow("supply", "motors", 12.0), Flow("motors", "heat", 12.0))
    view = MapView("top", "x [m]", "y [m]", [0, 1, 2], [0, 1], [[1.0, 2.0]])
    parts = (
        Text("Some words."), Text("A note.", "note"), Text("A warning.", "warning"),
        Facts((("rate", "500 Hz"),)),
        Table(("signal", "unit", "rmse"), (("position", "mm", 1.0), ("q1", "deg", 0.2)),
              "Errors", ((0, "bad"), (1, "good"))),
        Chart("Error", "time [s]", (Panel("mm", curves, (Shade("push", 0.5, 0.7),)),), "One run."),
        Histogram("Errors", "mm", (("position", np.sin(x)),)),
        Bars("Energy", "J", ("joint 1", "joint 2"), (("motor", [1.0, 2.0]), ("heat", [2.0, 1.0]))),
        Paths("Tool", "m", (("recorded", np.column_stack([x, x, x])),)),
        Map("Reach", "share", (view,)),
        Forest("Estimates", (ForestPanel("viscous [Nm s/rad]", rows),)),
        Sankey("Energy", "J", flows),
    )  # fmt: skip
    return Page(
        "Every part", "an arm", Verdict(False, "one limit is exceeded"), (("Arm", "ur3e"),),
        (Section("All", parts),), (("run.csv", "abc"),), (("limit", "1 mm"),), "It does not fit.",
    )  # fmt: skip


def job(kind, outcome=None, error=""):
    """Return a finished job as the API describes it."""
    parameters, state = {"arm": "here"}, "failed" if error else "done"
    found = {
        "id": f"job-{kind}",
        "kind": kind,
        "parameters": parameters,
        "owner": "another",
        "yours": False,
    }
    found |= {"state": state, "step": "done", "seconds": 1.0, "error": error}
    return found | {"outcome": outcome and outcome.model_dump(mode="json")}


def results():
    """Return a job of every kind with the whole result."""
    outcome = outcome_of(everything()).with_file("arm.toml", "Arm").with_file("r.html", "Report")
    return [job(kind, outcome) for kind in KINDS.values()]


def answered(route):
    """Answer requests about jobs: results, the columns of a file, or an error."""
    if route.request.method == "GET":
        route.fulfill(json=results())
    elif route.request.post_data_json["kind"] == "columns":
        rows = OutcomeTable(heads=("tick", "a"), rows=((0.0, 1.0), (1.0, 2.0)))
        guess = OutcomeTable(heads=("column", "what", "unit"), rows=())
        route.fulfill(json=job("columns", Outcome(tables=(rows, guess), notes=("Rows of text.",))))
    else:
        route.fulfill(json=job("play", error="no column is a joint position"))


class Judge:
    """Collects what axe-core finds on the pages that a test opens."""

    def __init__(self, page):
        self.page, self.found = page, {}
        add_axe(page)

    def look(self, name):
        """Judge the page as it is: every rule in light, contrasts in dark."""
        self.found[name] = faults(self.page)
        self.page.emulate_media(color_scheme="dark")
        self.found[f"{name}, dark"] = faults(self.page, CONTRAST)
        self.page.emulate_media(color_scheme="light")

    def require_none(self):
        """Fail with everything that was found."""
        assert {name: lines for name, lines in self.found.items() if lines} == {}


@pytest.fixture(scope="module")
def app():
    """A shared app, which wants a token."""
    with running_app("ur3e", "--share") as found:
        yield found


def test_results_dialogs_and_token_page_are_accessible(app, browser):
    """axe-core finds nothing on results of every job, dialogs, failures and the token's page."""
    with open_page(browser, "about:blank", reduced_motion="reduce") as page:
        judge = Judge(page)
        page.goto(app.address)
        page.get_by_role("heading", name="shared by a link").wait_for()
        judge.look("token")
        page.route("**/api/jobs", answered)
        page.goto(app.link)
        for path in KINDS:
            page.goto(app.address + path)
            page.get_by_test_id("finding").wait_for()
            page.locator("details.more").evaluate_all("all => all.forEach(one => one.open = true)")
            judge.look(path)
        page.get_by_test_id("share").click()
        page.get_by_test_id("qr").wait_for()
        judge.look("share")
        page.goto(app.address + "/recordings")
        sent = {"name": "own.csv", "mimeType": "text/csv", "buffer": b"tick,a\n0,1\n1,2\n"}
        page.get_by_test_id("play-file").set_input_files(sent)
        page.get_by_test_id("play-problem").wait_for()
        page.get_by_test_id("play-columns").click()
        page.get_by_test_id("column-0").wait_for()
        judge.look("columns")
        judge.require_none()


def test_report_is_accessible(browser, tmp_path):
    """axe-core finds nothing in an HTML report with every kind of part, on desk and phone."""
    file = write_page(everything(), tmp_path / "report.html")
    with open_page(browser, "about:blank", reduced_motion="reduce") as page:
        judge = Judge(page)
        page.goto(file.as_uri())
        for plot in page.locator(".plot").all():
            plot.scroll_into_view_if_needed()  # drawn when in sight
        page.locator(".plot .main-svg").first.wait_for()
        judge.look("report")
        page.set_viewport_size(PHONE)
        judge.look("report on a phone")
        judge.require_none()
