"""The Arm page as a person uses it: see, slide, jog, stop, share control."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from browsers import browser_context
from e2e.app_running import (
    PHONE,
    heartbeats,
    needs_browser,
    open_page,
    running_app,
    wait_for,
)
from e2e.cut_network import Wire

from armtwin.robots.robot import FOLLOW_TIMEOUT

pytestmark = needs_browser

SMALL_TEXT = """
() => [...document.querySelectorAll("body *")].filter((e) => {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  return own && e.getClientRects().length && parseFloat(getComputedStyle(e).fontSize) < 14;
}).map((e) => e.textContent.trim().slice(0, 40))
"""
SIDEWAYS = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
UNNAMED = """
() => [...document.querySelectorAll("button, input, a")].filter((e) => e.getClientRects().length
  && !(e.getAttribute("aria-label") || e.textContent.trim() || (e.labels && e.labels.length)))
  .map((e) => e.outerHTML.slice(0, 80))
"""

PALE_TEXT = """
() => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (text) => {
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = text;
    paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data];
  };
  const light = (c) => c.slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const back = (e) => {
    for (; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return [255, 255, 255, 255];
  };
  return [...document.querySelectorAll("body *")].filter((e) => {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length || e.closest(":disabled")) return false;
    const pair = [light(rgba(getComputedStyle(e).color)), light(back(e))].sort((a, b) => b - a);
    return (pair[0] + 0.05) / (pair[1] + 0.05) < 4.5;
  }).map((e) => e.textContent.trim().slice(0, 40));
}
"""


@pytest.fixture(scope="module")
def app():
    """A running app with a simulated UR5e."""
    with running_app("ur5e") as found:
        yield found


@pytest.fixture(scope="module")
def opened(app, browser):
    """The Arm page, opened once."""
    with open_page(browser, app.address) as found:
        yield found


@pytest.fixture
def page(app, opened):
    """The Arm page as it is when it was opened, with the arm at rest."""
    ready(app, opened)
    opened.get_by_test_id("tab-Joints").click()
    opened.get_by_test_id("speed").fill("50")
    yield opened
    if opened.get_by_text("In control").count():
        opened.get_by_test_id("lease").click()


def ready(app, page):
    """Wait until a page shows the arm, and the arm rests and is free."""
    page.get_by_test_id("at-x").wait_for()
    page.locator("[data-testid=canvas][data-drawn]").wait_for()
    wait_for(lambda: is_free(app), "the arm to be free")


def is_free(app):
    """Return whether nobody has control and the arm rests."""
    state = app.get("/api/state")
    return state["lease"]["holder"] is None and not state["moving"]


def joints(app):
    """Return where the arm is (dof,)."""
    return np.array(app.get("/api/state")["q"])


def rested(app):
    """Return where the arm is (dof,) once it has not moved for a follow's timeout."""
    first = app.get("/api/state")

    def stands():
        nonlocal first
        state = app.get("/api/state")
        if state["q"] != first["q"] or state["moving"]:
            first = state
        return state["t"] - first["t"] > FOLLOW_TIMEOUT

    wait_for(stands, "rest")
    return np.array(first["q"])


def set_out(app, page):
    """Move joint 1 slowly towards a goal 4 rad away; return the goal when the arm is on its way."""
    start = joints(app)[0]
    goal = start - 4 if start > 0 else start + 4
    page.get_by_test_id("speed").fill("5")
    page.get_by_test_id("joint-1").fill(str(goal))
    wait_for(lambda: abs(joints(app)[0] - start) > 0.05, "the arm to set out")
    return goal


def shown_pose(page):
    """Return the six numbers of the pose on the page."""
    names = ("x", "y", "z", "roll", "pitch", "yaw")
    texts = [page.get_by_test_id(f"at-{name}").inner_text() for name in names]
    return np.array([float(re.match(r"-?[\d.]+", text)[0]) for text in texts])


def is_slid(app, page, joint, angle):
    """Return whether a joint is where its slider was put; slide again if it rests elsewhere.

    A page that a busy machine holds up loses control, and the arm stops on its way.
    """
    state = app.get("/api/state")
    arrived = state["q"][joint - 1] == angle
    if not arrived and not state["moving"]:
        page.get_by_test_id(f"joint-{joint}").fill(str(angle))
        page.wait_for_timeout(1000 * FOLLOW_TIMEOUT)  # for the arm to set out
    return arrived


