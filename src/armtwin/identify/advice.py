"""What motion or measurement would tell a parameter that the data do not."""

from __future__ import annotations

import re


def advice(name: str) -> str:
    """Return what motion or measurement would tell a parameter."""
    match = re.fullmatch(r"([a-zA-Z_]+?)(\d*)", name)
    kind, joint = match.groups() if match else (name, "")
    about_joint = {
        "torque_constant": f"carry a known payload held off the axis of joint {joint}, or record "
        "the controller's target torque",
        "J": f"reverse joint {joint} quickly and often",
        "offset": f"move joint {joint} both ways in the same poses",
        "viscous": f"move joint {joint} at several speeds, up to its limit",
        "rise": f"move joint {joint} at several speeds, slow ones among them",
        "load": f"move joint {joint} under different loads (poses, payload)",
        "static": f"move joint {joint} slowly, just above rest",
    }
    if kind in about_joint:
        return about_joint[kind]
    if kind.startswith("coulomb"):
        return f"move joint {joint} both ways, with and against its load"
    if kind.startswith("I"):
        return f"turn the joints that carry link {joint} faster and about several axes"
    if kind.startswith(("m", "h")):
        return f"take poses in which gravity acts on link {joint} in several directions"
    return "move more joints at once, faster and further"
