"""Contacts, charts, recordings and first steps, as a person uses them."""

import os
import re
import signal
import time

import numpy as np
import pytest
from e2e.app_running import (
    PHONE,
    children,
    heartbeats_of,
    needs_browser,
    open_page,
    running_app,
    wait_for,
)

import armtwin as at

pytestmark = needs_browser
WIDE = {"width": 1280, "height": 1600}
FRAMES = """() => new Promise((done) => {
  let left = 4;
  const next = () => (left-- ? requestAnimationFrame(next) : done());
  next();
})"""
"""Waits until the page has drawn what has changed: charts are drawn once per frame."""


@pytest.fixture(scope="module")
def app():
    """An app with a simulated arm, which becomes a virtual robot in the first test."""
    with running_app("ur5e") as found:
        yield found


def start_robot(app, browser):
    """Start the virtual robot from the first-time page, unless it runs."""
    if app.get("/api/live")["kind"] == "virtual":
        return
    with open_page(browser, f"{app.address}/start") as page:
        page.click("[data-testid=start-virtual]")
        page.wait_for_selector("[data-testid=running]")


def marks(page, chart):
    """Return the marks of alarms on a chart."""
    return page.locator(f"[data-testid=chart-{chart}] [data-testid=alarm-mark]:visible")


def pushed_and_marked(page):
    """Push; return whether the chart, scrolled into sight, shows a mark within its 15 s window."""
    page.click("[data-testid=push]")
    page.wait_for_selector("[data-testid=alarm]")
    page.locator("[data-testid=chart-residual]").scroll_into_view_if_needed()
    end = time.monotonic() + 15
    while time.monotonic() < end and not marks(page, "residual").count():
        page.wait_for_timeout(50)
    return marks(page, "residual").count() > 0


def test_start_push_see(app, browser):
    """An alarm stands in the list and on the chart when a person starts the robot and pushes it."""
    with open_page(browser, f"{app.address}/start", viewport=PHONE) as page:
        page.click("[data-testid=start-virtual]")
        page.wait_for_selector("[data-testid=running]")
        page.wait_for_selector("[data-testid=push]:enabled")
        assert "Virtual ur5e-energy" in page.inner_text("[data-testid=arm-name]")
        page.wait_for_timeout(300)
        wait_for(lambda: pushed_and_marked(page), "an alarm and its mark")
        text = page.locator("[data-testid=alarm]").last.inner_text()
        assert re.search(r"Contact: [\d.]+ Nm at joint 2", text)
    alarm = app.get("/api/live")["alarms"][0]
    assert alarm["joint"] == 2
    assert alarm["torque"] > 18


def zoom_pan_and_go_back(page):
    """Zoom charts that stand still by wheel and by drag, pan them, follow the robot again."""
    area = page.locator("[data-testid=chart-q] .u-over")
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    ranges = [page.inner_text("[data-testid=held]")]

    def changed():
        return page.inner_text("[data-testid=held]") != ranges[-1]

    page.mouse.move(x, y)
    page.wait_for_selector("[data-testid=cursor-time]")
    for act in (
        lambda: page.mouse.wheel(0, -900),
        lambda: drag(page, (x, y), (x + 80, y)),
        lambda: page.mouse.wheel(300, 0),
    ):
        act()
        wait_for(changed, "another range")
        ranges.append(page.inner_text("[data-testid=held]"))
    page.click("[data-testid=charts-live]")
    page.wait_for_selector("[data-testid=charts-pause]")
    assert page.locator("[data-testid=held]").count() == 0


def drag(page, begin, end):
    """Drag with the mouse."""
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move(*end, steps=3)
    page.mouse.up()


def push_again(app, page):
    """Push after the last contact; return once the page shows it, and so has newer samples."""
    wait_for(lambda: all(a["end"] is not None for a in app.get("/api/live")["alarms"]), "its end")
    count = page.locator("[data-testid=alarm]").count()
    page.click("[data-testid=push]")
    wait_for(lambda: page.locator("[data-testid=alarm]").count() > count, "another alarm")


def test_live_charts(app, browser):
    """Every chart is drawn, and old and new alarms are listed and marked, on the Live page."""
    start_robot(app, browser)
    before = len(app.get("/api/live")["alarms"])
    with open_page(browser, f"{app.address}/live", viewport=WIDE) as page:
        for chart in ("q", "qd", "residual", "current", "power", "energy"):
            page.wait_for_selector(f"[data-testid=chart-{chart}] canvas")
        assert page.locator("[data-testid=alarm]").count() == before
        page.select_option("[data-testid=window]", "1800")  # marks stay in sight on a busy machine
        page.select_option("[data-testid=push-joint]", "3")
        page.click("[data-testid=push]")
        page.wait_for_selector("[data-testid=alarm]:has-text('joint 3')")
        for chart in ("q", "residual", "power"):
            wait_for(lambda chart=chart: marks(page, chart).count() > before, "a mark on the chart")
        assert "joint 3" in marks(page, "residual").first.get_attribute("title")
        page.click("[data-testid=show-energy]")
        assert page.locator("[data-testid=chart-energy]").is_hidden()
        page.click("[data-testid=charts-pause]")
        page.wait_for_selector("[data-testid=held]")
        page.evaluate(FRAMES)
        shown = page.inner_text("[data-testid=chart-power] .chart-value")
        push_again(app, page)
        page.evaluate(FRAMES)
        assert page.inner_text("[data-testid=chart-power] .chart-value") == shown
        zoom_pan_and_go_back(page)


