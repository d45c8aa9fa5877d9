"""Safety of hardware: permission to move, speed and workspace limits, stopping on errors.

A target on this machine (a loopback address, a pseudo terminal) is a simulation and moves freely;
anything else is treated as hardware.
"""

from __future__ import annotations

import contextlib
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import numpy as np
from numpy.typing import ArrayLike

from armtwin.errors import InputError, LinkError, NotPermittedError
from armtwin.kinematics.forward import fk
from armtwin.kinematics.joints import as_joints
from armtwin.model.arm import Arm
from armtwin.spatial import Array

OPTION = "--i-mean-it"


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is this machine itself.

    Raises:
        LinkError: the name does not resolve.
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError) as error:
        raise LinkError(f"host {host!r} cannot be resolved: {error}") from error
    return all(ipaddress.ip_address(entry[4][0]).is_loopback for entry in found)


def is_pseudo_terminal(device: str | Path) -> bool:
    """Return whether a serial device is a pseudo terminal of this machine."""
    return Path(device).resolve().is_relative_to("/dev/pts")


def permit_motion(target: str, *, simulated: bool, i_mean_it: bool) -> None:
    """Raise unless the target may be moved.

    Args:
        target: its name, for the message.
        simulated: whether it is on this machine (``is_loopback``, ``is_pseudo_terminal``).
        i_mean_it: whether a person allowed hardware to move.

    Raises:
        NotPermittedError: hardware without permission.
    """
    if not (simulated or i_mean_it):
        raise NotPermittedError(
            f"{target} is not on this machine, so real hardware may move: clear its workspace, "
            f"keep a hand on its emergency stop, and give {OPTION} (i_mean_it=True)"
        )


@dataclass(frozen=True)
class Workspace:
    """Box in the base frame that the tool must stay in [m]."""

    low: tuple[float, float, float] = (-np.inf, -np.inf, -np.inf)
    high: tuple[float, float, float] = (np.inf, np.inf, np.inf)

    def __post_init__(self) -> None:
        """Raise InputError for an empty box."""
        if not all(a < b for a, b in zip(self.low, self.high, strict=True)):
            raise InputError(f"a workspace reaches from low to high; got {self.low}, {self.high}")


@dataclass(frozen=True)
class SafetyLimits:
    """Limits of commands to an arm.

    Attributes:
        speed: share of every joint's own top speed that may be used, 0 to 1.
        workspace: where the tool may be.
    """

    speed: float = 1.0
    workspace: Workspace = Workspace()

    def __post_init__(self) -> None:
        """Raise InputError for a share outside 0 to 1."""
        if not 0 < self.speed <= 1:
            raise InputError(f"the share of the top speed is above 0 and at most 1: {self.speed}")

    def top_speeds(self, arm: Arm) -> Array:
        """Return the largest joint speeds allowed (dof,) [rad/s | m/s]; inf where none is given."""
        own = [np.inf if j.limits.speed is None else j.limits.speed for j in arm.driven]
        return self.speed * np.array(own)

    def check(self, arm: Arm, q: ArrayLike, qd: ArrayLike | None = None) -> None:
        """Raise unless joint positions (..., dof) and speeds may be commanded.

        Args:
            arm: the arm.
            q: joint positions (..., dof) [rad | m].
            qd: joint speeds (..., dof) [rad/s | m/s]; not checked if not given.

        Raises:
            JointLimitError: a joint beyond its limits.
            NotPermittedError: too fast, or the tool outside its workspace.
        """
        joints = np.atleast_2d(as_joints(arm, q))
        if qd is not None:
            self._check_speeds(arm, np.atleast_2d(np.asarray(qd, float)))
        box = self.workspace
        if not np.isfinite([*box.low, *box.high]).any():
            return
        tool = fk(arm, joints)[:, :3, 3]
        outside = (tool < box.low) | (tool > box.high)
        if outside.any():
            row, axis = np.argwhere(outside)[0]
            raise NotPermittedError(
                f"the tool would be at {'xyz'[axis]} = {tool[row, axis]:.4f} m (row {row}); the "
                f"workspace allows {box.low[axis]:g} to {box.high[axis]:g} m"
            )

    def _check_speeds(self, arm: Arm, qd: Array) -> None:
        allowed = self.top_speeds(arm)
        over = ~(np.abs(qd) <= allowed * (1 + 1e-9))
        if over.any():
            row, joint = np.argwhere(over)[0]
            raise NotPermittedError(
                f"joint {joint + 1} would move at {qd[row, joint]:.4g} rad/s (row {row}); "
                f"{allowed[joint]:.4g} is allowed"
            )


@contextlib.contextmanager
def stopping_first(stop: Callable[[], object]) -> Iterator[None]:
    """Call ``stop`` first when the block ends by Ctrl-C, SIGTERM or an error.

    The signal handler itself stops the arm, before the block unwinds. A second Ctrl-C does not
    interrupt the stop.
    """
    stopped = False

    def once() -> None:
        nonlocal stopped
        if not stopped:
            stopped = True
            stop()

    def on_signal(number: int, _: FrameType | None) -> None:
        once()
        raise KeyboardInterrupt(signal.Signals(number).name)

    with _handling(on_signal):
        try:
            yield
        except BaseException:
            once()
            raise


@contextlib.contextmanager
def _handling(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle Ctrl-C and SIGTERM; only the main thread can set handlers."""
    kept = []
    with contextlib.suppress(ValueError):
        for number in (signal.SIGINT, signal.SIGTERM):
            kept.append((number, signal.signal(number, handler)))
    try:
        yield
    finally:
        for number, before in kept:
            signal.signal(number, before)
