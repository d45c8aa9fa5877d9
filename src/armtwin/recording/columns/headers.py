"""Most likely meaning of a header: quantity, joint and unit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from armtwin.recording.columns.names import SCALAR_UNITS, TARGET, VECTORS, unit_of
from armtwin.units import is_unit, si_factor

_TIME = {"time", "timestamp", "t", "stamp", "secs", "elapsed", "clock", "zeit", "tiempo", "header"}
_TARGET = {"target", "desired", "des", "command", "commanded", "cmd", "goal", "reference", "ref",
           "setpoint", "planned"}  # fmt: skip
_FILLER = {"actual", "measured", "measurement", "meas", "real", "feedback", "joint", "joints",
           "state", "states", "field", "robot", "arm", "motor", "axis", "the", "of", "tcp", "tool",
           "ee", "eef", "end", "effector", "flange", "cartesian", "pose", "data",
           "servo"}  # fmt: skip
_QUANTITY = {
    "q": "q", "position": "q", "positions": "q", "pos": "q", "angle": "q", "theta": "q",
    "j": "q", "joint": "q",
    "qd": "qd", "dq": "qd", "qdot": "qd", "velocity": "qd", "velocities": "qd", "vel": "qd",
    "speed": "qd",
    "qdd": "qdd", "ddq": "qdd", "qddot": "qdd", "acceleration": "qdd", "acc": "qdd",
    "tau": "tau", "torque": "tau", "torques": "tau", "effort": "tau", "moment": "tau",
    "current": "current", "currents": "current", "amps": "current",
    "temperature": "temperature", "temperatures": "temperature", "temp": "temperature",
    "angles": "q", "speeds": "qd", "accelerations": "qdd", "efforts": "tau", "moments": "tau",
}  # fmt: skip
_SPACE = {
    "position": "", "posicion": "", "pos": "", "translation": "", "": "",
    "quat": "q", "quaternion": "q", "orientation": "q",
    "force": "f", "torque": "t", "velocity": "v", "speed": "v",
}  # fmt: skip
_PARTS = {part for parts in VECTORS.values() for part in parts}
_RUN = {"trajectory", "run", "run_id", "run_number", "episode", "episode_index", "trial"}


@dataclass(frozen=True)
class HeaderMeaning:
    """Meaning of a header: the column, whether its joint counts from 0, and a unit."""

    target: str
    number: int | None = None
    unit: str = ""

    def column(self, base: int) -> str:
        """Return the column's name where the file's joints count from ``base``."""
        return self.target if self.number is None else f"{self.target}{self.number - base + 1}"


def unit_in(header: str) -> str:
    """Return the text in brackets at the end of a header: its unit, as written."""
    match = re.search(r"[\[(]\s*([^\])\d][^\])]*?)\s*[\])]\s*$", header)
    return match[1] if match else ""


def is_run(header: str) -> bool:
    """Return whether a header numbers the runs in a file."""
    return header.strip().lower().replace(" ", "_") in _RUN


def meaning(header: str, joints: Sequence[str] = ()) -> HeaderMeaning | None:
    """Return what a header means, or None where nothing is recognised.

    Args:
        header: as in the file.
        joints: the joints' names from base to tool; one of these in a header is its joint.
    """
    text, unit = _without_unit(header)
    text, named = _without_joint_name(text, joints)
    words = _words(text)
    if len(words) > 1 and not unit and _is_trailing_unit(words):
        unit = words.pop()
    prefix = TARGET if _TARGET & set(words) else ""
    words = [word for word in words if word not in _TARGET]
    if {word for word in words if not word.isdigit()} and set(words) <= _TIME:
        return HeaderMeaning("time", unit=unit)
    found = _joint(words, named) or _tool(words)
    if found is None or (unit and si_factor(unit, unit_of(found.column(1)) or "") is None):
        return None
    return HeaderMeaning(prefix + found.target, found.number, unit)


def _without_unit(header: str) -> tuple[str, str]:
    match = re.search(r"[\[(<]\s*([^\])>\d][^\])>]*?)\s*[\])>]\s*$", header)
    if match and is_unit(match[1]):
        return header[: match.start()], match[1].lower()
    return header, ""


def _without_joint_name(text: str, joints: Sequence[str]) -> tuple[str, int | None]:
    """Return a header without a joint's name (and what robots put before it), and its number."""
    for number, name in sorted(enumerate(joints, 1), key=lambda pair: -len(pair[1])):
        alone = rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])"
        match = re.search(alone, text, re.IGNORECASE)
        if match:
            words = _words(text[: match.start()])
            before = [word for word in words if word in _QUANTITY or word in _TARGET]
            return f"{' '.join(before)} {text[match.end() :]}", number
    return text, None


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower())


def _is_trailing_unit(words: list[str]) -> bool:
    return words[-1] in {"deg", "rad", "mm", "ms", "us", "ns", "sec", "nm"} or (
        words[-1] == "s" and set(words[:-1]) <= _TIME
    )


def _joint(words: list[str], named: int | None) -> HeaderMeaning | None:
    """Return a joint's column: one quantity and one number, or one of the arm's names."""
    numbers = [int(word) for word in words if word.isdigit()]
    letters = [word for word in words if not word.isdigit()]
    number = named if named is not None else (numbers[0] if len(numbers) == 1 else None)
    if number is None or (named is not None and numbers):
        return None
    plain = [word for word in letters if word not in _FILLER]
    if not plain:
        known = named is not None or "joint" in letters or "joints" in letters
        return HeaderMeaning("q", number) if known else None
    quantities = {_QUANTITY.get(word) for word in plain}
    quantity = quantities.pop() if len(quantities) == 1 else None
    return HeaderMeaning(quantity, number) if quantity else None


def _tool(words: list[str]) -> HeaderMeaning | None:
    """Return a column of the tool or of the supply: x, roll, quat_w, force_z, power."""
    plain = [word for word in words if word not in _FILLER]
    joined = "_".join(plain)
    if joined in SCALAR_UNITS or joined in _PARTS:
        return HeaderMeaning(joined)
    if not plain or plain[-1] not in "xyzw" or not set(plain[:-1]) <= {*_SPACE, "wrench"}:
        return None
    kinds = {_SPACE[word] for word in plain[:-1] if word in _SPACE} or {""}
    part = max(kinds, key=len) + plain[-1]
    return HeaderMeaning(part) if len(kinds) == 1 and part in _PARTS else None
