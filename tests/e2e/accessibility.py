"""axe-core, from the front end's packages, over a page that is open in a browser."""

from pathlib import Path

import pytest

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
CONTRAST = ["color-contrast"]
"""The rule that light and dark pages can differ in."""


def add_axe(page):
    """Load axe-core with every address that the page opens from now on, whatever its policy."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: python requirements/build_web.py")
    page.add_init_script(path=AXE)


def faults(page, rules=None):
    """Return what axe-core finds, one line for each rule: all rules, or those named."""
    only = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    found = page.evaluate("only => axe.run(document, {resultTypes: ['violations'], ...only})", only)
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: "
        + "; ".join(f"{node['target']} {node['html'][:120]}" for node in one["nodes"][:5])
        for one in found["violations"]
    ]