def fk_command(q):
    """Return the pose that ``armtwin fk`` prints for joints in radians, in mm and degrees."""
    command = [sys.executable, "-m", "armtwin.cli", "fk", "ur5e", *map(str, q), "--json"]
    answer = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return np.concatenate([1000 * np.array(answer["position"]), np.degrees(answer["rpy"])])


def test_slider_moves_the_arm_to_where_fk_says(app, page):
    """The page shows the pose that armtwin fk prints when a slider has been moved."""
    for joint, angle in ((1, 0.7), (3, 1.2)):
        wait_for(lambda j=joint, q=angle: is_slid(app, page, j, q), f"joint {joint} to arrive")
    expected = fk_command(joints(app))
    page.wait_for_function(
        "() => document.querySelector('[data-testid=status]').textContent === 'ready'"
    )
    np.testing.assert_allclose(shown_pose(page), expected, atol=0.051)


def test_units_change(app, page):
    """Metres and radians are shown, and kept by the browser, when the switches are pressed."""
    in_mm = shown_pose(page)
    page.get_by_test_id("unit-length").click()
    page.get_by_test_id("unit-angle").click()
    wait_for(lambda: page.get_by_test_id("at-x").inner_text().endswith(" m"), "metres")
    np.testing.assert_allclose(shown_pose(page)[:3], in_mm[:3] / 1000, atol=1e-4)
    np.testing.assert_allclose(shown_pose(page)[3:], np.radians(in_mm[3:]), atol=1e-3)
    page.reload()
    wait_for(lambda: page.get_by_test_id("at-x").inner_text().endswith(" m"), "metres again")
    page.get_by_test_id("unit-length").click()
    page.get_by_test_id("unit-angle").click()


def test_dark_and_light_are_kept(app, page):
    """The page turns dark, and is dark when opened again, when the switch is pressed."""
    switch = page.get_by_role("button", name="Dark or light")
    switch.click()
    page.locator("html[data-theme=dark]").wait_for()
    page.reload()
    page.locator("html[data-theme=dark] [data-testid=canvas][data-drawn]").wait_for()
    switch.click()
    page.locator("html[data-theme=light]").wait_for()


def test_typed_angle_and_arrow_keys_move_the_arm(app, page):
    """The joint goes where it is typed to, and a degree on, when arrows are pressed."""
    value = page.get_by_test_id("joint-value-6")
    value.fill("30")
    value.press("Enter")
    wait_for(lambda: abs(joints(app)[5] - np.radians(30)) < 1e-9, "30 degrees")
    page.get_by_test_id("joint-6").press("ArrowRight")
    wait_for(lambda: abs(joints(app)[5] - np.radians(31)) < 1e-9, "31 degrees")


def test_cartesian_jog_moves_along_one_axis(app, page):
    """The tool moves along z, and only while the button is held, when it is jogged up.

    The tool stays within 0.15 mm of its line however late the targets come, and when the button is
    released (``tests/laws/test_jog_line.py``).
    """
    page.get_by_test_id("tab-Tool").click()
    before = np.array(app.get("/api/state")["pose"]["position"])
    button = page.get_by_test_id("jog-z-plus")
    button.hover()
    page.mouse.down()
    wait_for(lambda: app.get("/api/state")["pose"]["position"][2] > before[2] + 0.01, "1 cm")
    page.mouse.up()
    rested(app)
    after = np.array(app.get("/api/state")["pose"]["position"])
    moved = after - before
    assert moved[2] > 0.01
    assert np.abs(moved[:2]).max() < 0.05 * moved[2]
    button.focus()
    page.keyboard.down(" ")
    wait_for(lambda: app.get("/api/state")["pose"]["position"][2] > after[2] + 0.005, "by key")
    page.keyboard.up(" ")
    rested(app)


def test_arm_moves_only_while_the_button_is_held(app, page):
    """The arm waits for the button, moves while it is held and rests when let go."""
    page.get_by_test_id("follow").uncheck()
    page.get_by_test_id("speed").fill("5")
    start = joints(app)
    goal = start[0] - 3 if start[0] > 0 else start[0] + 3
    page.get_by_test_id("joint-1").fill(str(goal))
    page.wait_for_timeout(300)
    np.testing.assert_array_equal(joints(app), start)
    page.get_by_test_id("hold-to-move").hover()
    page.mouse.down()
    wait_for(lambda: abs(joints(app)[0] - start[0]) > 0.1, "the arm to set out")
    page.mouse.up()
    rest = rested(app)
    assert abs(rest[0] - goal) > 1
    page.get_by_test_id("hold-to-move").focus()
    page.keyboard.down("Enter")
    wait_for(lambda: abs(joints(app)[0] - rest[0]) > 0.1, "the arm to go on")
    page.keyboard.up("Enter")
    rested(app)
    page.get_by_text("Forget target").click()
    page.get_by_test_id("follow").check()


