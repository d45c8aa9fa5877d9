"""What an identification depends on besides the arm and its recordings."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from armtwin.errors import InputError
from armtwin.model.drive import PARAMETERS

METHODS: dict[str, tuple[str, ...]] = {
    "joint": ("links", "rotors", "gains", "friction", "offsets"),
    "staged": ("rotors", "gains", "friction"),
}
"""Which numbers are unknown: all of them, or all but the links' (the document's way)."""

UNKNOWNS = ("links", "rotors", "gains", "friction", "offsets", "payload", "mounting")
"""Links: mass, centre, inertia. Rotors: motor and reducer. Gains: torque constants. Offsets: what
the sensors show at no effort; part of the prediction, not of the arm."""


@dataclass(frozen=True)
class IdentifyOptions:
    """Every setting of an identification; the defaults suit arms of the UR family.

    Attributes:
        unknown: which of ``UNKNOWNS`` are estimated; the others stay as in the arm's file.
        friction: a law of ``model.friction.PARAMETERS`` for every joint; None: cross-validation.
        signal: "current" or "tau", what the motors did; None: the current where it is recorded.
        use_target: take ``target_tau`` as the torque of links and rotors where it is recorded.
        rest_speed: joints slower than this [rad/s] stand: stiction, not friction; masked.
        cutoff: of the zero-phase low-pass before differentiation [Hz]; None: from the noise of q.
        band: signals are compared below this frequency [Hz] (and unfiltered, too).
        gear: ratio of drives that the arm's file does not know; 1: constants at the joint.
        link_spread: relative standard deviation of the file's masses and first moments.
        inertia_spread: relative standard deviation of the file's inertias.
        centre_spread: standard deviation of centres of mass, as a share of the arm's length.
        most_payload: largest payload that is looked for [kg].
        folds: parts of the data for cross-validation.
    """

    unknown: tuple[str, ...] = METHODS["joint"]
    friction: str | None = None
    signal: str | None = None
    use_target: bool = True
    rest_speed: float = 0.02
    cutoff: float | None = None
    band: float = 5.0
    gear: float = 1.0
    link_spread: float = 0.1
    inertia_spread: float = 0.3
    centre_spread: float = 0.015
    most_payload: float = 20.0
    folds: int = 5

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        strange = [name for name in self.unknown if name not in UNKNOWNS]
        if strange or not self.unknown:
            raise InputError(
                f"unknown={self.unknown}: name one or more of {', '.join(UNKNOWNS)}, or a method: "
                f"{', '.join(METHODS)}"
            )
        if self.friction is not None and self.friction not in PARAMETERS:
            raise InputError(
                f"no friction law {self.friction!r}; known: {', '.join(PARAMETERS)}; without one "
                "cross-validation chooses"
            )
        if self.signal not in (None, "current", "tau"):
            raise InputError(f"signal is 'current' or 'tau', not {self.signal!r}")
        for name in ("rest_speed", "band", "gear", "link_spread", "inertia_spread"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} is {getattr(self, name)}; it must be positive")

    def rows(self) -> tuple[tuple[str, str], ...]:
        """Return the settings as names with values, for reports."""
        return tuple(
            (field.name, _text(getattr(self, field.name))) for field in dataclasses.fields(self)
        )


def unknowns(method: str | Sequence[str] | None, payload: bool, mounting: bool) -> tuple[str, ...]:
    """Return the unknowns of a method's name (or those listed) and the optional ones.

    Without a method, "staged" where a payload is asked for (links that may change as well take
    part of its weight), else "joint".
    """
    if method is None:
        method = "staged" if payload else "joint"
    if isinstance(method, str):
        if method not in METHODS:
            raise InputError(
                f"no method {method!r}; there are {', '.join(METHODS)}, or name the unknowns "
                f"among {', '.join(UNKNOWNS)}"
            )
        named = METHODS[method]
    else:
        named = tuple(method)
    extra = (("payload", payload), ("mounting", mounting))
    return (*named, *(name for name, wanted in extra if wanted and name not in named))


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return "chosen from the data" if value is None else str(value)
