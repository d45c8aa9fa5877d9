"""What is told of a contact."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Alarm:
    """A contact.

    Attributes:
        time: when the alarm was raised [s].
        joint: joint that is most likely hit, from 1.
        torque: its estimated external torque [Nm], signed.
        end: when the contact ended [s]; the newest sample while it lasts.
        link: the outermost link whose joint shows the contact, from 1.
        torques: estimated external torques of all joints [Nm].
    """

    time: float
    joint: int
    torque: float
    end: float
    link: int
    torques: tuple[float, ...]
