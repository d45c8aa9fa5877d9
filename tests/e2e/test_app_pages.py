"""The pages as a whole: sizes, addresses, names and what a swipe may not do."""

import numpy as np
import pytest
from e2e.accessibility import CONTRAST, add_axe, faults
from e2e.app_running import PHONE, needs_browser, open_page, running_app, wait_for
from sent_arms import package

pytestmark = needs_browser
ARM_VIEWS = ("/", "/live", "/load", "/start")
VIEWS = (*ARM_VIEWS, "/teach", "/recordings", "/check", "/identify", "/energy", "/fmu")
LANDSCAPE = {"width": 844, "height": 390}


@pytest.fixture(scope="module")
def app():
    """A running app with a simulated arm."""
    with running_app("ur3e") as found:
        yield found


def test_every_view_has_the_scene_and_stop(app, browser):
    """Scene, STOP, language and one top heading are there, without faults, on every view."""
    with open_page(browser, app.address) as page:
        blocked = []
        page.on("console", lambda said: "Content Security" in said.text and blocked.append(said))
        for path in VIEWS:
            page.goto(app.address + path)
            page.get_by_test_id("canvas").wait_for()
            assert page.get_by_test_id("stop").is_visible()
            assert page.locator("html").get_attribute("lang") == "en"
            assert page.locator("h1").count() == 1
            assert page.get_by_test_id("kind").inner_text() == "SIMULATED"
        assert blocked == []


def test_every_view_is_accessible(app, browser):
    """axe-core finds nothing on any view, light or dark, on a desk and on a phone."""
    # Without motion: while a colour changes from light to dark, it has no contrast to judge.
    with open_page(browser, app.address, reduced_motion="reduce") as page:
        add_axe(page)
        found = {}
        for path in (*VIEWS, "/no/such/page"):
            page.goto(app.address + path)
            page.get_by_test_id("kind").wait_for()
            found[path] = faults(page)
            page.evaluate("document.documentElement.dataset.theme = 'dark'")
            found[f"{path} dark"] = faults(page, CONTRAST)
        page.set_viewport_size(PHONE)
        page.goto(app.address)
        page.get_by_test_id("kind").wait_for()
        found["phone"] = faults(page)
        assert {path: lines for path, lines in found.items() if lines} == {}


def test_unknown_page_has_stop_and_a_way_home(app, browser):
    """A person can stop the arm and go to it when an address does not exist."""
    with open_page(browser, app.address + "/no/such/page") as page:
        page.get_by_test_id("not-found").wait_for()
        with page.expect_response("**/api/stop") as answer:
            page.get_by_test_id("stop").click()
        assert answer.value.ok
        page.get_by_role("link", name="Go to the arm").click()
        page.get_by_test_id("joint-1").wait_for()


def test_a_swipe_over_a_slider_moves_nothing(app, browser):
    """The arm stays when a finger or a click meets a slider beside its thumb."""
    options = {"viewport": PHONE, "has_touch": True, "is_mobile": True}
    with open_page(browser, app.address, **options) as page:
        slider = page.get_by_test_id("joint-1")
        slider.scroll_into_view_if_needed()
        wait_for(slider.is_enabled, "control to be free")
        before = np.array(app.get("/api/state")["q"])
        box = slider.bounding_box()
        middle = box["y"] + box["height"] / 2
        for share in (0.1, 0.3, 0.8):
            page.touchscreen.tap(box["x"] + share * box["width"], middle)
            page.mouse.click(box["x"] + share * box["width"], middle)
        page.wait_for_timeout(500)
        np.testing.assert_array_equal(app.get("/api/state")["q"], before)


def test_landscape_phone_has_joint_controls(app, browser):
    """Scene, joints and STOP are in sight together when a phone lies on its side."""
    options = {"viewport": LANDSCAPE, "has_touch": True, "is_mobile": True}
    with open_page(browser, app.address, **options) as page:
        page.get_by_test_id("joint-1").scroll_into_view_if_needed()
        scene = page.get_by_test_id("canvas").bounding_box()
        joint = page.get_by_test_id("joint-1").bounding_box()
        stop = page.get_by_test_id("stop").bounding_box()
        assert scene["width"] > 400 and scene["height"] > 250
        assert joint["x"] > scene["x"] + scene["width"]
        assert 0 < joint["y"] < LANDSCAPE["height"] - joint["height"]
        assert stop["width"] >= 64 and stop["y"] + stop["height"] <= LANDSCAPE["height"]


def test_inspector_keeps_its_width(app, browser):
    """The inspector is as wide as a person made it when the page is opened again."""
    with open_page(browser, app.address) as page:
        divider = page.get_by_role("separator")
        before = page.locator(".inspector").bounding_box()["width"]
        for _ in range(3):
            divider.press("ArrowLeft")
        wide = page.locator(".inspector").bounding_box()["width"]
        assert wide > before + 60
        page.reload()
        page.locator(".inspector").wait_for()
        assert page.locator(".inspector").bounding_box()["width"] == wide


def test_arm_is_loaded_in_the_browser(app, browser):
    """The page shows an arm with its own joints when an archive is dropped and a tip chosen."""
    with open_page(browser, app.address + "/load") as page:
        files = {"name": "two.zip", "mimeType": "application/zip", "buffer": package()}
        page.get_by_test_id("load-file").set_input_files(files)
        page.get_by_test_id("load-tip").wait_for()
        assert page.get_by_test_id("load-base").input_value() == "world"
        assert page.get_by_test_id("load-tip").input_value() == "tool0"
        page.get_by_test_id("load-show").click()
        page.get_by_test_id("load-done").wait_for()
        page.get_by_role("link", name="Move").click()
        page.get_by_test_id("joint-2").wait_for()
        assert page.get_by_test_id("joint-3").count() == 0
        assert page.get_by_test_id("arm-name").inner_text() == "two_links"
        page.locator("[data-testid=canvas][data-posed]").wait_for()
        assert app.get("/api/arms/shown/description")["meshes"]
