"""The Teach page as a person uses it."""

import json

import numpy as np
import pytest
from browsers import chromium
from e2e.app_running import PHONE, heartbeats, needs_browser, open_page, running_app, wait_for

pytestmark = needs_browser


@pytest.fixture(scope="module")
def app():
    """The app with a simulated arm."""
    with running_app("ur3e") as started:
        yield started


@pytest.fixture(scope="module")
def opened(app):
    """The Teach page on a phone."""
    with chromium() as browser, open_page(browser, f"{app.address}/teach", viewport=PHONE) as page:
        page.get_by_test_id("jog-up-1").wait_for()
        yield page


@pytest.fixture
def page(opened):
    """The Teach page with an empty program."""
    opened.get_by_test_id("tab-Positions").click()
    opened.get_by_role("button", name="New", exact=True).click()
    opened.get_by_text("No positions yet").wait_for()
    return opened


def joints(app):
    """Return the arm's joints now."""
    return np.array(app.get("/api/state")["q"])


def taught_rows(app):
    """Return the positions that the app holds."""
    return app.get("/api/teach")["program"]["positions"]


def jog(page, app, name, least=0.05):
    """Hold a jog button until its joint has moved, and return the joints at rest."""
    page.get_by_test_id("tab-Move").click()
    before = joints(app)
    page.get_by_test_id(name).hover()
    page.mouse.down()
    wait_for(lambda: np.abs(joints(app) - before).max() > least, f"{name} to move the arm")
    page.mouse.up()
    wait_for(lambda: not app.get("/api/state")["moving"], "the arm to rest")
    return joints(app)


def choose_linear_by_keyboard(app, page):
    """Make the last move linear, take that back and repeat it; its path is drawn."""
    page.get_by_role("radio", name="Linear").focus()
    page.keyboard.press("Enter")
    wait_for(lambda: motions(app)[-1] == "linear", "the linear move")
    page.get_by_test_id("position-linear").wait_for()
    canvas = page.get_by_test_id("canvas")
    wait_for(lambda: int(canvas.get_attribute("data-planned") or 0) > 10, "the path")
    page.get_by_test_id("undo").click()
    wait_for(lambda: motions(app)[-1] == "joint", "the undone choice")
    page.get_by_test_id("redo").click()
    wait_for(lambda: motions(app) == ["joint", "joint", "linear"], "the repeated choice")


def motions(app):
    """Return how the positions are reached."""
    return [row["motion"] for row in taught_rows(app)]


def test_three_points_are_taught_and_replayed(app, page):
    """The arm passes through all three positions again when they were taught and are run."""
    taught = []
    for name in ("jog-up-1", "jog-down-2", "jog-up-4"):
        taught.append(jog(page, app, name))
        page.get_by_test_id("save-position").click()
        page.get_by_text(f"Saved Position {len(taught)}.").wait_for()
    np.testing.assert_allclose([row["q"] for row in taught_rows(app)], taught, atol=1e-9)
    jog(page, app, "jog-down-3")
    page.get_by_test_id("tab-Positions").click()
    for row in range(3):
        page.get_by_test_id("position").nth(row).get_by_role("button").first.click()
        page.get_by_label("Rest there [s]").fill("1.5")
        page.get_by_label("Rest there [s]").blur()
    wait_for(lambda: {row["dwell"] for row in taught_rows(app)} == {1.5}, "the rests")
    choose_linear_by_keyboard(app, page)
    page.get_by_test_id("run").click()
    page.get_by_test_id("pause").wait_for()
    near = np.full(3, np.inf)
    marked = set()
    while app.get("/api/teach")["progress"]["mode"] == "running":
        near = np.minimum(near, np.abs(joints(app) - np.array(taught)).max(axis=1))
        marked |= set(page.locator(".taught.active .taught-name").all_inner_texts())
    page.get_by_test_id("progress").get_by_text("finished").wait_for()
    np.testing.assert_allclose(joints(app), taught[-1], atol=1e-3)
    assert near[:2].max() < 0.02
    assert {"Position 1", "Position 3"} <= marked


def test_script_in_a_name_is_only_text(app, page):
    """The name stands on the page as it was written and runs nothing when it holds a script."""
    evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'
    page.get_by_test_id("save-position").click()
    page.get_by_test_id("position").click()
    page.get_by_test_id("edit-name").fill(evil)
    page.get_by_test_id("edit-name").press("Enter")
    page.get_by_test_id("edit-name").blur()
    name = page.get_by_test_id("position-name")
    wait_for(lambda: name.inner_text() == evil, "the name to be shown as text")
    assert page.evaluate("window.hit") is None
    page.reload()
    page.get_by_test_id("tab-Positions").click()
    wait_for(lambda: name.inner_text() == evil, "the name after reloading")
    assert page.evaluate("window.hit") is None