def test_record_and_download(app, browser, tmp_path):
    """The downloaded file is the robot's samples at 500 Hz when a person records a while."""
    start_robot(app, browser)
    with open_page(browser, f"{app.address}/recordings", viewport=PHONE) as page:
        page.click("[data-testid=record]")
        wait_for(lambda: (app.get("/api/live")["recording_seconds"] or 0) > 3.0, "three seconds")
        page.click("[data-testid=record]")
        with page.expect_download() as coming:
            page.click("[data-testid=recording]")
        name = coming.value.suggested_filename
        coming.value.save_as(tmp_path / name)
    run = at.read_recording(tmp_path / name)
    assert run.arm == "ur5e-energy"
    assert run.rate == pytest.approx(500, rel=0.02)
    assert run.duration > 0.5
    assert run.has("q", "qd", "current", "tau", "target_q", "voltage", "supply_current")
    np.testing.assert_allclose(run.q[-1], app.get("/api/state")["q"], atol=0.02)


def is_under_way(app, client, start):
    """Return whether the arm has left its start; move it (again) if it stands there.

    A robot that a busy machine holds up counts as lost for a moment, which ends its motion.
    """
    state = app.get("/api/state")
    if state["q"][0] > start[0] + 0.1:
        return True
    if state["status"] == "ready" and not state["moving"]:
        goal = [start[0] + 2.0, *start[1:]]
        app.post("/api/move", {"client": client, "q": goal, "speed": 0.3})
    return False


def test_robot_dies_on_its_way(app, browser):
    """The page says lost and lives, and another robot can be started, when one dies in a move."""
    start_robot(app, browser)
    me = "test-test"
    with open_page(browser, f"{app.address}/live") as page:
        page.wait_for_selector("[data-testid=chart-q] canvas")
        with heartbeats_of(app, me):
            app.post("/api/lease/take", {"client": me})
            q = app.get("/api/state")["q"]
            wait_for(lambda: is_under_way(app, me, q), "the arm to set out")
        robots = children(app.process, "robot_process")
        assert len(robots) == 1
        os.kill(robots[0], signal.SIGKILL)
        page.wait_for_selector("[data-testid=robot-status]:has-text('lost')")
        state = app.get("/api/state")
        assert (state["status"], state["moving"]) == ("lost", False)
        page.click("[data-testid=stop]")
        wait_for(lambda: app.get("/api/state")["lease"]["holder"] is None, "the lease to end")
        page.goto(f"{app.address}/start")
        page.click("[data-testid=end-virtual]")
        page.wait_for_selector("[data-testid=start-virtual]:enabled")
        assert app.get("/api/state")["status"] == "ready"


def test_hit_hard(app, browser):
    """The page says that the robot protects itself, and when to unlock it, when it is hit hard."""
    start_robot(app, browser)
    with open_page(browser, f"{app.address}/live", viewport=PHONE) as page:
        page.fill("[data-testid=push-torque]", "80")
        page.click("[data-testid=push]")
        page.wait_for_selector("[data-testid=robot-status]:has-text('Protective stop')")
        page.click("[data-testid=unlock]")
        page.wait_for_selector("[data-testid=robot-status]:has-text('5 s')")
    assert app.get("/api/live")["can_unlock"]


def test_recording_is_sought(browser, tmp_path):
    """The arm is where the recording has it when a person seeks another place."""
    time_ = np.arange(0, 20, 0.02)
    q = np.column_stack([0.02 * time_ * k - 1.0 for k in range(6)])
    file = at.Recording.of(time_, {"q": q}, arm="ur5e").save(tmp_path / "run.parquet")
    with (
        running_app("--recording", str(file)) as app,
        open_page(browser, f"{app.address}/live") as page,
    ):
        page.click("[data-testid=replay-pause]")
        wait_for(lambda: app.get("/api/live")["replay"]["paused"], "the pause")
        page.fill("[data-testid=seek]", "12.5")
        wait_for(lambda: app.get("/api/live")["replay"]["position"] == 12.5, "the new place")
        np.testing.assert_allclose(app.get("/api/state")["q"], q[625])
        page.wait_for_selector("[data-testid=missing]:has-text('current')")
        assert page.locator("[data-testid=lease]").count() == 0
