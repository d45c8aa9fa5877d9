"""What an identification found: the improved arm and everything that says how good it is."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from armtwin.files import write_output
from armtwin.identification.estimation.friction_selection import Choice
from armtwin.identification.options import IdentifyOptions
from armtwin.identification.result.accuracy import Accuracy, SignalAccuracy
from armtwin.identification.result.estimates import Estimate
from armtwin.identification.result.proof import failed
from armtwin.identification.result.unidentifiable import Gap
from armtwin.model.arm import Arm
from armtwin.model.formats.toml import write_toml
from armtwin.spatial import Array


@dataclass(frozen=True, eq=False)
class Fit:
    """The result of ``identify``.

    Attributes:
        arm: the improved arm; ``save`` writes it as an arm file.
        before: the arm as it was given.
        kind: the motors' signal: "current", "tau", or "target" where only that was recorded.
        estimates: torque constants, rotor inertias, friction, payload, mounting.
        base: base parameters of links and rotors.
        unidentifiable: what the data do not tell, by name, with advice.
        condition: ratio of the best to the worst told direction, in units of the prior's spread.
        accuracy: errors per part (train, test), signal and joint.
        signals: measured and predicted, run by run.
        choices: the friction laws tried, per joint; empty where the law was given.
        covariance: of the free entries, HAC.
        names: of the free entries.
        conflict: mean square of (estimate - file) / believed spread over what the data tell;
            near 1 or less where the file is right.
        account: what was done to the data, and what to know about the result.
        settings: every setting.
    """

    arm: Arm
    before: Arm
    kind: str
    estimates: tuple[Estimate, ...]
    base: tuple[Estimate, ...]
    unidentifiable: tuple[Gap, ...]
    condition: float
    accuracy: tuple[Accuracy, ...]
    signals: tuple[SignalAccuracy, ...] = field(repr=False)
    choices: tuple[Choice, ...] = field(repr=False)
    covariance: Array = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    conflict: float = 0.0
    account: tuple[str, ...] = ()
    settings: IdentifyOptions = field(default_factory=IdentifyOptions)

    @cached_property
    def intervals(self) -> Mapping[str, tuple[float, float]]:
        """95 % intervals by name, of drives, payload and base parameters."""
        return {e.name: (e.low, e.high) for e in (*self.estimates, *self.base)}

    def estimate(self, name: str) -> Estimate:
        """Return one estimate by name.

        Raises:
            KeyError: no such estimate; the message lists what exists.
        """
        for estimate in (*self.estimates, *self.base):
            if estimate.name == name:
                return estimate
        raise KeyError(f"{name!r}; there are {', '.join(e.name for e in self.estimates)}")

    def r2(self, part: str = "test", kind: str | None = None) -> tuple[float, ...]:
        """Return R2 of every joint, of moving samples below the band."""
        wanted = kind or self.kind
        return tuple(a.r2 for a in self.accuracy if a.part == part and a.kind == wanted)

    @property
    def failures(self) -> tuple[str, ...]:
        """What speaks against the result: joints that are predicted worse than by their mean."""
        return tuple(failed(self.accuracy))

    def report(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the report to an .html or .pdf file and return its path."""
        pages = importlib.import_module("armtwin.identification.page")
        written: Path = pages.write(self, path, force=force)
        return written

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the improved arm as a TOML file that ``load`` reads."""
        path = Path(path)
        write_output(path, write_toml(self.arm).encode(), force=force)
        return path
