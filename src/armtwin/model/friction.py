"""The friction models by name, and the parameters that each one takes.

Their formulas stand in ``equations/drive.py``. ``smoothing`` [rad/s, of the side where the model's
numbers hold] is the speed at which the smooth sign ``tanh(w / smoothing)`` reaches 0.76.
"""

from __future__ import annotations

from armtwin.errors import InputError
from armtwin.model.arm import Friction

SMOOTHING = 1e-3
SPEEDS = ("smoothing", "stribeck_speed", "rise_speed")
"""Parameters that are speeds [rad/s]: positive, and the law is not linear in them."""

PARAMETERS: dict[str, tuple[str, ...]] = {
    "viscous-coulomb": ("viscous", "coulomb"),
    "power-flow": ("viscous", "coulomb_direct", "coulomb_reverse"),
    "stribeck": ("viscous", "coulomb", "static", "stribeck_speed"),
    "load-dependent": ("viscous", "coulomb", "load"),
    "gear": ("viscous", "coulomb", "rise", "rise_speed", "load"),
}


def check_friction(friction: Friction, where: str) -> None:
    """Refuse an unknown model, a missing, unknown or negative parameter."""
    if friction.model not in PARAMETERS:
        raise InputError(
            f"{where}: unknown friction model {friction.model!r}; known: {', '.join(PARAMETERS)}"
        )
    needed, given = PARAMETERS[friction.model], dict(friction.parameters)
    missing = [name for name in needed if name not in given]
    extra = [name for name in given if name not in (*needed, "smoothing")]
    if missing or extra:
        raise InputError(
            f"{where}: friction model {friction.model!r} takes {', '.join(needed)} and optionally "
            f"smoothing; missing: {', '.join(missing) or 'none'}, "
            f"unknown: {', '.join(extra) or 'none'}"
        )
    for name, value in given.items():
        if value < 0 or (value == 0 and name in SPEEDS):
            raise InputError(f"{where}: friction {name} is {value:g}; it must be positive")
