"""The page of ``at.view`` in Chromium: its twin computes what Python does, without a network."""

import base64
import dataclasses
import json

import numpy as np
import pytest
from browsers import browser_context
from e2e.accessibility import CONTRAST, add_axe, faults
from e2e.app_running import PHONE, needs_browser, open_page, wait_for
from viewed_run import ARM, longer, recorded

import armtwin as at
from armtwin.kinematics.inverse.structure.branch_names import sides
from armtwin.viewer.bundle import bundle_folder
from armtwin.viewer.document import MAX_PAGE

pytestmark = needs_browser
FIGURES = ("mae", "rmse", "max", "p50", "p95", "p99", "bias", "r2")
SET = """([changes]) => {
  const s = window.armtwinSession;
  s.content.sliders.forEach((slider, k) => {
    const name = `${slider.group} ${slider.name}`;
    if (name in changes) s.values[k] = changes[name];
  });
  s.compute();
  return s.result.figures;
}"""

LET_GO = """() => {
  const { simulation, content } = window.armtwinSession;
  window.armtwinSession.mode = "free";
  window.armtwinSession.q = Float64Array.from(content.home);
  simulation.drive = "none";
  simulation.start();
  simulation.stop();
  simulation.advance(0.1);
  const { q, qd } = simulation.rollout;
  window.armtwinSession.mode = "recording";
  return { q: [...q], qd: [...qd] };
}"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the view of a recording with an identified payload, and a contact added by hand."""
    fit = tmp_path_factory.mktemp("fit") / "<b>fit&.json"
    mass = {"name": "payload_mass", "value": 1.0, "low": 0.0, "high": 4.0}
    fit.write_text(json.dumps({"arm": ARM, "estimates": [mass]}), encoding="utf-8")
    run = recorded(name="<img src=x onerror=alert(1)>")
    view = at.view(ARM, run, contacts=False, identified=fit)
    push = {"time": 2.0, "end": 2.4, "joint": 1, "torque": -12.5, "text": "-12.5 Nm at joint 2"}
    return dataclasses.replace(view, content={**view.content, "contacts": [push]})


@pytest.fixture(scope="module")
def file(made, tmp_path_factory):
    """Return the saved page."""
    return made.save(tmp_path_factory.mktemp("view") / "twin.html")


@pytest.fixture(scope="module")
def page(browser, file):
    """Return the page, opened at the size of a desk; errors and requests elsewhere fail."""
    asked, refused = [], []
    with browser_context(browser, viewport={"width": 1440, "height": 900}) as context:
        opened = context.new_page()
        opened.on("request", lambda request: asked.append(request.url))
        opened.on("console", lambda line: refused.append(line.text) if line.type == "error" else 0)
        opened.on("pageerror", lambda error: refused.append(str(error)))
        opened.goto(file.as_uri())
        opened.wait_for_selector("[data-ready=yes]")
        opened.wait_for_selector("[data-posed]")
        yield opened
    assert [url for url in asked if not url.startswith(("file:", "blob:", "data:"))] == []
    assert refused == []


def check_figures(found, table):
    """Check that the page's figures are Python's to 1e-9."""
    rows = {row["signal"]: row for row in found}
    assert list(rows) == [row.signal for row in table]
    for row in table:
        for name in FIGURES:
            expected = getattr(row, name)
            if expected is None:
                assert rows[row.signal][name] is None
            else:
                assert rows[row.signal][name] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_page_is_small(file, made):
    """At least 0.4 of 1.5 MB are left to the recording when an arm has no meshes."""
    packed = len(made.content["recording"]["packed"]["data"])
    assert file.stat().st_size <= MAX_PAGE == 1_500_000
    assert file.stat().st_size - packed <= MAX_PAGE - 400_000


def test_figures_equal_pythons(page, made):
    """Figures in the page are those of validate to 1e-9 when nothing was changed."""
    check_figures(page.evaluate(SET, [{}]), made.check.table)
    assert page.evaluate("armtwinSession.verdict") == "passed"


