"""Options of an identification: what to estimate, from which signal, with which prior."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from armtwin.errors import InputError
from armtwin.model.drive import PARAMETERS

METHODS: dict[str, tuple[str, ...]] = {
    "joint": ("links", "rotors", "gains", "friction", "offsets"),
    "staged": ("rotors", "gains", "friction"),
}
"""Parameters that a method estimates: all, or all but the links (as in the published document)."""

UNKNOWNS = ("links", "rotors", "gains", "friction", "offsets", "payload", "mounting")
"""Links: mass, centre of mass, inertia. Rotors: motor and reducer inertia. Gains: torque constants.
Offsets: sensor readings at zero effort; part of the prediction, not of the arm."""

MIN_KELVIN = 2.0
"""Range of temperature from which on friction is related to it [K]."""


@dataclass(frozen=True)
class IdentifyOptions:
    """Options of ``identify``; the defaults suit arms of the UR family.

    Attributes:
        method: "joint" (estimate everything), "staged" (links as in the arm file), or names among
            ``UNKNOWNS``; None: "staged" with ``payload``, else "joint".
        payload: estimate a payload as well: mass, and centre of gravity in the flange frame.
        mounting: estimate the direction of gravity in the base frame as well.
        split: fit to this share of the runs (of the time of a single run) and test on the rest.
        friction: friction law of every joint (``model.drive.PARAMETERS``); None: cross-validation.
        signal: "current" or "tau"; None: the current where it is recorded.
        use_target: fit links and rotors to ``target_tau`` where it is recorded.
        rest_speed: joints slower than this [rad/s] are at rest (stiction) and are masked.
        cutoff: of the zero-phase low-pass before differentiation [Hz]; None: from the noise of q.
        band: signals are compared below this frequency [Hz], and unfiltered.
        gear: gear ratio of drives that the arm file lacks; 1: constants hold at the joint.
        link_spread: relative prior standard deviation of masses and first moments.
        inertia_spread: relative prior standard deviation of inertias.
        centre_spread: prior standard deviation of centres of mass, as a share of the arm's length.
        most_payload: prior standard deviation of the payload mass [kg].
        folds: folds of the cross-validation.
        days: days of the training files: "each" where every file is of another day, or a name per
            file, separated by commas; None: the same day, unless clocks that count from 1970 differ
            by more than four hours.
    """

    method: str | tuple[str, ...] | None = None
    payload: bool = False
    mounting: bool = False
    split: float | None = None
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
    days: str | None = None

    def __post_init__(self) -> None:
        """Reject names that do not exist and sizes that are not positive."""
        if isinstance(self.method, str) and self.method not in METHODS:
            raise InputError(
                f"no method {self.method!r}; there are {', '.join(METHODS)}, or name the unknowns "
                f"among {', '.join(UNKNOWNS)}"
            )
        invalid = [name for name in self.unknown if name not in UNKNOWNS]
        if invalid or not self.unknown:
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

    @property
    def unknown(self) -> tuple[str, ...]:
        """Names of the estimated parameters, among ``UNKNOWNS``.

        With a payload the default is "staged": links that may change take part of its weight.
        """
        method = self.method or ("staged" if self.payload else "joint")
        named = METHODS[method] if isinstance(method, str) else tuple(method)
        extra = (("payload", self.payload), ("mounting", self.mounting))
        return (*named, *(name for name, wanted in extra if wanted and name not in named))

    def rows(self) -> tuple[tuple[str, str], ...]:
        """Return the options as names with values, for reports."""
        merged = ("method", "payload", "mounting")
        names = [f.name for f in dataclasses.fields(self) if f.name not in merged]
        return tuple((name, _text(name, getattr(self, name))) for name in ("unknown", *names))


def _text(name: str, value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    if value is None:
        return "none" if name == "split" else "chosen from the data"  # days: from the clocks
    return str(value)
