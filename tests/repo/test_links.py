"""Every relative link of the documents leads to a file, and to a heading where it names one."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def links(text):
    """Return the relative links of a page, those in code blocks left out."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return [link for link in LINK.findall(prose) if not re.match(r"[a-z]+:", link)]


def anchors(text):
    """Return the anchors of a page's headings, made as on GitHub."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def resolves(page, file, anchor):
    """Return whether the file beside the page exists and has the heading, where one is named."""
    target = page.parent / file if file else page
    return target.exists() and (not anchor or anchor in anchors(target.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_resolve(page):
    """The file and the heading exist when a page links to them."""
    found = links(page.read_text(encoding="utf-8"))
    broken = [link for link in found if not resolves(page, *link.partition("#")[::2])]
    assert broken == []


def test_links_stay_inside_the_repository():
    """No link leads out of the repository when all pages are read."""
    outside = [
        (page.name, link)
        for page in PAGES
        for link in links(page.read_text(encoding="utf-8"))
        if not (page.parent / link.partition("#")[0]).resolve().is_relative_to(ROOT)
    ]
    assert outside == []


def test_index_names_every_document():
    """The entry page links to each document when the documents are listed."""
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    names = {page.name for page in PAGES if page.parent.name == "docs"} - {"index.md"}
    assert names - set(links(index)) == set()


@pytest.mark.parametrize("link", ["missing.md", "index.md#no-such-heading"])
def test_broken_link_is_seen(link, tmp_path):
    """A link counts as broken when its file or its heading is missing."""
    page = tmp_path / "page.md"
    page.write_text(f"[a]({link})", encoding="utf-8")
    (tmp_path / "index.md").write_text("# A heading", encoding="utf-8")
    with pytest.raises(AssertionError):
        test_relative_links_resolve(page)
