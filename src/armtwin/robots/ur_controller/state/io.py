"""Digital and analogue outputs, and the speed slider, as clients set them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from armtwin.robots.ur_controller.state.registers import Registers

ACTIONS = ("ignore", "pause", "stop")


class Watchdog:
    """Watches how often a field is written.

    Attributes:
        field: name of the watched input; none if empty.
        action: what happens when it is not written in time.
    """

    def __init__(self) -> None:
        self.field, self.action, self._longest, self._last = "", "ignore", 0.0, 0.0

    def set(self, field: str, frequency: float, action: str) -> None:
        """Watch a field that has to be written ``frequency`` times a second.

        Args:
            field: name of the input.
            frequency: least frequency [Hz].
            action: what happens if it is written less often.
        """
        good = frequency > 0 and action in ACTIONS
        self.field, self.action = (field, action) if good else ("", "ignore")
        self._longest, self._last = (1 / frequency if good else 0.0), -1.0

    def written(self, names: tuple[str, ...], now: float) -> None:
        """Take note that inputs were written at the time ``now`` [s]."""
        if self.field in names:
            self._last = now

    def late(self, now: float) -> bool:
        """Return whether the field is overdue; then it is watched no more."""
        if not self.field:
            return False
        if self._last < 0:
            self._last = now
        if now - self._last <= self._longest:
            return False
        self.field = ""
        return True


CONFIGURABLE_FROM, TOOL_FROM = 8, 16
"""In ``actual_digital_output_bits``: 0-7 standard, 8-15 configurable, 16-17 tool."""
ANALOG_RANGES = ((0.004, 0.020), (0.0, 10.0))
"""Of an analogue output: current [A] and voltage [V]."""
SLIDER_RATE = 2.0
"""How fast the speed scaling follows the slider [1/s]."""


class InputsOutputs:
    """The controller's outputs and its speed slider."""

    def __init__(self, registers: Registers) -> None:
        self._registers = registers
        registers["target_speed_fraction"] = registers["speed_scaling"] = 1.0
        registers["speed_slider_fraction"] = 1.0
        for number in (0, 1):
            self.set_analog(number, 0.0, 1)

    def written(self, names: Iterable[str]) -> None:
        """Apply inputs that a client has just written."""
        names, r = set(names), self._registers
        for kind, first in (("standard", 0), ("configurable", CONFIGURABLE_FROM)):
            self._masked(names, f"{kind}_digital_output", first, 0xFF)
        self._masked(names, "tool_digital_output", TOOL_FROM, 0b11)
        if "speed_slider_fraction" in names and r.number("speed_slider_mask"):
            self.set_slider(r.number("speed_slider_fraction"))
        if "standard_analog_output_mask" in names:
            self._analog(r.number("standard_analog_output_mask"))

    def _masked(self, names: set[str], name: str, first: int, widest: int) -> None:
        if f"{name}_mask" not in names:
            return
        mask = self._registers.number(f"{name}_mask") & widest
        value = self._registers.number(name) & mask
        bits = self._registers["actual_digital_output_bits"]
        bits[0] = (bits[0] & np.uint64(~(mask << first) & (2**64 - 1))) | np.uint64(value << first)

    def _analog(self, mask: int) -> None:
        kinds = self._registers.number("standard_analog_output_type")
        for k in (0, 1):
            if mask >> k & 1:
                self.set_analog(
                    k, self._registers.number(f"standard_analog_output_{k}"), kinds >> k & 1
                )

    def set_digital(self, number: int, on: bool) -> None:
        """Set a digital output: 0-7 standard, 8-15 configurable, 16-17 tool."""
        bits = self._registers["actual_digital_output_bits"]
        bit = np.uint64(1 << number)
        bits[0] = bits[0] | bit if on else bits[0] & ~bit

    def set_analog(self, number: int, share: float, domain: int | None = None) -> None:
        """Set an analogue output to a share (0 to 1) of its range.

        Args:
            number: 0 or 1.
            share: of the range.
            domain: 0 for a current [A], 1 for a voltage [V]; the present one if None.
        """
        types = self._registers["analog_io_types"]
        bit = np.uint32(1 << (2 + number))
        if domain is not None:
            types[0] = types[0] | bit if domain else types[0] & ~bit
        low, high = ANALOG_RANGES[int(bool(types[0] & bit))]
        share = min(max(share, 0.0), 1.0) if np.isfinite(share) else 0.0
        self._registers[f"standard_analog_output{number}"] = low + share * (high - low)

    def set_domain(self, number: int, domain: int) -> None:
        """Choose current (0) or voltage (1) for an analogue output, which keeps its share."""
        old = int(bool(self._registers["analog_io_types"][0] & np.uint32(1 << (2 + number))))
        low, high = ANALOG_RANGES[old]
        value = float(self._registers.number(f"standard_analog_output{number}"))
        self.set_analog(number, (value - low) / (high - low), domain)

    def set_slider(self, fraction: float) -> None:
        """Move the speed slider, 0 to 1."""
        if np.isfinite(fraction):
            self._registers["target_speed_fraction"] = min(max(fraction, 0.0), 1.0)

    def scale(self, dt: float) -> float:
        """Return the speed scaling after another ``dt`` seconds; it follows the slider softly."""
        target = float(self._registers.number("target_speed_fraction"))
        now = float(self._registers.number("speed_scaling"))
        if now == target:
            return now
        step = SLIDER_RATE * dt
        now = min(now + step, target) if now < target else max(now - step, target)
        self._registers["speed_scaling"] = now
        return now
