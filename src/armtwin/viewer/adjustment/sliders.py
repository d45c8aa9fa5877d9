"""Sliders of a page for payload, friction, geometry and tool, with their ranges.

A number with an identified 95 % interval gets a slider over it; another one a default range.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from armtwin.model.arm import Arm
from armtwin.motion.paths import reach
from armtwin.viewer.adjustment.identified_intervals import DH, TOOL, NumberInterval

LENGTH = 0.01
"""Range of a link's length, as a share of the reach, to each side."""
TILT = 0.0349
"""Range of a joint's zero: 2 degrees to each side [rad]."""
LOAD = 0.3
"""Largest payload of a slider, as a share of the arm's mass."""
Intervals = Mapping[str, NumberInterval]
"""Identified intervals by the names of kernel parameters."""


def sliders(
    arm: Arm, kernels: dict[str, Any], payload: tuple[float, Any], found: Intervals | None = None
) -> list[dict[str, Any]]:
    """Return the sliders of a page: payload, friction, link lengths, joint zeros and tool.

    Args:
        arm: the arm.
        kernels: what ``page_kernels`` returned.
        payload: mass [kg] and centre (3,) [m] that the comparison used.
        found: identified intervals; None without any.
    """
    known = {p["name"]: p for p in kernels["manifest"]["parameters"]}
    found = {} if found is None else {name: i for name, i in found.items() if name in known}
    made = [
        *_payload(arm, known, payload),
        *_friction(arm, known, found),
        *_geometry(arm, known, found),
    ]
    return [_limited(slider, found) for slider in made if slider["parameters"]]


def _slider(
    group: str, name: str, unit: str, span: tuple[float, float, float], parameters: list[str]
) -> dict[str, Any]:
    """Return one slider.

    Args:
        group: heading that it stands under.
        name: its label.
        unit: SI, or "%" for a factor on all its parameters.
        span: smallest, usual and largest value.
        parameters: the numbers of the arm that it sets.
    """
    low, value, high = span
    return {
        "group": group, "name": name, "unit": unit, "lower": low, "value": value, "upper": high,
        "parameters": parameters, "interval": None, "source": "",
    }  # fmt: skip


def _limited(slider: dict[str, Any], found: Intervals) -> dict[str, Any]:
    """Return a slider over the interval of its number; a value outside widens its range."""
    interval = found.get(slider["parameters"][0]) if slider["unit"] != "%" else None
    if interval is None:
        return slider
    low, high, value = interval.low, interval.high, slider["value"]
    ends = {"lower": min(low, value), "upper": max(high, value), "interval": [low, high]}
    return slider | ends | {"source": interval.source}


def _payload(arm: Arm, known: dict[str, Any], payload: tuple[float, Any]) -> list[dict[str, Any]]:
    if "payload_mass" not in known:
        return []
    mass, centre = payload
    whole = sum(joint.link.mass or 0.0 for joint in arm.joints)
    top = max(_rounded(LOAD * whole), _rounded(2 * mass))
    far = _rounded(0.2 * reach(arm))
    made = [_slider("Payload", "mass", "kg", (0.0, mass, top), ["payload_mass"])]
    for axis, value in zip("xyz", centre, strict=True):
        span = (min(-far, value), float(value), max(far, value))
        made.append(_slider("Payload", f"centre {axis}", "m", span, [f"payload_{axis}"]))
    return made


def _friction(arm: Arm, known: dict[str, Any], found: Intervals) -> list[dict[str, Any]]:
    """Return a slider for every identified number, and one factor for all other torques."""
    laws = [p for p in known.values() if p["meaning"].startswith("friction")]
    torques = [
        p["name"]
        for p in laws
        if p["unit"] in ("N.m", "N.m.s/rad") and p["value"] and p["name"] not in found
    ]
    label = "other torques" if any(p["name"] in found for p in laws) else "all joints"
    made = [_slider("Friction", label, "%", (0.0, 1.0, 2.0), torques)]
    numbers = {row: n for n, row in enumerate(_driven_rows(arm), 1)}
    for p in laws:
        if p["name"] in found:
            kind = p["name"].rstrip("0123456789")
            joint = numbers[int(p["name"].removeprefix(kind))]
            name, value = f"J{joint} {kind.replace('_', ' ')}", p["value"]
            made.append(_slider("Friction", name, p["unit"], (value, value, value), [p["name"]]))
    return made


def _driven_rows(arm: Arm) -> list[int]:
    return [row for row, joint in enumerate(arm.joints, 1) if joint.kind != "fixed"]


def _geometry(arm: Arm, known: dict[str, Any], found: Intervals) -> list[dict[str, Any]]:
    span = LENGTH * reach(arm)
    rows = range(1, len(arm.joints) + 1)
    lengths = [f"{name}{n}" for n in rows for name in (DH[0], DH[2]) if f"{name}{n}" in known]
    wanted = [name for name in lengths if name in found or abs(known[name]["value"]) > span]
    twists = [f"{DH[1]}{n}" for n in rows if f"{DH[1]}{n}" in found]
    zeros = [f"{DH[3]}{n}" if f"{DH[3]}{n}" in found else f"offset{n}" for n in rows]
    zeros = [name for name in zeros if name in known and known[name]["unit"] == "rad"]
    tool = [name for name in TOOL if name in known and (name in TOOL[:3] or name in found)]
    made = []
    for group, names, far in (
        ("Link lengths", wanted, span), ("Link twists", twists, TILT),
        ("Joint zeros", zeros, TILT), ("Tool", tool, 10 * span),
    ):  # fmt: skip
        for name in names:
            value, unit = known[name]["value"], known[name]["unit"]
            label = name.replace("offset", "joint ").replace("theta", "joint ")
            ends = (value - far, value, value + far)
            made.append(_slider(group, label.replace("tool_", ""), unit, ends, [name]))
    return made


def _rounded(value: float) -> float:
    """Return a value rounded up to one digit: 8.7 to 9."""
    if value <= 0:
        return 1.0
    size = 10.0 ** len(str(int(value))) / 10 if value >= 1 else 0.1
    return size * -(-value // size)
