"""STOP in the page does not depend on drawing: the page's own thread draws nothing.

Full graphics are drawn by software here. The events are raw input of the browser: a click of
Playwright would wait for pictures. ``python -m benchmarks.stop --only page`` has the times.
"""

import contextlib

import pytest
from benchmarks.stop import Client
from benchmarks.stop_page import LISTEN, Presser
from browsers import browser_context
from e2e.app_running import DESK, needs_browser, running_app

pytestmark = needs_browser

COUNT_PICTURES = """
window.pagePictures = 0;
for (const name of ["drawElements", "drawArrays", "drawElementsInstanced"]) {
  const own = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (...given) {
    window.pagePictures += 1;
    return own.apply(this, given);
  };
}
"""
"""Counts what the page's own thread draws; a worker has prototypes of its own."""
NO_WORKER = "delete HTMLCanvasElement.prototype.transferControlToOffscreen;"


@pytest.fixture(scope="module")
def app():
    """A running app."""
    with running_app("ur5e") as found:
        yield found


@contextlib.contextmanager
def drawn_page(browser, app, script=""):
    """Open the app with full graphics, and wait until its arm is drawn."""
    with browser_context(browser, viewport=DESK) as context:
        context.add_init_script(LISTEN + COUNT_PICTURES + script)
        page = context.new_page()
        page.goto(f"{app.address}/?graphics=full")
        page.locator("[data-testid=canvas][data-drawn]").wait_for()
        yield page


def test_stop_is_heard_by_a_thread_that_draws_nothing(app, browser):
    """STOP and Escape stop the arm from a thread without pictures when the arm is drawn in full."""
    client = Client(app.address.removeprefix("http://"))
    try:
        with drawn_page(browser, app) as page:
            presser = Presser(page)
            for key in (False, True):
                client.set_out()
                stamp, _ = presser.press(key=key)
                assert client.stopped_at() > stamp
            assert page.evaluate("() => pagePictures") == 0
    finally:
        client.close()


def test_page_draws_itself_without_workers_that_can(app, browser):
    """The arm is drawn by the page's own thread when the browser cannot draw in a worker."""
    with drawn_page(browser, app, NO_WORKER) as page:
        assert page.evaluate("() => pagePictures") > 0
