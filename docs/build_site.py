"""Build the documentation site: ``python docs/build_site.py [--out site]``.

Pages of docs/ are copied beside generated reference pages (Python names, commands, REST, errors,
environment variables, examples) into build/site_pages and rendered by Zensical into one folder that
needs no network: open site/index.html. Live twins (``site_twins``) are made beside them. Zensical
is the successor of Material for MkDocs, whose maintenance ended in November 2026, by the same
authors.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import site_math
import site_notebooks as notebooks
import site_reference as reference
import site_rest
import site_twins as twins

ROOT = Path(__file__).parents[1]
DOCS, PAGES = ROOT / "docs", ROOT / "build" / "site_pages"
TOP = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
REMOTE_SHIM = re.compile(r'<script src="https://unpkg\.com/iframe-worker/shim"[^>]*></script>')
WORKER_SHIM = """// The text of the search worker, for pages opened from the file system.
if (location.protocol === "file:") {
  const text = %s;
  const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const Plain = window.Worker;
  window.Worker = class extends Plain { constructor() { super(url); } };
}
"""
PROBLEM = re.compile(r"^(?:warning|error)\b", re.IGNORECASE | re.MULTILINE)


def main() -> None:
    """Build the site and say where it is."""
    options = argparse.ArgumentParser(description="Build the documentation site.")
    options.add_argument("--out", type=Path, default=ROOT / "site", help="folder of the site")
    out = options.parse_args().out.resolve()
    gather_pages()
    build(out)
    count = sum(1 for _ in out.rglob("*.html"))
    sys.stdout.write(f"{count} pages: open {out / 'index.html'}\n")


def gather_pages() -> None:
    """Write every page of the site as Markdown to build/site_pages."""
    shutil.rmtree(PAGES, ignore_errors=True)
    (PAGES / "reference").mkdir(parents=True)
    shutil.copytree(DOCS / "pictures", PAGES / "pictures")
    shutil.copy(DOCS / "site.css", PAGES)
    for page in DOCS.glob("*.md"):
        text = twins.placed(local_links(site_math.displayed(page.read_text("utf-8"))))
        (PAGES / page.name).write_text(text, "utf-8")
    (PAGES / "guides").mkdir()
    for page in (DOCS / "guides").glob("*.md"):  # their links stay within docs/
        text = twins.placed(page.read_text("utf-8"), up="../")
        (PAGES / "guides" / page.name).write_text(text, "utf-8")
    for name, page_name in TOP.items():
        text = (ROOT / name).read_text("utf-8")
        (PAGES / page_name).write_text(local_links(text, from_root=True), "utf-8")
    generated = reference.pages() | {"rest.md": site_rest.rest_page()}
    for name, text in generated.items():
        (PAGES / "reference" / name).write_text(text, "utf-8")
    (PAGES / "notebooks").mkdir()
    for name, text in notebooks.pages().items():
        (PAGES / "notebooks" / name).write_text(text, "utf-8")


def local_links(text: str, *, from_root: bool = False) -> str:
    """Return a page whose links stay within the site; paths of source files become code.

    Args:
        text: the page.
        from_root: the page lies in the repository's root, not in docs/.
    """

    def replaced(link: re.Match[str]) -> str:
        label, target = link.groups()
        if target.startswith(("http", "#", "mailto:")):
            return link.group()
        path, _, part = target.partition("#")
        path = path.removeprefix("docs/") if from_root else path.removeprefix("../")
        if path.endswith(".ipynb"):
            return f"[{label}]({Path(path).with_suffix('.md').as_posix()})"
        if path.rstrip("/") == "examples" or path.startswith("examples/"):
            return f"[{label}](reference/examples.md)"
        path = TOP.get(path, path)
        if not path or (DOCS / path).is_file() or path in TOP.values():
            return f"[{label}]({path}{'#' + part if part else ''})"
        return label if label.startswith("`") else f"`{path}`" if "/" in label else label

    return LINK.sub(replaced, text)


def build(out: Path) -> None:
    """Render the pages with Zensical and move the result to ``out``; any warning is an error."""
    made = PAGES.parent / "site"
    shutil.rmtree(made, ignore_errors=True)
    command = [sys.executable, "-m", "zensical", "build", "--clean", "-f", "zensical.toml"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    said = run.stdout + run.stderr
    if run.returncode or PROBLEM.search(said):
        sys.exit(f"the site was not built:\n{said}")
    search_from_files(made)
    twins.write(made / "twins")
    if out.exists():
        shutil.rmtree(out)
    shutil.move(made, out)


def search_from_files(site: Path) -> None:
    """Let the search run in pages that are opened from the file system.

    Browsers load no worker from ``file:`` addresses. The theme asks a server in the network for a
    substitute; here the worker's text is part of the site and becomes a worker by a blob.
    """
    worker = next((site / "assets" / "javascripts" / "workers").glob("search.*.js"))
    shim = WORKER_SHIM % json.dumps(worker.read_text("utf-8"))
    (site / "assets" / "javascripts" / "worker_shim.js").write_text(shim, "utf-8")
    for page in site.rglob("*.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        local = f'<script src="{up}assets/javascripts/worker_shim.js"></script>'
        text, count = REMOTE_SHIM.subn(local, page.read_text("utf-8"))
        if count != 1 and page.name != "404.html":
            sys.exit(f"{page}: {count} worker substitutes found, 1 expected: a new theme?")
        page.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
