"""Lines on the script ports other than URScript: power, stop and unlock, as UR's clients send."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from armtwin.robots.ur_controller.ports.intake import LATER, Step

if TYPE_CHECKING:
    from armtwin.robots.ur_controller.controller import VirtualController

LONGEST = 80
"""Characters of a line that may be one of these."""
_OUTPUT = re.compile(r"digital_out\[(\d+)\]\s*=\s*(true|false)")
_SPEED = re.compile(r"set speed (\d*\.?\d+)")
OUTPUTS = 18
"""Digital outputs: 8 standard, 8 configurable, 2 at the tool."""
LONGEST_OLDER = 1000
"""Characters of a line in an older spelling."""
_OLDER = (
    (re.compile(r"(\s*speed[jl]\([^()]*, *)t_min( *=)"), r"\1t\2"),
    (re.compile(r"(\s*set_payload\([^(),]*, *)\(([^()]*)\)"), r"\1[\2]"),
)
"""Spellings of older releases that urx sends, and those of today."""


def controller_line(controller: VirtualController, text: str) -> Iterator[Step] | None:
    """Return the steps that carry out a line; None if it is not one of these."""
    if len(text) > LONGEST:
        return None
    words = " ".join(text.lower().split())
    if words in ("unlock protective stop", "set unlock protective stop"):
        return _unlock(controller)
    action = _actions(controller).get(words) or _with_number(controller, words)
    return None if action is None else _at_once(action)


def current_syntax(text: str) -> str:
    """Return a line of URScript in the current syntax; programs are not changed."""
    for pattern, today in _OLDER if len(text) <= LONGEST_OLDER and text.count("\n") <= 1 else ():
        text = pattern.sub(today, text, count=1) if pattern.match(text) else text
    return text


def _actions(controller: VirtualController) -> dict[str, Callable[[], object]]:
    panel = controller.panel
    return {
        "power on": panel.power_on,
        "power off": panel.power_off,
        "set robotmode run": panel.brake_release,
        "set robotmode idle": panel.power_on,
        "set robotmode off": panel.power_off,
        "stop program": panel.stop,
        "pause program": panel.pause,
        "resume program": panel.play,
        # The virtual robot is both: it moves, and there is no other arm to switch to.
        "set sim": lambda: None,
        "set real": lambda: None,
        # Older clients send it behind a program, which runs without it.
        "run program": lambda: None,
    }


def _with_number(controller: VirtualController, words: str) -> Callable[[], object] | None:
    """Return the setting of a line with a number."""
    output, speed = _OUTPUT.fullmatch(words), _SPEED.fullmatch(words)
    if output and int(output[1]) < OUTPUTS:
        number, on = int(output[1]), output[2] == "true"
        return lambda: controller.io.set_digital(number, on)
    if speed:
        fraction = float(speed[1])
        return lambda: controller.io.set_slider(fraction)
    return None


def _at_once(action: Callable[[], object]) -> Iterator[Step]:
    action()
    yield None


def _unlock(controller: VirtualController) -> Iterator[Step]:
    """End a protective stop once the arm is at rest; the dashboard's 5 s do not apply here."""
    while not controller.idle:
        yield LATER
    controller.panel.unlock_protective_stop(at_once=True)