def test_figures_follow_sliders(page, made):
    """Figures are those of validate with another arm when sliders change payload and geometry."""
    arm = made.arm
    row = int(np.argmax([abs(joint.a) for joint in arm.joints]))
    loaded = at.with_payload(longer(arm, 0.003), 2.0, com=[0.0, 0.0, 0.05])
    changes = {
        "Payload mass": 2.0, "Payload centre z": 0.05,
        f"Link lengths a{row + 1}": loaded.joints[row].a,
    }  # fmt: skip
    found = page.evaluate(SET, [changes])
    check_figures(found, at.validate(loaded, recorded()).table)
    page.evaluate("armtwinSession.resetSliders()")


def test_verdict_changes_with_a_slider(page):
    """The verdict in the header turns to failed when a link is made much too long."""
    page.get_by_role("tab", name="Adjust").click()
    page.locator("details", has_text="Tool").locator("summary").last.click()
    page.evaluate(SET, [{"Tool z": 0.1}])
    page.wait_for_selector("header [data-verdict=failed]")
    page.get_by_role("button", name="Reset all").click()
    page.wait_for_selector("header [data-verdict=passed]")


def test_inverse_kinematics_reach_the_pose(page, made):
    """Joints that the page finds give the wanted pose in Python when the tool is dragged."""
    q = np.array([0.3, -1.1, 1.3, -1.5, -1.2, 0.4])
    where = at.tool_coordinates(made.arm, q)
    goal = {"position": where.position.tolist(), "quaternion": where.quaternion.tolist()}
    start = (q + 0.05).tolist()
    found = page.evaluate("([g, s]) => [...armtwinSession.arm.reach(g, s).q]", [goal, start])
    reached = at.tool_coordinates(made.arm, found)
    np.testing.assert_allclose(reached.position, where.position, atol=1e-9)
    np.testing.assert_allclose(reached.quaternion, where.quaternion, atol=1e-9)
    bent = page.evaluate("q => [...armtwinSession.arm.sides(q)]", found)
    np.testing.assert_allclose(bent, sides(made.arm, np.array(found)), atol=1e-9)


