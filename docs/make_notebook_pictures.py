"""Makes the notebook's pictures of docs/viewer.md: ``make_notebook_pictures.py [FOLDER]``.

Starts JupyterLab with folders of its own, runs two cells in Chromium and photographs their views,
the first in the light theme, the second in the dark one.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "docs")]

from browsers import PATIENCE, chromium  # noqa: E402
from e2e.lab_running import open_notebook, run_cell, running_lab, write_notebook  # noqa: E402
from pictures_taken import take  # noqa: E402
from playwright.sync_api import Locator, Page  # noqa: E402
from viewed_run import ARM, recorded  # noqa: E402

CELLS = [
    f'import armtwin as at\n\nat.view("{ARM}", "run.csv")',
    f'at.ledger("{ARM}", "run.csv").view()',
]
SIZE = {"width": 1440, "height": 960}
COMMAND = "([name, options]) => window.jupyterapp.commands.execute(name, options)"
DARK = ["apputils:change-theme", {"theme": "JupyterLab Dark"}]


def main(folder: Path) -> None:
    """Write both pictures into a folder."""
    with tempfile.TemporaryDirectory() as place:
        work, home = Path(place, "work"), Path(place, "home")
        work.mkdir()
        home.mkdir()
        recorded().save(work / "run.csv")
        write_notebook(work, CELLS)
        with running_lab(work, home) as address, chromium() as browser:
            page = browser.new_context(viewport=SIZE).new_page()
            page.set_default_timeout(1000 * PATIENCE)
            open_notebook(page, address)
            page.evaluate(COMMAND, ["application:toggle-left-area", {}])
            for number, name in enumerate(("viewer_notebook", "viewer_notebook_dark")):
                if number:
                    page.evaluate(COMMAND, DARK)
                show(page, run_cell(page, number).locator(".armtwin-cell[data-ready=yes]"))
                take(page, folder / f"{name}.webp")


def show(page: Page, view: Locator) -> None:
    """Go to 2 s, bring the view into the window and wait for its picture."""
    view.locator("[data-posed]").wait_for()
    view.locator("input.overview").press("Home")
    for _ in range(20):
        view.locator("input.overview").press("Shift+ArrowRight")
    view.scroll_into_view_if_needed()
    view.evaluate("view => view.scrollIntoView({ block: 'end' })")
    view.locator("[data-quality=fine]").wait_for()
    page.mouse.move(5, 5)


if __name__ == "__main__":
    default = ROOT / "docs" / "pictures"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
