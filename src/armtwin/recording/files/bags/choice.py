"""Selection of a robot in a bag with several: its topic, or the prefix of its joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armtwin.errors import RecordingError

USUAL = "/joint_states"
"""Topic of joint states in most bags."""


@dataclass(frozen=True)
class BagChoice:
    """The topic of the joint states, and what the joints' names begin with; None: not given."""

    topic: str | None = None
    prefix: str | None = None

    def topic_of(self, joints: dict[str, int], messages: dict[str, int], origin: str) -> str:
        """Return the topic of joint states to read.

        The usual name is preferred, then the most messages; topics with less than half as many
        joints as another (a gripper's) do not count.

        Args:
            joints: number of joints in the messages of every topic of joint states.
            messages: number of messages of every such topic.
            origin: name of the file.

        Raises:
            RecordingError: no such topic, or several robots and none chosen.
        """
        if self.topic is not None:
            if self.topic not in joints:
                raise RecordingError(
                    f"{origin} has no joint states on {self.topic!r}; they are on "
                    f"{', '.join(joints)}"
                )
            return self.topic
        able = [name for name, count in joints.items() if 2 * count >= max(joints.values())]
        best = max(able, key=lambda name: messages[name])
        frequent = [name for name in able if 2 * messages[name] > messages[best]]
        if USUAL in frequent:
            return USUAL
        if len(frequent) > 1:
            raise RecordingError(
                f"{origin} has joint states of several robots: {', '.join(frequent)}; choose one "
                f"by a mapping: 'topic = {frequent[0]}'"
            )
        return best

    def joints_of(self, names: Sequence[str], origin: str) -> list[int]:
        """Return the places of the joints whose names begin with the prefix, or of all.

        Args:
            names: of all joints.
            origin: name of the file.

        Raises:
            RecordingError: no joint has the prefix.
        """
        found = [k for k, name in enumerate(names) if name.startswith(self.prefix or "")]
        if not found:
            raise RecordingError(
                f"{origin}: no joint begins with {self.prefix!r}; they are {', '.join(names)}"
            )
        return found


def refuse_two_arms(given: Sequence[str], names: Sequence[str], origin: str) -> None:
    """Raise RecordingError where joints of an arm come twice, behind different prefixes.

    Args:
        given: names of the joints in the file.
        names: names of the arm's joints.
        origin: name of the file.
    """
    for name in names:
        same = [one for one in given if one == name or _behind_prefix(one, name)]
        if len(same) > 1:
            prefix = same[0].removesuffix(name)
            raise RecordingError(
                f"{origin} has joints of several robots: {', '.join(same)}; choose one by a "
                f"mapping: 'prefix = {prefix or same[1].removesuffix(name)}'"
            )


def _behind_prefix(given: str, name: str) -> bool:
    return given.endswith(name) and not given[-len(name) - 1].isalnum()
