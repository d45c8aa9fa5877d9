"""Results as pictures: the diagnosis of a check, and the arm that it proposes."""

import numpy as np
import pytest
from e2e.app_running import PHONE, needs_browser, open_page, running_app, wait_for

import armtwin

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