def test_forward_dynamics_equal_pythons(page, made, monkeypatch):
    """The arm let go in the page moves as in ``rollout`` to 1e-9 when it has a payload."""
    monkeypatch.setenv("ARMTWIN_TARGET", "numpy")
    loaded = at.with_payload(made.arm, 2.0, com=[0.0, 0.0, 0.05])
    page.evaluate(SET, [{"Payload mass": 2.0, "Payload centre z": 0.05}])
    found = page.evaluate(LET_GO)
    tau = np.zeros((200, 6))
    expected = at.rollout(loaded, made.content["home"], np.zeros(6), tau)
    np.testing.assert_allclose(found["q"], expected.q[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found["qd"], expected.qd[-1], rtol=0, atol=1e-9)
    page.evaluate("armtwinSession.resetSliders()")


def test_arm_is_let_go(page):
    """The arm falls until it is held, and the page says how far, when it is let go."""
    page.get_by_role("tab", name="Move").click()
    page.get_by_label("Torques of the motors").select_option("none")
    page.get_by_role("button", name="Let go").click()
    wait_for(lambda: page.evaluate("armtwinSession.simulation.time") > 0.05, "the arm to fall")
    if page.evaluate("armtwinSession.simulation.running"):
        page.get_by_role("button", name="Hold").click()
    assert "s simulated; tool" in page.get_by_test_id("simulated").inner_text()
    page.get_by_role("button", name="Back to the recording").click()


def test_branches_are_drawn_and_chosen(page, made):
    """Every branch is a ghost but the arm's own, and one is taken, when branches are shown."""
    page.evaluate("armtwinSession.clock.seek(1)")
    page.get_by_test_id("show-branches").click()
    listed = page.locator("[data-testid^=branch-]")
    listed.first.wait_for()
    count = listed.count()
    pose = at.fk(made.arm, page.evaluate("[...armtwinSession.jointsAt(1)]"), ignore_limits=True)
    assert count == len(at.ik(made.arm, pose).q) > 1
    page.wait_for_selector(f"[data-branches='{count - 1}']")
    listed.nth(1).click()
    taken = page.evaluate("[...armtwinSession.q]")
    np.testing.assert_allclose(at.fk(made.arm, taken, ignore_limits=True), pose, atol=1e-9)
    page.get_by_test_id("show-branches").click()
    page.get_by_role("button", name="Back to the recording").click()


def test_ranges_name_their_source(page):
    """The page says where an interval comes from, as text, when one was given."""
    page.get_by_role("tab", name="Adjust").click()
    assert "95 % intervals of <b>fit&.json" in page.get_by_test_id("ranges").inner_text()
    mass = page.get_by_label("mass", exact=False).first
    assert (mass.get_attribute("min"), mass.get_attribute("max")) == ("0", "4")


def test_keys_move_the_time(page):
    """Time steps by a sample, and plays, when arrows and space are pressed."""
    page.evaluate("document.activeElement.blur(); armtwinSession.clock.seek(1)")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("armtwinSession.clock.time") == pytest.approx(1.01)
    page.keyboard.press("Shift+ArrowLeft")
    assert page.evaluate("armtwinSession.clock.time") == pytest.approx(0.91)
    page.keyboard.press("Space")
    wait_for(lambda: page.evaluate("armtwinSession.clock.time") > 1.2, "the time to run")
    page.keyboard.press("Space")
    assert page.evaluate("armtwinSession.clock.playing") is False


def test_contact_is_listed_and_shown(page):
    """The clock goes to a contact when it is clicked in the results."""
    page.get_by_role("tab", name="Results").click()
    page.get_by_role("button", name="2.00 s: -12.5 Nm").click()
    assert page.evaluate("armtwinSession.clock.time") == 2.0
    assert page.locator(".mark.contact").count() == 1


def test_jogging_leaves_the_recording(page):
    """The arm is moved by hand, and returns, when a joint's slider is used."""
    page.get_by_role("tab", name="Move").click()
    page.get_by_label("J1", exact=False).first.press("ArrowRight")
    page.get_by_role("button", name="Back to the recording").click()
    assert page.evaluate("armtwinSession.mode") == "recording"


def test_page_fits_a_phone(browser, file):
    """Nothing is wider than the screen, and axe-core finds nothing, when a phone opens the page."""
    options = {"viewport": PHONE, "has_touch": True, "reduced_motion": "reduce"}
    with open_page(browser, "about:blank", **options) as page:
        add_axe(page)
        page.goto(file.as_uri())
        page.wait_for_selector("[data-ready=yes]")
        page.get_by_role("tab", name="Play").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert page.get_by_role("heading", level=1).count() == 1
        for theme, rules in (("light", None), ("dark", CONTRAST)):
            page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
            for tab in ("Results", "Play", "Adjust", "Move"):
                page.get_by_role("tab", name=tab).click()
                assert faults(page, rules) == []


def test_widget_shows_the_same_figures(browser, made):
    """The notebook's module shows the page with Python's figures when a model hands it the data."""
    code = base64.b64encode((bundle_folder("notebook") / "widget.js").read_bytes()).decode()
    with open_page(browser, "about:blank") as page:
        page.set_content("<div id=cell></div>")
        page.evaluate(
            """async ([code, content]) => {
              const widget = (await import(`data:text/javascript;base64,${code}`)).default;
              const el = document.getElementById("cell");
              const none = () => undefined;
              const get = (name) => ({ content, time: 0, numbers: {}, verdict: "" })[name];
              const model = { get, set: none, on: none, off: none, save_changes: none };
              await widget.render({ model, el });
            }""",
            [code, made.content],
        )
        page.wait_for_selector("[data-ready=yes] [data-posed]")
        page.locator("details", has_text="How this was computed").locator("summary").click()
        deviation = page.locator("[data-deviation]").get_attribute("data-deviation")
        assert float(deviation) < 1e-9
