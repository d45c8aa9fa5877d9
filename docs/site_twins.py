"""Live twins of the site: pages of ``at.view`` that other pages show in a frame.

A page asks for one by a comment of its own line, which other readers of the Markdown do not see::

    <!-- twin: check: What to try in it. -->

The twins are made when the site is built and need no network.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

import armtwin as at
from armtwin.dynamics.drives import friction
from armtwin.simulation.as_built import as_built

MARK = re.compile(r"^<!-- twin: (\w+): (.+?) -->$", re.MULTILINE | re.DOTALL)
STYLE = "width:100%;height:34rem;border:1px solid #8886;border-radius:4px"
FRAME = """<figure markdown="0" style="width:100%;margin:1em 0">
<iframe src="{file}" title="{title}" loading="lazy" style="{style}"></iframe>
<figcaption style="max-width:none">{caption} <a href="{file}">Open it alone</a>.</figcaption>
</figure>"""
POSTURE = np.array([0.2, -1.3, 1.4, -1.2, -1.4, 0.3])
"""Middle of the recorded motions, a bent arm with the tool downwards [rad]."""
SWING, PACE = 0.4, 1.1
"""Amplitude [rad] and angular frequency [rad/s] of every joint."""
ROWS, RATE = 600, 100.0


def arm_alone() -> at.View:
    """Return a UR10e without a recording."""
    return at.view("ur10e")


def check() -> at.View:
    """Return a UR10e beside one with geometric errors (0.3 mm in lengths, 0.5 mrad in zeros)."""
    arm = at.load("ur10e")
    recording = moved(as_built(arm, seed=3), "an arm with geometric errors", "position")
    return compared(arm, recording, "position=2mm")


def payload() -> at.View:
    """Return a UR5e beside one that carries 1.5 kg."""
    arm = at.load("ur5e-energy")
    loaded = at.with_payload(arm, 1.5)
    return compared(arm, moved(loaded, "an arm with a payload", "tau"), "tau=0.5Nm")


TWINS: dict[str, Callable[[], at.View]] = {"arm": arm_alone, "check": check, "payload": payload}


def compared(arm: at.Arm, recording: at.Recording, limit: str) -> at.View:
    """Return the page of an arm and a recording, judged by one limit."""
    options = at.ValidateOptions(limits=(limit,))
    return at.view(arm, recording, options=options, contacts=False)


def moved(real: at.Arm, name: str, signal: str) -> at.Recording:
    """Return a recording of an arm whose joints swing, computed without noise.

    Args:
        real: the arm that is recorded.
        name: of the recording.
        signal: what is recorded beside the joints: ``position`` or ``tau``.
    """
    time = np.arange(ROWS) / RATE
    phase = PACE * time[:, None] + np.arange(real.dof)
    q, qd, qdd = (
        POSTURE + SWING * np.sin(phase),
        SWING * PACE * np.cos(phase),
        -SWING * PACE**2 * np.sin(phase),
    )
    motion = {"q": q, "qd": qd, "qdd": qdd}
    if signal == "position":
        found = at.fk(real, q)[:, :3, 3]
    else:
        inertial = at.inverse_dynamics(real, q, qd, qdd)
        found = inertial + friction(real, qd, inertial)
    return at.Recording.of(time, {**motion, signal: found}, arm=real.name, origin=name)


def placed(text: str, up: str = "") -> str:
    """Return a page whose comments that ask for twins are frames.

    Args:
        text: the page.
        up: path from the page's folder to the site's root, for example ``../``.
    """

    def frame(mark: re.Match[str]) -> str:
        name, caption = mark[1], " ".join(mark[2].split())
        if name not in TWINS:
            raise SystemExit(f"no twin is called {name!r}; there are {', '.join(TWINS)}")
        file, words = f"{up}twins/{name}.html", html.escape(caption)
        return FRAME.format(file=file, title=f"Live twin: {name}", caption=words, style=STYLE)

    return MARK.sub(frame, text)


def write(folder: Path) -> None:
    """Write the page of every twin into a folder."""
    folder.mkdir()
    for name, made in TWINS.items():
        made().save(folder / f"{name}.html")
