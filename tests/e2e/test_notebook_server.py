"""Views in a real notebook: JupyterLab, its kernel and Chromium."""

import contextlib
import io

import numpy as np
import pytest
from browsers import browser_context, needs_browser
from e2e.lab_running import open_notebook, run_cell, running_lab, write_notebook
from viewed_run import ARM, recorded

pytest.importorskip("jupyterlab", reason="jupyterlab is not installed")
image = pytest.importorskip("PIL.Image", reason="pillow is not installed")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = needs_browser
ROWS = 200
CELLS = [
    f'import armtwin as at\nat.view("{ARM}", "run.csv", contacts=False)',
    f'energy = at.ledger("{ARM}", "run.csv").view().widget()\nenergy',
    'print("time", round(energy.time, 2), "numbers", energy.numbers)',
    "energy.time = 0.5\nenergy.numbers = {}",
    "typed",
]
VIEW, RESULT, ASK, SET, TYPED = range(len(CELLS))
READY = ".armtwin-cell[data-ready=yes]"


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """Return the notebook in JupyterLab; errors, and requests elsewhere, fail at the end."""
    folder, home = tmp_path_factory.mktemp("notebook"), tmp_path_factory.mktemp("home")
    recorded(ROWS).save(folder / "run.csv")
    write_notebook(folder, CELLS)
    asked, faults = [], []
    size = {"width": 1400, "height": 1000}
    with running_lab(folder, home) as address, browser_context(browser, viewport=size) as context:
        opened = context.new_page()
        opened.on("request", lambda request: asked.append(request.url))
        opened.on("websocket", lambda socket: asked.append(socket.url.replace("ws:", "http:")))
        opened.on("console", lambda line: faults.append(line.text) if line.type == "error" else 0)
        opened.on("pageerror", lambda error: faults.append(str(error)))
        open_notebook(opened, address)
        yield opened
    assert [url for url in asked if not url.startswith((address, "blob:", "data:"))] == []
    assert faults == []


def colours(canvas):
    """Return the number of different colours in the middle of what is drawn."""
    with image.open(io.BytesIO(canvas.screenshot())) as picture:
        pixels = np.asarray(picture.convert("RGB"))
    high, wide = pixels.shape[0] // 4, pixels.shape[1] // 4
    return len(np.unique(pixels[high:-high, wide:-wide].reshape(-1, 3), axis=0))


def test_cell_shows_the_twin(page):
    """The arm is drawn, the timeline runs and a slider changes the verdict when a cell views it."""
    shown = run_cell(page, VIEW).locator(READY)
    shown.locator("[data-posed]").wait_for()
    assert colours(shown.locator("canvas").first) > 50
    shown.locator("input.overview").press("End")
    assert shown.locator("output.time b").inner_text() == f"{(ROWS - 1) / 100:.2f}"
    shown.locator("header [data-verdict=passed]").wait_for()
    shown.get_by_role("tab", name="Adjust").click()
    shown.locator("summary", has_text="Tool").click()
    shown.locator("details", has_text="Tool").get_by_label("z").press("End")
    shown.locator("header [data-verdict=failed]").wait_for()


def is_answered(page, text):
    """Return whether Python gives an answer; it is asked again while the page's changes travel."""
    for _ in range(18):
        with contextlib.suppress(playwright.TimeoutError):
            run_cell(page, ASK).locator("pre").filter(has_text=text).wait_for(timeout=10_000)
            return True
    return False


def test_result_is_linked_with_python(page):
    """A result shows its page, and its traits follow both sides, when a cell shows its widget."""
    shown = run_cell(page, RESULT).locator(READY)
    shown.locator("[data-testid=sankey]").wait_for()
    shown.locator("input.overview").press("End")
    shown.get_by_role("tab", name="Adjust").click()
    shown.get_by_label("mass").press("Home")
    shown.get_by_label("mass").press("End")
    assert is_answered(page, f"time {(ROWS - 1) / 100:.2f} numbers {{'Payload mass'")
    run_cell(page, SET)
    shown.locator("output.time b", has_text="0.50").wait_for()
    shown.get_by_role("button", name="Reset all").and_(page.locator(":disabled")).wait_for()


def test_typing_stays_with_the_cell(page):
    """A space reaches the code, and the time stays, when a cell is edited below a view."""
    editor = page.locator(".jp-CodeCell").nth(TYPED).locator(".cm-content")
    editor.click()
    editor.press("End")
    page.keyboard.type(" = 1")
    editor.filter(has_text="typed = 1").wait_for()