def test_branches_reach_the_same_pose(app, page):
    """The tool ends at the same pose with other joints when another branch is chosen."""
    page.get_by_test_id("speed").fill("100")
    page.get_by_test_id("tab-Tool").click()
    before, pose = joints(app), app.get("/api/state")["pose"]
    page.get_by_test_id("find-branches").click()
    assert "elbow" in page.get_by_test_id("branch-2").inner_text()
    page.get_by_test_id("branch-2").focus()
    page.keyboard.press("Enter")
    wait_for(lambda: is_other_branch(app, before, pose), "another branch")
    page.get_by_test_id("find-branches").click()


def is_other_branch(app, q, pose):
    """Return whether the tool is at a pose, the arm being in other joint positions than ``q``."""
    state = app.get("/api/state")
    where = [*state["pose"]["position"], *np.abs(state["pose"]["quaternion"])]
    wanted = [*pose["position"], *np.abs(pose["quaternion"])]
    return np.abs(state["q"] - q).max() > 0.3 and np.allclose(where, wanted, rtol=0, atol=1e-6)


def test_ghost_of_a_branch_can_be_clicked(app, page):
    """The arm goes to another branch of the same pose when its ghost's number is clicked."""
    page.get_by_test_id("speed").fill("100")
    page.get_by_test_id("tab-Tool").click()
    before, pose = rested(app), app.get("/api/state")["pose"]
    page.get_by_test_id("find-branches").click()
    canvas = page.get_by_test_id("canvas")
    wait_for(lambda: int(canvas.get_attribute("data-branches") or 0) > 0, "ghosts")
    sign = [float(value) for value in canvas.get_attribute("data-first-branch").split(",")]
    canvas.click(position={"x": sign[0], "y": sign[1]})
    wait_for(lambda: is_other_branch(app, before, pose), "another branch")
    page.get_by_test_id("find-branches").click()


def test_unreachable_pose_is_reported(app, page):
    """The page says why, and the arm stays, when a pose out of reach is typed."""
    before = joints(app)
    page.get_by_test_id("tab-Tool").click()
    page.get_by_test_id("pose-x").fill("5000")
    page.get_by_test_id("pose-x").press("Enter")
    page.get_by_test_id("problem").wait_for()
    assert "reach" in page.get_by_test_id("problem").inner_text()
    np.testing.assert_array_equal(joints(app), before)


def test_warning_at_a_singularity(app, page):
    """The page warns when the elbow is straight, and not any more when it is bent."""
    wait_for(lambda: is_slid(app, page, 3, 0.0), "a straight elbow")
    page.get_by_text("near elbow singularity").wait_for()
    wait_for(lambda: is_slid(app, page, 3, 1.5), "a bent elbow")
    page.get_by_text("near elbow singularity").wait_for(state="detached")


@pytest.mark.parametrize("method", ["key", "button"])
def test_stop_ends_a_motion(app, page, method):
    """The arm rests short of its target when Escape or the red button is pressed."""
    with heartbeats(app, page):
        goal = set_out(app, page)
        with page.expect_response("**/api/stop"):
            if method == "key":
                page.keyboard.press("Escape")
            else:
                page.get_by_test_id("stop").click()
        assert abs(rested(app)[0] - goal) > 1


def test_two_browsers_and_one_lease(app, browser, page):
    """The second browser watches, requests control and gets it when the first hands it over."""
    with (
        heartbeats(app, page),
        open_page(browser, app.address) as other,
        heartbeats(app, other),
    ):
        page.get_by_test_id("lease").click()
        page.get_by_text("In control").wait_for()
        other.get_by_test_id("watching").wait_for()
        assert other.get_by_test_id("joint-1").is_disabled()
        other.get_by_test_id("lease").click()
        other.get_by_text("Control requested").wait_for()
        page.get_by_text("Hand over").wait_for()
        page.get_by_test_id("lease").click()
        other.get_by_text("In control").wait_for()
        page.get_by_test_id("watching").wait_for()
        assert page.get_by_test_id("joint-1").is_disabled()
        start = joints(app)[0]
        other.get_by_test_id("joint-1").fill(str(start + 0.2))
        wait_for(lambda: abs(joints(app)[0] - start - 0.2) < 1e-9, "the second to move the arm")


