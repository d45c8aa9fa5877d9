"""The Check, Identify, Energy and FMU pages as a person uses them."""

import numpy as np
import pytest
from e2e.app_running import PHONE, needs_browser, open_page, running_app

import armtwin

pytestmark = needs_browser

DROPPED = """() => {
  const carried = new DataTransfer();
  carried.items.add(new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0])], "picture.csv"));
  return carried;
}"""
"""A picture under a recording's name, as a person drags it over the page."""


@pytest.fixture(scope="module")
def app():
    """The app with a simulated arm."""
    with running_app("ur5e-energy") as started:
        yield started


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A recording of the twin itself, with the tool 1 mm off in x."""
    arm = armtwin.load("ur5e-energy")
    time = np.arange(0, 3, 0.02)
    rates = np.array([1.0, 1.3, 0.7, 1.1, 0.9, 1.7])
    q = np.array([0.0, -1.5, 1.2, -1.0, -1.5, 0.3]) + 0.4 * np.sin(time[:, None] * rates)
    x, y, z = armtwin.fk(arm, q)[:, :3, 3].T
    groups = {"q": q, "x": x + 1e-3, "y": y, "z": z}
    made = armtwin.Recording.of(time, groups, arm=arm.name, origin="a test")
    return made.save(tmp_path_factory.mktemp("recordings") / "run.parquet")


def test_recording_is_dropped_in_and_reported(app, browser, recording, tmp_path):
    """The verdict is shown and the downloaded report opens when a recording is checked."""
    with open_page(browser, f"{app.address}/check", viewport=PHONE) as page:
        page.get_by_test_id("recording").set_input_files(recording)
        page.get_by_test_id("sent").get_by_text("run.parquet").wait_for()
        page.get_by_text("More settings").click()
        page.get_by_test_id("limits").fill("position=0.5mm")
        page.get_by_test_id("start").click()
        page.get_by_test_id("verdict").get_by_text("Not passed").wait_for()
        name = page.get_by_role("cell", name="position", exact=True)
        errors = page.get_by_role("row").filter(has=name).first
        assert errors.get_by_role("cell").all_inner_texts()[:3] == ["position", "mm", "1"]
        with page.expect_download() as waiting:
            page.get_by_test_id("file-html").click()
        waiting.value.save_as(tmp_path / "report.html")
        assert wide(page) <= 390
    with open_page(browser, (tmp_path / "report.html").as_uri()) as report:
        report.get_by_role("heading", name="ur5e-energy").first.wait_for()
        report.locator(".plot").first.scroll_into_view_if_needed()  # drawn when in sight
        report.locator(".plot .main-svg").first.wait_for()


def test_failing_job_shows_its_error_and_the_page_lives(app, browser, recording):
    """The library's own words are shown when a job fails, and another one can be started."""
    with open_page(browser, f"{app.address}/identify") as page:
        page.get_by_test_id("train").set_input_files(recording)
        page.get_by_test_id("sent").wait_for()
        page.get_by_test_id("start").click()
        page.get_by_test_id("error").get_by_text("current or tau").wait_for()
        dropped = page.evaluate_handle(DROPPED)
        page.locator(".drop").first.dispatch_event("drop", {"dataTransfer": dropped})
        page.get_by_test_id("problem").get_by_text("no recording").wait_for()
        assert page.get_by_test_id("start").is_enabled()
        assert page.get_by_test_id("stop").is_visible()


def test_job_is_cancelled(app, browser):
    """The page says so, the process is gone and a new job runs when a job is cancelled."""
    with open_page(browser, f"{app.address}/fmu") as page:
        page.get_by_test_id("platform").select_option("all")
        page.get_by_test_id("model").select_option("forward-dynamics")
        page.get_by_test_id("start").click()
        page.get_by_test_id("cancel").click()
        page.get_by_test_id("cancelled").wait_for()
        assert app.get("/api/jobs")[0]["state"] == "cancelled"


def test_fmu_is_made_and_passes_fmpy(app, browser, tmp_path):
    """FMPy finds no fault and the twin's pose comes out when an FMU is made on the page."""
    fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
    from fmpy.validation import validate_fmu

    with open_page(browser, f"{app.address}/fmu", viewport=PHONE) as page:
        page.get_by_test_id("arm").select_option("ur10e")
        page.get_by_test_id("fmi").select_option("3")
        page.get_by_test_id("start").click()
        with page.expect_download() as waiting:
            page.get_by_test_id("file-fmu").click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        assert wide(page) <= 390
    assert validate_fmu(str(path)) == []
    assert fmpy.read_model_description(str(path)).fmiVersion == "3.0"


def test_motion_of_less_energy_is_found(app, browser):
    """The saving and the motion's file are offered when two joint vectors are given."""
    with open_page(browser, f"{app.address}/energy", viewport=PHONE) as page:
        page.get_by_test_id("aim-optimize").click()
        page.get_by_test_id("to-1").fill("60")
        page.get_by_test_id("to-1").blur()
        page.get_by_test_id("start").click()
        page.get_by_text("Saved against the trapezoid").wait_for()
        with page.expect_download() as waiting:
            page.get_by_test_id("file-csv").click()
        text = waiting.value.path().read_text()
        assert text.startswith("time,q1,")
        end = [float(value) for value in text.splitlines()[-1].split(",")]
        assert end[1] == pytest.approx(np.pi / 3, abs=1e-6)
        assert wide(page) <= 390


def wide(page):
    """Return how wide the page's content is."""
    return page.evaluate("document.documentElement.scrollWidth")
