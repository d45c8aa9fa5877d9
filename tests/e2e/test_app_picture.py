"""The README's first picture, taken again."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from browsers import CHROMIUM, needs_browser
from PIL import Image

ROOT = Path(__file__).parents[2]


@needs_browser
def test_picture_is_taken_by_its_script(tmp_path):
    """Desk and phone with an arm in them, as large as the kept one, when the script runs."""
    place = tmp_path / "programs"
    place.mkdir()
    (place / "chromium").symlink_to(CHROMIUM)
    variables = os.environ | {"PATH": f"{place}{os.pathsep}{os.environ['PATH']}"}
    script = [
        sys.executable,
        str(ROOT / "docs" / "make_app_picture.py"),
        str(tmp_path / "app.webp"),
    ]
    subprocess.run(script, check=True, timeout=600, env=variables)
    with (
        Image.open(tmp_path / "app.webp") as taken,
        Image.open(ROOT / "docs" / "pictures" / "app.webp") as kept,
    ):
        assert taken.size == kept.size
        ours, theirs = (np.asarray(x.convert("L").resize((173, 84)), float) for x in (taken, kept))
    assert np.abs(ours - theirs).mean() < 12
