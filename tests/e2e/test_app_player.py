"""A recording is played in the page as a person does it: open, name the columns, scrub, play."""

import numpy as np
import pytest
from e2e.app_running import PHONE, needs_browser, open_page, running_app

import armtwin

pytestmark = needs_browser

SCRUB = """(track) => {
  track.value = 0.6 * track.max;
  track.dispatchEvent(new Event("input", { bubbles: true }));
}"""
ROWS = 400


@pytest.fixture(scope="module")
def app():
    """The app with a simulated arm."""
    with running_app("ur5e") as started:
        yield started


@pytest.fixture(scope="module")
def motion():
    """Time [s] and joints of eight seconds."""
    time = np.arange(ROWS) * 0.02
    return time, np.array([0, -1.5, 1.2, -1, -1.5, 0.3]) + 0.4 * np.sin(time[:, None])


def test_recording_is_played_on_a_phone(app, browser, motion, tmp_path):
    """Time goes on, and the live arm comes back on another tab, when a recording is played."""
    time, q = motion
    position = armtwin.fk(armtwin.load("ur5e"), q)[:, :3, 3]
    run = armtwin.Recording.of(time, {"q": q, "position": position})
    with open_page(browser, f"{app.address}/recordings", viewport=PHONE) as page:
        page.get_by_test_id("play-file").set_input_files(run.save(tmp_path / "run.parquet"))
        page.get_by_test_id("played").get_by_text("400").wait_for()
        page.get_by_test_id("shown-instead").wait_for()
        track = page.locator("input.overview")
        track.evaluate(SCRUB)
        page.locator("output.time").get_by_text("4.79").wait_for()
        page.get_by_label("Speed").select_option("10")
        page.get_by_label("Play", exact=True).click()
        page.locator("output.time b").get_by_text("7.98").wait_for()
        page.get_by_role("link", name="Move").first.click()
        page.get_by_test_id("shown-instead").wait_for(state="detached")
        assert page.get_by_test_id("stop").is_visible()


def test_columns_are_assigned_in_a_dialog(app, browser, motion, tmp_path):
    """A file with names of its own is refused, and played once its columns are assigned."""
    time, q = motion
    rows = np.column_stack([1000 * time, np.rad2deg(q)])
    text = [",".join(["tick", *"abcdef"]), *(",".join(map(str, row)) for row in rows)]
    file = tmp_path / "own.csv"
    file.write_text("\n".join(text), encoding="utf-8")
    with open_page(browser, f"{app.address}/recordings") as page:
        page.get_by_test_id("play-file").set_input_files(file)
        page.get_by_test_id("play-problem").wait_for()
        page.get_by_test_id("play-columns").click()
        page.get_by_test_id("column-0").select_option("time")
        page.get_by_test_id("unit-0").select_option("ms")
        page.get_by_test_id("column-1").select_option("q1")
        assert page.get_by_test_id("column-6").input_value() == "q6"
        page.get_by_test_id("unit-1").select_option("deg")
        page.get_by_test_id("columns-take").click()
        page.get_by_test_id("played").get_by_text("8.0 s").wait_for()
