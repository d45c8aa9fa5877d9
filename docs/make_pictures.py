"""Draws the pictures of the README and the docs: ``python docs/make_pictures.py [FOLDER]``."""

from __future__ import annotations

import sys
from pathlib import Path

import armtwin
from armtwin.report.charts.arm_pictures import draw_arm


def main(folder: Path) -> None:
    """Draw every picture into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    arm = armtwin.load("ur10e")
    q = armtwin.Circle(radius=0.2, period=4, seconds=8).motion(arm).q
    path = armtwin.fk(arm, q)[:, :3, 3]
    title = f"{arm.title}: links from its DH table, tool path of a 0.2 m circle"
    draw_arm(arm, q[len(q) // 4], folder / "ur10e.png", path=path, title=title)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "pictures")
