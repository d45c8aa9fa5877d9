"""Options of a validation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from armtwin.validation.limits import Limit, with_default_limits


@dataclass(frozen=True)
class ValidateOptions:
    """Options of ``validate``.

    Attributes:
        limits: such as ``"position=1mm"``; signals not named keep the default limits.
        fit_tool: whether the twin's tool is fitted to the recording first.
        fit_base: whether its base is.
        remove_lag: whether the twin is shifted by the estimated lag before it is judged.
        calibration: a factory calibration (.yaml) to apply to the arm.
        efforts: whether torques, currents and power are compared, too.
    """

    limits: tuple[str | Limit, ...] = ()
    fit_tool: bool = False
    fit_base: bool = False
    remove_lag: bool = False
    calibration: str | Path | None = None
    efforts: bool = True

    def shown(self) -> tuple[tuple[str, str], ...]:
        """Return every setting as a name and a text."""
        limits = "; ".join(map(str, with_default_limits(self.limits)))
        values = {**vars(self), "limits": limits}
        return tuple((name.replace("_", " "), _plain(value)) for name, value in values.items())


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return Path(value).name if isinstance(value, Path) else "none" if value is None else str(value)