def titles(found):
    """Return the titles of elements."""
    return found.evaluate_all("found => found.map((one) => one.title)")


def test_order_step_pause_and_stop(app, page):
    """Positions change places, one move is made, and the red button ends a run."""
    for name in ("jog-up-1", "jog-up-1"):
        jog(page, app, name)
        page.get_by_test_id("save-position").click()
        page.get_by_text("Saved").wait_for()
    page.get_by_test_id("tab-Positions").click()
    page.get_by_test_id("position").nth(1).get_by_role("button").first.click()
    page.get_by_test_id("up").click()
    names = page.get_by_test_id("position-name")
    wait_for(lambda: names.all_inner_texts() == ["Position 2", "Position 1"], "the new order")
    page.get_by_test_id("edit-speed").fill("3")
    wait_for(lambda: app.get("/api/teach")["program"]["positions"][0]["speed"] == 0.03, "3 %")
    page.get_by_test_id("step").click()
    page.get_by_test_id("progress").get_by_text("at “Position 2”").wait_for()
    page.get_by_test_id("program-line").get_by_text("at Position 2, 1 of 2").wait_for()
    marks = page.get_by_test_id("program-line").locator(".mark")
    wait_for(lambda: titles(marks) == ["Position 2", "Position 1"], "a mark for each")
    assert page.get_by_label("program time").is_disabled()
    page.get_by_test_id("loop").click()
    page.get_by_test_id("end").click()
    page.get_by_test_id("run").get_by_text(
        "Run"
    ).wait_for()  # the end may come after the next click
    with heartbeats(app, page):
        page.get_by_test_id("run").click()
        page.get_by_test_id("pause").click()
        wait_for(lambda: app.get("/api/teach")["progress"]["mode"] == "paused", "the pause")
        page.get_by_test_id("run").click()
        page.get_by_test_id("pause").wait_for()
        page.get_by_test_id("stop").click()
    wait_for(lambda: app.get("/api/teach")["progress"]["mode"] == "idle", "the run to end")
    wait_for(lambda: not app.get("/api/state")["moving"], "the arm to rest")


def test_program_is_saved_opened_and_exported(app, page, tmp_path):
    """The same positions come back when a program is saved and opened, here and as a file."""
    page.get_by_test_id("save-position").click()
    page.get_by_text("Saved Position 1.").wait_for()
    page.get_by_test_id("program-name").fill("my pick")
    page.get_by_test_id("program-name").press("Enter")
    wait_for(lambda: app.get("/api/teach")["program"]["name"] == "my pick", "the name")
    before = app.get("/api/teach")["program"]
    page.get_by_test_id("save").click()
    page.get_by_text("Saved as my pick.").wait_for()
    page.get_by_test_id("export").click()
    with page.expect_download() as waiting:
        page.get_by_test_id("export-program.script").click()
    script = waiting.value.path().read_text()
    assert waiting.value.suggested_filename == "my pick.program.script"
    assert script.startswith("def taught_my_pick():") and "movej([" in script
    with page.expect_download() as waiting:
        page.get_by_test_id("export-program.json").click()
    file = tmp_path / "mine.json"
    waiting.value.save_as(file)
    page.get_by_role("button", name="New", exact=True).click()
    page.get_by_text("No positions yet").wait_for()
    page.get_by_test_id("open").click()
    page.get_by_test_id("saved").get_by_text("my pick").click()
    page.get_by_test_id("saved").wait_for(state="hidden")
    assert app.get("/api/teach")["program"] == before
    page.get_by_test_id("open").click()
    page.get_by_test_id("program-file").set_input_files(file)
    page.get_by_test_id("saved").wait_for(state="hidden")
    assert app.get("/api/teach")["program"] == before
    foreign = tmp_path / "foreign.json"
    foreign.write_text(json.dumps({**before, "arm": "desktop5"}))
    page.get_by_test_id("open").click()
    page.get_by_test_id("program-file").set_input_files(foreign)
    page.get_by_test_id("message").get_by_text("taught to 'desktop5'").wait_for()
    cut = tmp_path / "cut.json"
    cut.write_text(file.read_text()[:60])
    page.get_by_test_id("program-file").set_input_files(cut)
    page.get_by_test_id("message").get_by_text("no program, or only a part").wait_for()
