"""The documentation site: complete, without dead links, and readable without a network."""

import importlib.util
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from browsers import browser_context, chromium, needs_browser

import armtwin
from armtwin.app.control.session import Session
from armtwin.app.server.app_settings import AppSettings
from armtwin.app.server.server import create
from armtwin.robots.simulated_arm import SimulatedArm

pytest.importorskip("zensical", reason="the site generator is not installed")

ROOT = Path(__file__).parents[2]
LINK = re.compile(r'<a\s[^>]*?href="([^"]+)"')
FRAMED = re.compile(r'<iframe\s[^>]*?src="([^"]+)"')
LOADED = re.compile(r'<(?:script|link|img)\s[^>]*?(?:src|href)="([^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the site as its command builds it."""
    out = tmp_path_factory.mktemp("site") / "site"
    command = [sys.executable, "docs/build_site.py", "--out", str(out)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return out


@pytest.fixture(scope="module")
def pages(site):
    """Return the text of every page by its path; live twins are pages of their own kind."""
    found = (path for path in site.rglob("*.html") if path.parent.name != "twins")
    return {path: path.read_text("utf-8") for path in found}


def test_every_page_of_the_documentation_is_in_the_navigation():
    """The navigation names every page of docs/ when one is added."""
    named = (ROOT / "zensical.toml").read_text("utf-8")
    missing = [page.name for page in (ROOT / "docs").glob("*.md") if f'"{page.name}"' not in named]
    assert missing == []


def test_links_lead_to_pages(site, pages):
    """Every link within the site leads to a file, and to a heading that exists."""
    dead = []
    for page, text in pages.items():
        for link in map(unescape, LINK.findall(text)):
            path, _, part = link.partition("#")
            if page.name == "404.html" or re.match(r"[a-z]+:", link):
                continue
            target = (page.parent / unquote(path)).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            if target.parent == site / "twins" and target.is_file():
                continue
            found = pages.get(target)
            if found is None or (part and f'id="{unquote(part)}"' not in found):
                dead.append(f"{page.relative_to(site)}: {link}")
    assert dead == []


def test_nothing_is_loaded_from_a_network(site, pages):
    """No page names a script, style or picture of another place."""
    asked = {link for text in pages.values() for link in LOADED.findall(text)}
    assert [link for link in asked if re.match(r"(https?:)?//", link)] == []


def test_twins_are_shown(site, pages):
    """Every twin is framed by a page, and every frame has its file, when the site is built."""
    framed = {
        (page.parent / source).resolve()
        for page, text in pages.items()
        for source in FRAMED.findall(text)
    }
    assert framed == set((site / "twins").iterdir())
    assert not any("<!-- twin" in text for text in pages.values())


def test_reference_has_every_public_name(pages):
    """The reference shows every name of ``armtwin`` when the site is built."""
    text = "".join(page for path, page in pages.items() if path.parent.name == "reference")
    names = {name for name in armtwin._PUBLIC if f'.{name}"' not in text}
    assert names == set()


def test_rest_page_has_every_request(site):
    """The reference shows every request of the app when the site is built."""
    text = unescape((site / "reference" / "rest.html").read_text("utf-8"))
    paths = {path for path in app_description()["paths"] if path not in text}
    assert paths == set()


def app_description():
    """Return the OpenAPI description of the app."""
    app = create(Session(SimulatedArm(armtwin.load("ur5e"))), AppSettings(), pages=False)
    return app.openapi()


def test_environment_variables_are_listed():
    """The reference lists exactly the environment variables that the source reads."""
    place = ROOT / "docs" / "site_reference.py"
    spec = importlib.util.spec_from_file_location("site_reference", place)
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    assert reference.variables_read() == set(reference.VARIABLES)


@needs_browser
def test_search_and_equations_in_pages_from_the_file_system(site):
    """The search finds a page and equations are drawn when the site is opened from a folder."""
    asked = []
    with chromium() as browser, browser_context(browser) as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.keyboard.press("/")
        page.keyboard.type("momentum observer")
        found = page.locator("dialog", has_text=re.compile(r"\d+ results"))
        found.get_by_text("Collisions").first.wait_for()
        page.goto((site / "reference" / "motion.html").as_uri())
        assert page.locator("math").first.bounding_box()["height"] > 5
        check_twin(browser, site / "guides" / "payload.html")
    assert [url for url in asked if url.startswith("http")] == []


def check_twin(browser, place):
    """Check that a page's twin draws and computes, at the size of a phone in the dark."""
    phone = {"width": 390, "height": 844}
    with browser_context(browser, viewport=phone, color_scheme="dark") as context:
        page = context.new_page()
        page.goto(place.as_uri())
        page.locator("iframe").scroll_into_view_if_needed()
        page.frame_locator("iframe").locator("[data-ready=yes]").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
