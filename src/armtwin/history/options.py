"""Options of an addition: which figures of a recording are computed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from armtwin.errors import InputError

if TYPE_CHECKING:
    from armtwin.recording.settled_table import MappingLike


@dataclass(frozen=True)
class AddOptions:
    """Options of ``History.add``.

    Attributes:
        identify: friction and torque constants, where currents or torques were recorded.
        payload: the mass on the flange as well.
        contacts: contacts, by ``detect``.
        clean: a recording without contact, from which its thresholds are learned.
        cycles: repetitions of the motion; None: counted by returns to the first position.
        mapping: names of the file's columns, as in ``read_recording``.
    """

    identify: bool = True
    payload: bool = False
    contacts: bool = False
    clean: str | Path | None = None
    cycles: int | None = None
    mapping: MappingLike | None = None

    def __post_init__(self) -> None:
        """Refuse a number of cycles below 1."""
        if self.cycles is not None and (self.cycles != int(self.cycles) or self.cycles < 1):
            raise InputError(f"cycles is a whole number from 1 on, not {self.cycles!r}")