def test_watchers_stop_ends_the_holders_motion(app, browser, page):
    """The arm rests and stays there when somebody without control stops it."""
    with open_page(browser, app.address) as other:
        other.get_by_test_id("at-x").wait_for()
        goal = set_out(app, page)
        with other.expect_response("**/api/stop"):
            other.get_by_test_id("stop").click()
        assert abs(rested(app)[0] - goal) > 1


STALL = """seconds => setTimeout(() => {
  const end = performance.now() + 1000 * seconds
  while (performance.now() < end);
})"""
"""Keeps a page's own thread busy from the next task on."""


def test_a_page_that_stalls_does_not_move_a_stopped_arm(app, page):
    """The arm stays at rest when a page, held up for 1 s, goes on with its slider after a STOP."""
    with heartbeats(app, page):
        goal = set_out(app, page)
        page.evaluate(STALL, 1.0)
        app.post("/api/stop")
        page.get_by_text("the arm was stopped").wait_for()
        assert abs(rested(app)[0] - goal) > 1


def test_arm_stops_when_the_network_is_cut(app, browser):
    """The arm rests, control is free and the page says so when nothing gets through any more."""
    wire = Wire(int(app.address.rsplit(":", 1)[1]))
    try:
        with open_page(browser, f"http://127.0.0.1:{wire.port}") as page:
            ready(app, page)
            start = joints(app)[0]
            goal = start - 4 if start > 0 else start + 4
            page.get_by_test_id("speed").fill("5")
            page.get_by_test_id("joint-1").fill(str(goal))
            wait_for(lambda: abs(joints(app)[0] - start) > 0.05, "the arm to set out")
            wire.cut()
            wait_for(lambda: not app.get("/api/state")["moving"], "rest")
            assert abs(joints(app)[0] - goal) > 1
            page.get_by_text("No connection").first.wait_for()
            wait_for(lambda: is_free(app), "control to be free")
            wire.mend()
            page.get_by_test_id("lease").wait_for()
    finally:
        wire.close()


def assert_stop_is_free(page):
    """Assert that STOP is in the lower right corner, 64 px large and under no other element."""
    box, size = page.get_by_test_id("stop").bounding_box(), page.viewport_size
    assert box["width"] >= 64 and box["height"] >= 64
    assert size["width"] - 20 < box["x"] + box["width"] <= size["width"]
    assert size["height"] - 20 < box["y"] + box["height"] <= size["height"]
    spots = [(box["x"] + dx, box["y"] + dy) for dx in (12, 32, 52) for dy in (12, 32, 52)]
    hit = "([x, y]) => document.elementFromPoint(x, y)?.dataset.testid"
    assert {page.evaluate(hit, list(spot)) for spot in spots} == {"stop"}


@pytest.mark.parametrize("light", ["light", "dark"])
def test_phone_layout(app, browser, light):
    """Text is large and dark enough, nothing is too wide and all is named on a phone."""
    options = {"viewport": PHONE, "has_touch": True, "is_mobile": True, "color_scheme": light}
    with open_page(browser, app.address, **options) as page:
        ready(app, page)
        for tab in ("Joints", "Tool"):
            page.get_by_test_id(f"tab-{tab}").click()
            assert page.evaluate(SMALL_TEXT) == []
            assert page.evaluate(PALE_TEXT) == []
            assert page.evaluate(SIDEWAYS) == 0
            assert page.evaluate(UNNAMED) == []
            assert_stop_is_free(page)
        page.get_by_test_id("speed").scroll_into_view_if_needed()
        assert_stop_is_free(page)
        assert page.get_by_test_id("canvas").bounding_box()["height"] > 200


def test_nothing_comes_from_elsewhere(app, browser):
    """Every file of the page comes from the app itself when it is opened."""
    with browser_context(browser) as context:
        page, asked = context.new_page(), []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(app.address)
        page.locator("[data-testid=canvas][data-drawn]").wait_for()
    foreign = [url for url in asked if not url.startswith((app.address, "data:", "blob:"))]
    assert foreign == []
