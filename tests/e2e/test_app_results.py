"""Results as pictures: the diagnosis of a check, and arms that results propose."""

import math

import numpy as np
import pytest
from e2e.app_running import PHONE, needs_browser, open_page, running_app, wait_for

import armtwin
from armtwin.app.jobs.outcome import outcome_of
from armtwin.model.formats.toml import write_toml as text_of
from armtwin.report.diagrams import Forest, ForestPanel, Interval
from armtwin.report.page import Page, Section, Verdict

pytestmark = needs_browser


@pytest.fixture(scope="module")
def app():
    """The app with a simulated UR5e."""
    with running_app("ur5e") as started:
        yield started


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A recording of a UR5 that does not say which arm it is of."""
    time = np.arange(0, 3, 0.02)
    rates = np.array([1.0, 1.3, 0.7, 1.1, 0.9, 1.7])
    q = np.array([0.0, -1.5, 1.2, -1.0, -1.5, 0.3]) + 0.4 * np.sin(time[:, None] * rates)
    x, y, z = armtwin.fk("ur5", q)[:, :3, 3].T
    run = armtwin.Recording.of(time, {"q": q, "x": x, "y": y, "z": z}, origin="a test")
    return run.save(tmp_path_factory.mktemp("recordings") / "run.parquet")


def test_wrong_arm_is_named_and_changed(app, browser, recording):
    """The check runs again on the app's new arm when its diagnosis names another one."""
    with open_page(browser, f"{app.address}/check") as page:
        page.get_by_test_id("recording").set_input_files(recording)
        page.get_by_test_id("sent").wait_for()
        page.get_by_test_id("start").click()
        finding = page.get_by_test_id("finding")
        finding.get_by_text("This looks like a UR5, not a UR5e.").wait_for()
        page.get_by_test_id("verdict").get_by_text("Not passed").wait_for()
        page.get_by_test_id("switch-arm").click()
        finding.get_by_text("exactly where the recorded one is").wait_for()
        assert app.get("/api/arms/shown")["name"] == "ur5"
        page.get_by_test_id("shown-instead").wait_for()
        page.get_by_test_id("chart-now").first.wait_for()
        with open_page(browser, f"{app.address}/check", viewport=PHONE) as other:
            other.get_by_test_id("job-owner").get_by_text("Started by computer").wait_for()
    assert wait_for(lambda: app.get("/api/jobs"), "the jobs")[0]["owner"].startswith("computer")


def test_identified_arm_is_used_at_once(app, browser):
    """The app shows the identified arm when its button is pressed beside the intervals."""
    arm = armtwin.load("ur3e").with_(name="identified")
    rows = (Interval("joint 1", 2.0, 1.5, 2.5, 1.0), Interval("joint 2", 3.0, 2.0, math.inf))
    forest = Forest("Estimates", (ForestPanel("viscous [Nm s/rad]", rows),))
    page_of_fit = Page("Fit", verdict=Verdict(True, "good"), sections=(Section("P", (forest,)),))
    outcome = outcome_of(page_of_fit).with_file("arm.toml", "Identified arm")
    job = {"id": "fit", "kind": "identify", "parameters": {"arm": "here"}, "yours": True}
    job |= {"owner": "", "state": "done", "step": "done", "seconds": 1.0, "error": ""}
    job["outcome"] = outcome.model_dump(mode="json")
    with open_page(browser, f"{app.address}/identify") as page:
        page.route("**/api/jobs", lambda route: route.fulfill(json=[job]))
        page.route("**/api/jobs/fit/files/arm.toml", lambda route: route.fulfill(body=text_of(arm)))
        page.reload()
        page.get_by_test_id("forest").get_by_text("3 (2 to open)").wait_for()
        page.get_by_test_id("use-arm").click()
        page.get_by_test_id("use-arm").get_by_text("identified is shown now").wait_for()
    assert app.get("/api/arms/shown")["name"] == "identified"
